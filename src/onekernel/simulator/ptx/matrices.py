"""Tensor-core instructions of a warp: which shapes and types there are, on which cards (PTX ISA, "Warp-Level Matrix
Instructions")."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Bad, Instruction, Value, Vector
from onekernel.simulator.ptx.operands import P, Writer, need_card

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
}  # fmt: skip
