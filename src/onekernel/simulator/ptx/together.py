"""What threads do together (PTX ISA, "Parallel Synchronization and Communication Instructions"): they meet, wait and
tell each other something; and a warp's Tensor Cores: which shapes and types there are, on which cards (PTX ISA,
"Warp-Level Matrix Instructions")."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Address, Bad, Instruction, Name, Pair, Value, Vector
from onekernel.simulator.ptx.operands import P, Writer, need_card

_SHUFFLES = {"idx": "SHFL_IDX", "up": "SHFL_UP", "down": "SHFL_DOWN", "bfly": "SHFL_XOR"}
_REDUCED = {("add", "u32"): "add", ("add", "s32"): "add", ("min", "u32"): "min", ("max", "u32"): "max",
            ("min", "s32"): "min", ("max", "s32"): "max", ("and", "b32"): "and", ("or", "b32"): "or",
            ("xor", "b32"): "xor"}  # fmt: skip
_ELEMENT = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "u8": 8, "s8": 8, "e4m3": 8, "e5m2": 8,
            "u4": 4, "s4": 4}  # fmt: skip
# Operand types that go together -> shapes, and the card that has them first.
_HALF = ({("f16", "f16"), ("bf16", "bf16")}, {"m16n8k8": 80, "m16n8k16": 80})
_SHAPES = (
    _HALF,
    ({("tf32", "tf32")}, {"m16n8k4": 80, "m16n8k8": 80}),
    ({(a, b) for a in ("u8", "s8") for b in ("u8", "s8")}, {"m8n8k16": 75, "m16n8k16": 80, "m16n8k32": 80}),
    ({(a, b) for a in ("u4", "s4") for b in ("u4", "s4")}, {"m8n8k32": 75, "m16n8k32": 80, "m16n8k64": 80}),
    ({("f64", "f64")}, {"m8n8k4": 80, "m16n8k4": 90, "m16n8k8": 90, "m16n8k16": 90}),
    ({(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")}, {"m16n8k32": 89}),
)
_SUMS = {"f16": {"f16", "f32"}, "bf16": {"f32"}, "tf32": {"f32"}, "f64": {"f64"}, "e4m3": {"f32"}, "e5m2": {"f32"},
         "u8": {"s32"}, "s8": {"s32"}, "u4": {"s32"}, "s4": {"s32"}}  # fmt: skip


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


def _registers(w: Writer, one: Instruction, value: Value, count: int, bits: int, output: bool) -> list[str]:
    """The variables of a fragment, whose number and size must be those of its shape."""
    items = value.items if isinstance(value, Vector) else (value,)
    if len(items) != count:
        raise Bad("operands", instruction=one.text, has=len(items), wants=count)
    if not output:
        return [w.read(v, f"b{bits}") for v in items]
    word = f"uint{bits}_t"
    targets = [w.target(v, word) for v in items]
    for v, text in zip(items, targets, strict=True):
        if "Sink" not in text:
            w.fits(v, f"b{bits}")
    return targets


def _mma(one: Instruction, w: Writer) -> None:
    modifiers = [m for m in one.modifiers if m not in ("sync", "aligned")]
    saturates = "satfinite" in modifiers
    modifiers = [m for m in modifiers if m != "satfinite"]
    shape, rest = modifiers[0], modifiers[1:]
    if "sync" not in one.modifiers or "aligned" not in one.modifiers or shape == "sp":
        raise Bad("unknown", what=one.text)
    if rest[:2] != ["row", "col"] or len(rest) != 6:
        raise Bad("unknown", what=one.text)
    total, a, b, c = rest[2:]
    shapes = next((shapes for pairs, shapes in _SHAPES if (a, b) in pairs), {})
    if shape not in shapes or total not in _SUMS[a] or c not in _SUMS[a] or (total != c and shape == "m16n8k8"):
        raise Bad("unknown", what=one.text)
    need_card(w, one, shapes[shape])
    m, n, k = (int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split())
    width = 64 if a == "f64" else 32

    def count(elements: int, kind: str) -> int:
        return elements * _ELEMENT[kind] // (32 * width)

    out = _registers(w, one, one.operands[0], count(m * n, total), width, True)
    parts = [_registers(w, one, v, count(size, kind), width, False)
             for v, size, kind in zip(one.operands[1:4], (m * k, k * n, m * n), (a, b, c), strict=True)]  # fmt: skip
    kinds = ", ".join(f"{P}Element::{kind}" for kind in (a, b, c, total))
    w.add(f'{P}WarpMatrix record{{{P}MULTIPLY, {m}, {n}, {k}, {str(saturates).lower()}, {kinds}, "{one.name}"}};')
    w.add(" ".join(f"{P}put(record.{name}, {', '.join(part)});" for name, part in zip("abc", parts, strict=True)))
    w.add(f"{P}together(record); {P}take(record.d, {', '.join(out)});")


def _move_matrices(one: Instruction, w: Writer) -> None:
    """ldmatrix and stmatrix: eight rows of 16 bytes a matrix, whose addresses eight lanes give."""
    load = one.name == "ldmatrix"
    words = [m for m in one.modifiers if m not in ("sync", "aligned")]
    transposed = "trans" in words
    words = [m for m in words if m != "trans"]
    words[:2] = sorted(words[:2])  # ptxas takes .x4 before .m8n8 too, and CUTLASS writes it so
    if set(one.modifiers) & {"sync", "aligned"} != {"sync", "aligned"}:
        raise Bad("unknown", what=one.text)
    if words[:1] != ["m8n8"] or words[1] not in ("x1", "x2", "x4") or words[-1] != "b16":
        raise Bad("unknown", what=one.text)
    if any(s not in ("shared", "shared::cta") for s in words[2:-1]):
        raise Bad("unknown", what=one.text)
    need_card(w, one, 75 if load else 90)
    count = int(words[1][1:])
    fragment, address = one.operands if load else one.operands[::-1]
    registers = _registers(w, one, fragment, count, 32, load)
    name, flag = f"{P}{one.name}<{count}>", str(transposed).lower()
    w.add(f"uint32_t part[{count}]{{}};")
    if load:
        w.add(f"{name}(part, {w.address(address)}, {flag}); {P}take(part, {', '.join(registers)});")
    else:
        w.add(f"{P}put(part, {', '.join(registers)}); {name}(part, {w.address(address)}, {flag});")


def _movmatrix(one: Instruction, w: Writer) -> None:
    if [m for m in one.modifiers if m not in ("sync", "aligned")] != ["m8n8", "trans", "b16"]:
        raise Bad("unknown", what=one.text)
    w.write(one.operands[0], f"{P}movmatrix({w.read(one.operands[1], 'b32')})", "b32")


HANDLERS: dict[str, Callable[[Instruction, Writer], None]] = {
    "mma": _mma, "ldmatrix": _move_matrices, "stmatrix": _move_matrices, "movmatrix": _movmatrix,
    "bar": _bar, "barrier": _barrier, "mbarrier": _mbarrier,
    "membar": _fence, "fence": _fence, "shfl": _shuffle, "vote": _vote, "match": _match,
    "redux": _redux, "activemask": _activemask, "elect": _elect, "trap": _trap,
}  # fmt: skip
