"""The copy engine (PTX ISA, "Asynchronous copy: bulk copies" and "Tensors"): what one thread asks it for."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Address, Bad, Instruction, Number, Value, Vector
from onekernel.simulator.ptx.operands import P, Writer, need_card

_HINT, _MULTICAST, _TELLS = "L2::cache_hint", "multicast::cluster", "mbarrier::complete_tx::bytes"
_SHARED = {"shared::cta", "shared::cluster"}


def copy_bulk(one: Instruction, w: Writer) -> None:
    """cp.async.bulk with what follows. Raises Bad."""
    need_card(w, one, 90)
    words = [m for m in one.modifiers[2:] if m not in (_HINT, "tile")]
    operands = list(one.operands[:-1] if _HINT in one.modifiers else one.operands)
    if words[:1] in (["commit_group"], ["wait_group"]):
        _group(one, words, w)
    elif words[:1] == ["prefetch"]:
        _prefetch(one, words[1:], w)
    elif words[:1] == ["tensor"]:
        _tensor(one, words[1:], operands, w)
    elif len(words) >= 3 and words[0] in _SHARED and words[1] in ("global", "shared::cta") and words[2] == _TELLS:
        blocks = _blocks(one, words[3:], operands, w)
        to, source, size, barrier = operands
        start = "generic_pointer" if words[1] == "global" else "shared_pointer"
        w.add(f"{P}bulk_load({_cluster(w, to)}, {P}{start}({w.address(source)}), {w.read(size, 'u32')}, "
              f"{_cluster(w, barrier)}, {blocks});")  # fmt: skip
    elif words == ["global", "shared::cta", "bulk_group"]:
        to, source, size = operands
        w.add(f"{P}bulk_store({P}generic_pointer({w.address(to)}), {P}shared_pointer({w.address(source)}), "
              f"{w.read(size, 'u32')});")  # fmt: skip
    else:
        raise Bad("unknown", what=one.text)


def _cluster(w: Writer, address: Value) -> str:
    return f"{P}cluster_pointer({w.address(address)})"


def _blocks(one: Instruction, words: list[str], operands: list[Value], w: Writer) -> str:
    """The blocks of the cluster that a load goes to, as a mask; 0: the one that its address names."""
    if words == [_MULTICAST]:
        return w.read(operands.pop(), "u16")
    if words:
        raise Bad("unknown", what=one.text)
    return "0"


def _group(one: Instruction, words: list[str], w: Writer) -> None:
    if words == ["commit_group"]:
        w.add("__ok::ok_bulk_closed();")
        return
    count = one.operands[0]
    if words[1:] not in ([], ["read"]):
        raise Bad("unknown", what=one.text)
    if not (isinstance(count, Number) or w.bits_of(count) == 0):
        raise Bad("immediate", instruction=one.text)
    w.add(f"__ok::ok_bulk_waited({w.read(count, 'u32')}, {str(bool(words[1:])).lower()});")


def _rank(one: Instruction, word: str) -> int:
    if word not in ("1d", "2d", "3d", "4d", "5d"):
        raise Bad("unknown", what=one.text)
    return int(word[0])


def _place(one: Instruction, rank: int, tensor: Value, w: Writer) -> tuple[str, str]:
    """The tensor's map, and the first element of the box."""
    if not (isinstance(tensor, Address) and len(tensor.more) == 1 and isinstance(tensor.more[0], Vector)):
        raise Bad("syntax", near=one.text)
    items = tensor.more[0].items
    if len(items) != rank:
        raise Bad("operands", instruction=one.text, has=len(items), wants=rank)
    map_ = f"{P}generic_pointer({w.address(Address(tensor.base, tensor.offset, tensor.plus))})"
    return map_, f"{P}Place<{rank}>{{{', '.join(w.read(v, 's32') for v in items)}}}"


def _tensor(one: Instruction, words: list[str], operands: list[Value], w: Writer) -> None:
    rank, rest = _rank(one, words[0]), words[1:]
    if len(rest) >= 3 and rest[0] in _SHARED and rest[1:3] == ["global", _TELLS]:
        blocks = _blocks(one, rest[3:], operands, w)
        to, tensor, barrier = operands
        map_, place = _place(one, rank, tensor, w)
        w.add(f"{P}tensor_load({_cluster(w, to)}, {map_}, {place}, {_cluster(w, barrier)}, {blocks});")
    elif rest == ["global", "shared::cta", "bulk_group"]:
        tensor, source = operands
        map_, place = _place(one, rank, tensor, w)
        w.add(f"{P}tensor_store({map_}, {place}, {P}shared_pointer({w.address(source)}));")
    else:
        raise Bad("unknown", what=one.text)


def _prefetch(one: Instruction, words: list[str], w: Writer) -> None:
    """Into L2: it changes nothing but time."""
    if words[:1] == ["tensor"] and words[2:] == ["L2", "global"]:
        rank = _rank(one, words[1])
        map_, _ = _place(one, rank, one.operands[0], w)
        w.add(f"{P}tensor_prefetch({map_}, {rank});")
    elif words != ["L2", "global"]:
        raise Bad("unknown", what=one.text)


def _prefetch_map(one: Instruction, w: Writer) -> None:
    if one.modifiers[-1:] != ("tensormap",) or set(one.modifiers[:-1]) - {"const", "param"}:
        raise Bad("unknown", what=one.text)
    need_card(w, one, 90)
    w.add(f"{P}tensor_prefetch({P}generic_pointer({w.address(one.operands[0])}), 0);")


HANDLERS: dict[str, Callable[[Instruction, Writer], None]] = {"prefetch": _prefetch_map}
