"""Loads, stores, atomics and asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions")."""

from __future__ import annotations

import re
from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Address, Bad, Instruction, Name, Number, Value, Vector
from onekernel.simulator.ptx.bulk import copy_bulk
from onekernel.simulator.ptx.operands import BITS, P, Writer, cpp, need_card

_SPACES = {"global": "GENERIC", "const": "GENERIC", "shared": "SHARED", "shared::cta": "SHARED",
           "shared::cluster": "SHARED_CLUSTER", "local": "GENERIC", "param": "GENERIC"}  # fmt: skip
# How an access is cached or how far it is seen: of no consequence here, but for what `_order` reads.
_CACHED = re.compile(r"ca|cg|cs|lu|cv|nc|wb|wt|L1::\w+|L2::\w+|weak|cta|cluster|gpu|sys|mmio|unified")
_ORDERS = {"relaxed", "acquire", "release", "acq_rel", "volatile", "seq_cst", "sc"}
_OPERATIONS = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}


def _read(modifiers: tuple[str, ...], one: Instruction) -> tuple[str, int, set[str], list[str]]:
    """The space, how many numbers, the order, and what is none of these."""
    space, count, order, rest = "GENERIC", 1, set(), []
    for m in modifiers:
        if m in _SPACES:
            space = _SPACES[m]
        elif m in ("v2", "v4", "v8"):
            count = int(m[1:])
        elif m in _ORDERS:
            order.add(m)
        elif not _CACHED.fullmatch(m):
            rest.append(m)
    return space, count, order, rest


def _pointer(w: Writer, space: str, address: Value) -> str:
    names = {"GENERIC": "generic_pointer", "SHARED": "shared_pointer", "SHARED_CLUSTER": "cluster_pointer"}
    return f"{P}{names[space]}({w.address(address)})"


def _how(order: set[str], one: Instruction) -> str:
    if not order:
        return "PLAIN"
    if len(order) > 1 or order & {"seq_cst", "sc"}:
        raise Bad("unknown", what=one.text)
    return next(iter(order)).upper()


def _access(one: Instruction, *, address_first: bool) -> tuple[str, set[str], tuple[Value, ...], Address]:
    """What ld and st have in common: the space, the order, the numbers that are moved, where. Raises Bad."""
    space, count, order, rest = _read(one.modifiers[:-1], one)
    if rest or BITS[one.modifiers[-1]] * count > 128 or (order and count > 1 and order != {"volatile"}):
        raise Bad("unknown", what=one.text)
    first, second = one.operands[:2]
    address, moved = (first, second) if address_first else (second, first)
    items = tuple(moved.items) if isinstance(moved, Vector) else (moved,)
    if len(items) != count or not isinstance(address, Address):
        raise Bad("syntax", near=one.text)
    return space, order, items, address


def _load(one: Instruction, w: Writer) -> None:
    kind = one.modifiers[-1]
    space, order, items, address = _access(one, address_first=False)
    count = len(items)
    w.add(f"{cpp(kind)} part[{count}];")
    w.add(f"{P}load<{cpp(kind)}, {count}, {P}{_how(order, one)}>(part, {_pointer(w, space, address)});")
    for k, item in enumerate(items):
        w.write(item, f"part[{k}]", kind, wider=True)


def _store(one: Instruction, w: Writer) -> None:
    kind = one.modifiers[-1]
    if one.modifiers[0] == "async":
        _store_async(one, w)
        return
    space, order, items, address = _access(one, address_first=True)
    count = len(items)
    values = ", ".join(w.read(v, kind, wider=True) for v in items)
    w.add(f"const {cpp(kind)} part[{count}] = {{{values}}};")
    w.add(f"{P}store<{cpp(kind)}, {count}, {P}{_how(order, one)}>({_pointer(w, space, address)}, part);")


def _store_async(one: Instruction, w: Writer) -> None:
    words = [m for m in one.modifiers if m not in ("weak", "shared::cluster", "mbarrier::complete_tx::bytes")]
    count = int(words[1][1:]) if words[1] in ("v2", "v4") else 1
    kind = words[-1]
    if words[0] != "async" or len(words) != (3 if count > 1 else 2):
        raise Bad("unknown", what=one.text)
    need_card(w, one, 90)
    to, source, barrier = one.operands
    items = source.items if isinstance(source, Vector) else (source,)
    if len(items) != count:
        raise Bad("operands", instruction=one.text, has=len(items), wants=count)
    w.add(f"const {cpp(kind)} part[{count}] = {{{', '.join(w.read(v, kind) for v in items)}}};")
    pointers = ", part, ".join(_pointer(w, "SHARED_CLUSTER", a) for a in (to, barrier))
    w.add(f"{P}store_async<{cpp(kind)}, {count}>({pointers});")


def _atomic(one: Instruction, w: Writer) -> None:
    """atom gives what was there, red nothing."""
    kind = one.modifiers[-1]
    space, count, order, rest = _read(one.modifiers[:-1], one)
    rest = [m for m in rest if m != "noftz"]
    if len(rest) != 1 or rest[0] not in _OPERATIONS or count > 1 or BITS[kind] < 16:
        raise Bad("unknown", what=one.text)
    operands = list(one.operands)
    target: Value = operands.pop(0) if one.name == "atom" else Name("_")
    values = [w.read(v, kind) for v in operands[1 : 3 if rest[0] == "cas" else 2]]
    fence = str(bool(order & {"release", "acq_rel"})).lower()
    pointer = _pointer(w, space, operands[0])
    w.write(target, f"{P}atomic_{rest[0]}<{cpp(kind)}, {fence}>({pointer}, {', '.join(values)})", kind)


def _copy(one: Instruction, w: Writer) -> None:
    """cp.async and what waits for it."""
    words = one.modifiers[1:]
    if one.modifiers[0] != "async":
        raise Bad("unknown", what=one.text)
    if words[:1] == ("bulk",):
        copy_bulk(one, w)
    elif words == ("commit_group",):
        w.add("__ok::ok_copies_closed();")
    elif words == ("wait_all",):
        w.add(f"{P}cp_async_wait_all();")
    elif words == ("wait_group",):
        count = one.operands[0]
        if isinstance(count, Number) or w.bits_of(count) == 0:
            w.add(f"__ok::ok_copies_waited({w.read(count, 'u32')});")
        else:
            raise Bad("immediate", instruction=one.text)
    elif words[:1] in (("ca",), ("cg",)):
        _copy_piece(one, w)
    elif words[:1] == ("mbarrier",):
        noinc = "noinc" in words
        space = "GENERIC" if not {"shared", "shared::cta"} & set(words) else "SHARED"
        w.add(f"{P}cp_async_mbarrier_arrive({_pointer(w, space, one.operands[0])}, {str(noinc).lower()});")
    else:
        raise Bad("unknown", what=one.text)


def _copy_piece(one: Instruction, w: Writer) -> None:
    words = [m for m in one.modifiers[1:] if not m.startswith("L2::")]
    if words[1:] not in (["shared", "global"], ["shared::cta", "global"]):
        raise Bad("unknown", what=one.text)
    to, source, size, *more = one.operands
    if "L2::cache_hint" in one.modifiers:
        more = more[:-1]
    if not (isinstance(size, Number) or w.bits_of(size) == 0):
        raise Bad("immediate", instruction=one.text)
    bytes_ = w.read(size, "s32")
    if isinstance(size, Number) and (int(size.text, 0) not in (4, 8, 16) or (words[0] == "cg" and size.text != "16")):
        raise Bad("copy-size", instruction=one.text, size=size.text)
    least = 16 if words[0] == "cg" else 4
    taken = bytes_
    if more:
        predicate = isinstance(more[0], Name) and w.bits_of(more[0]) == 1
        taken = f"({w.read(more[0], 'pred')} ? 0 : {bytes_})" if predicate else w.read(more[0], "s32")
    w.add(f"{P}cp_async<{bytes_}, {least}>({_pointer(w, 'SHARED', to)}, {_pointer(w, 'GENERIC', source)}, {taken});")


def _policy(one: Instruction, w: Writer) -> None:
    w.write(one.operands[0], "uint64_t(0)", "b64")


HANDLERS: dict[str, Callable[[Instruction, Writer], None]] = {
    "ld": _load, "ldu": _load, "st": _store, "atom": _atomic, "red": _atomic, "cp": _copy, "createpolicy": _policy,
}  # fmt: skip
