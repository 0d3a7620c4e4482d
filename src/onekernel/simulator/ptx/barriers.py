"""Instructions by which threads meet, wait and tell each other something (PTX ISA, "Parallel Synchronization and
Communication Instructions")."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Address, Bad, Instruction, Name, Pair, Value
from onekernel.simulator.ptx.operands import P, Writer, need_card

_SHUFFLES = {"idx": "SHFL_IDX", "up": "SHFL_UP", "down": "SHFL_DOWN", "bfly": "SHFL_XOR"}
_REDUCED = {("add", "u32"): "add", ("add", "s32"): "add", ("min", "u32"): "min", ("max", "u32"): "max",
            ("min", "s32"): "min", ("max", "s32"): "max", ("and", "b32"): "and", ("or", "b32"): "or",
            ("xor", "b32"): "xor"}  # fmt: skip


def _bar(one: Instruction, w: Writer) -> None:
    words = [m for m in one.modifiers if m not in ("cta", "aligned")]
    if words[:1] == ["red"]:  # it has a predicate among its operands
        raise Bad("unknown", what=one.text)
    values = [w.read(v, "u32") for v in one.operands]
    if words == ["warp", "sync"]:
        w.add(f"__syncwarp({values[0]});")
    elif words == ["sync"] and one.operands:
        w.add(f"{P}bar_sync({', '.join(values[:2])});")
    elif words == ["arrive"]:
        w.add(f"{P}bar_arrive({values[0]}, {values[1]});")
    else:
        raise Bad("unknown", what=one.text)


def _barrier(one: Instruction, w: Writer) -> None:
    """barrier.sync is bar.sync; barrier.cluster is the barrier of a cluster's blocks."""
    if one.modifiers[0] != "cluster":
        _bar(one, w)
        return
    need_card(w, one, 90)
    word = one.modifiers[1]
    if word not in ("arrive", "wait"):
        raise Bad("unknown", what=one.text)
    w.add(f"{P}cluster_{word}();")


def _mbarrier(one: Instruction, w: Writer) -> None:
    words = [m for m in one.modifiers if m not in _OF_NO_CONSEQUENCE]
    space = "cluster_pointer" if "shared::cluster" in one.modifiers else (
        "shared_pointer" if {"shared", "shared::cta"} & set(one.modifiers) else "generic_pointer")  # fmt: skip
    verb, rest = words[0], words[1:]
    values = [v for v in one.operands if not isinstance(v, Address)]
    counted = verb in ("arrive", "arrive_drop") and len(values) > (not isinstance(one.operands[0], Address))
    if counted or verb == "try_wait" or _OF_SM_90 & set(one.modifiers):
        need_card(w, one, 90)
    where = next(v for v in one.operands if isinstance(v, Address))
    pointer = f"{P}{space}({w.address(where)})"
    if verb == "init":
        w.add(f"{P}mbarrier_init({pointer}, {w.read(values[0], 'u32')});")
    elif verb == "inval":
        w.add(f"{P}mbarrier_inval({pointer});")
    elif verb in ("arrive", "arrive_drop"):
        target = values.pop(0) if one.operands[0] is not where else Name("_")
        number = w.read(values[0], "u32") if values else "1"
        parts = ("1", number) if rest == ["expect_tx"] else (number, "0")
        if rest not in ([], ["expect_tx"]):
            raise Bad("unknown", what=one.text)
        w.write(target, f"{P}mbarrier_arrive({pointer}, {', '.join(parts)}, {str(verb != 'arrive').lower()})", "b64")
    elif verb in ("expect_tx", "complete_tx"):
        sign = "-" if verb == "complete_tx" else ""
        w.add(f"{P}mbarrier_arrive({pointer}, 0, {sign}(long long)({w.read(values[0], 'u32')}), false);")
    elif verb in ("test_wait", "try_wait") and rest in ([], ["parity"]):
        phase = w.read(values[1], "u32" if rest else "b64")
        flags = ", ".join(str(x).lower() for x in (bool(rest), verb == "try_wait"))
        w.write(values[0], f"{P}mbarrier_wait({pointer}, {phase}, {flags})", "pred")
    else:
        raise Bad("unknown", what=one.text)


_OF_SM_90 = {"cluster", "shared::cluster", "expect_tx", "complete_tx", "mbarrier_init", "async", "async::generic",
             "sync_restrict::shared::cta", "sync_restrict::shared::cluster"}  # fmt: skip
_OF_NO_CONSEQUENCE = {"b64", "shared", "shared::cta", "shared::cluster", "release", "acquire", "relaxed", "cta",
                      "cluster"}  # fmt: skip


def _fence(one: Instruction, w: Writer) -> None:
    words = set(one.modifiers) - {"sc", "acq_rel", "acquire", "release", "proxy", "async", "alias", "async::generic",
                                  "mbarrier_init", "sync_restrict::shared::cta", "sync_restrict::shared::cluster",
                                  "shared::cta", "shared::cluster", "global"}  # fmt: skip
    if words - {"cta", "cluster", "gpu", "sys", "gl"}:
        raise Bad("unknown", what=one.text)
    if _OF_SM_90 & set(one.modifiers):
        need_card(w, one, 90)
    if "proxy" in one.modifiers:
        return
    w.add("__threadfence_block();" if words == {"cta"} else "__threadfence();")


def _shuffle(one: Instruction, w: Writer) -> None:
    if one.modifiers[0] != "sync" or one.modifiers[-1] != "b32":
        raise Bad("unknown", what=one.text)
    target: Value = one.operands[0]
    value, lane, clamp, mask = (w.read(v, "b32") for v in one.operands[1:5])
    w.add("bool inside = true;")
    result = f"{P}shfl<__ok::{_SHUFFLES[one.modifiers[1]]}>({value}, {lane}, {clamp}, {mask}, inside)"
    w.write(target.first if isinstance(target, Pair) else target, result, "b32")
    if isinstance(target, Pair):
        w.write(target.second, "inside", "pred")


def _vote(one: Instruction, w: Writer) -> None:
    _, mode, kind = one.modifiers
    predicate, mask = w.read(one.operands[1], "pred"), w.read(one.operands[2], "b32")
    names = {"ballot": "__ballot_sync", "all": "__all_sync", "any": "__any_sync", "uni": "__uni_sync"}
    result = f"{names[mode]}({mask}, {predicate})"
    w.write(one.operands[0], result if mode == "ballot" else f"bool({result})", kind)


def _match(one: Instruction, w: Writer) -> None:
    _, mode, kind = one.modifiers
    target: Value = one.operands[0]
    value, mask = w.read(one.operands[1], kind), w.read(one.operands[2], "b32")
    if mode == "any":
        w.write(target, f"__match_any_sync({mask}, {value})", "b32")
        return
    w.add("int all = 0;")
    w.write(target.first if isinstance(target, Pair) else target, f"__match_all_sync({mask}, {value}, &all)", "b32")
    if isinstance(target, Pair):
        w.write(target.second, "bool(all)", "pred")


def _redux(one: Instruction, w: Writer) -> None:
    _, operation, kind = one.modifiers
    name = _REDUCED[operation, kind]
    value = w.read(one.operands[1], kind)
    w.write(one.operands[0], f"__reduce_{name}_sync({w.read(one.operands[2], 'b32')}, {value})", kind)


def _activemask(one: Instruction, w: Writer) -> None:
    w.write(one.operands[0], "__activemask()", "b32")


def _elect(one: Instruction, w: Writer) -> None:
    need_card(w, one, 90)
    target, mask = one.operands
    if not isinstance(target, Pair):
        raise Bad("unknown", what=one.text)
    w.add(f"const uint32_t leader = {P}elect({w.read(mask, 'b32')});")
    if not (isinstance(target.first, Name) and target.first.text == "_"):
        w.write(target.first, "leader", "b32")
    w.write(target.second, f"leader == {P}lane()", "pred")


def _trap(one: Instruction, w: Writer) -> None:
    w.add("__trap();")


HANDLERS: dict[str, Callable[[Instruction, Writer], None]] = {
    "bar": _bar, "barrier": _barrier, "mbarrier": _mbarrier,
    "membar": _fence, "fence": _fence, "shfl": _shuffle, "vote": _vote, "match": _match,
    "redux": _redux, "activemask": _activemask, "elect": _elect, "trap": _trap,
}  # fmt: skip
