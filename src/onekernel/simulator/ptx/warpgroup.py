"""What a warpgroup does, four warps together (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"), and how it
is given registers."""

from __future__ import annotations

import re
from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Bad, Instruction, Name, Number, Ref, Value, Vector
from onekernel.simulator.ptx.operands import P, Writer, need_card

# Types of A and B -> how many of K a product takes.
_DEPTHS = {**{(t, t): 16 for t in ("f16", "bf16")}, ("tf32", "tf32"): 8,
           **{(a, b): 32 for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")}}  # fmt: skip
_TURNED = {"f16", "bf16"}  # may run along M or N, too
_SHAPE = re.compile(r"m64n(\d+)k(\d+)")
_LEAST, _MOST, _STEP = 24, 256, 8  # registers of a thread


def _wgmma(one: Instruction, w: Writer) -> None:
    need_card(w, one, 90, alone=True)
    work, *rest = one.modifiers
    if rest[:2] != ["sync", "aligned"]:
        raise Bad("unknown", what=one.text)
    if work == "mma_async":
        _product(one, rest[2:], w)
        return
    name = f"wgmma.{work}"
    if rest[2:] or work not in ("fence", "commit_group", "wait_group"):
        raise Bad("unknown", what=one.text)
    count = "0"
    if work == "wait_group":
        if not (isinstance(one.operands[0], Number) or w.bits_of(one.operands[0]) == 0):
            raise Bad("immediate", instruction=one.text)
        count = w.read(one.operands[0], "u32")
    w.add(f'{P}warpgroup({P}{work.partition("_")[0].upper()}, {count}, "{name}");')


def _product(one: Instruction, words: list[str], w: Writer) -> None:
    shape = _SHAPE.fullmatch(words[0])
    if shape is None or len(words) != 4:
        raise Bad("unknown", what=one.text)
    n, k = int(shape[1]), int(shape[2])
    total, a, b = words[1:]
    if _DEPTHS.get((a, b)) != k or total != "f32" or n % 8 or not 8 <= n <= 256:
        raise Bad("unknown", what=one.text)
    sums, first, second, adds, *immediates = one.operands
    if not isinstance(sums, Vector):
        raise Bad("syntax", near=one.text)
    if len(sums.items) != n // 2:
        raise Bad("operands", instruction=one.text, has=len(sums.items), wants=n // 2)
    from_registers = isinstance(first, Vector)
    wanted = 2 + (a in _TURNED) * (1 if from_registers else 2)
    if len(immediates) != wanted:
        raise Bad("operands", instruction=one.text, has=4 + len(immediates), wants=4 + wanted)
    w.add(f'auto step = {P}step({P}PRODUCT, 0, "wgmma.mma_async"); step.n = {n};')
    w.add(f"step.of = {P}Element::{a}; step.of_b = {P}Element::{b}; step.adds = {w.read(adds, 'pred')};")
    signs = [w.read(v, "s32") for v in immediates]
    w.add(f"step.negates_a = {signs[0]} < 0; step.negates_b = {signs[1]} < 0;")
    if a in _TURNED:
        w.add(f"step.b_is_turned = {signs[-1]} != 0;")
    if isinstance(first, Vector):
        if len(first.items) != 4:
            raise Bad("operands", instruction=one.text, has=len(first.items), wants=4)
        parts = ", ".join(w.read(v, "b32") for v in first.items)
        w.add(f"step.a_in_registers = true; {P}put(step.fragment, {parts});")
    else:
        w.add(f"step.a = {w.read(first, 'b64')};")
        if a in _TURNED:
            w.add(f"step.a_is_turned = {signs[2]} != 0;")
    w.add(f"step.b = {w.read(second, 'b64')};")
    w.add(f"{P}sums_in(step, {', '.join(_kept(v, one, w) for v in sums.items)}); {P}product(step);")


def _kept(value: Value, one: Instruction, w: Writer) -> str:
    """The variable that a sum is kept in, which the product writes later: one behind the statement."""
    if not isinstance(value, Ref):
        raise Bad("unknown", what=one.text)
    w.writable(value)
    w.fits(value, "b32")
    return w.later(value)


def _registers(one: Instruction, w: Writer) -> None:
    need_card(w, one, 90, alone=True)
    way, *rest = one.modifiers
    count = one.operands[0]
    if way not in ("inc", "dec") or rest != ["sync", "aligned", "u32"]:
        raise Bad("unknown", what=one.text)
    if not (isinstance(count, Number) or w.bits_of(count) == 0) or isinstance(count, Name):
        raise Bad("immediate", instruction=one.text)
    if isinstance(count, Number):
        number = int(count.text, 0)
        if number % _STEP or not _LEAST <= number <= _MOST:
            raise Bad("registers", instruction=one.text, number=number)
    w.add(f'{P}warpgroup({P}REGISTERS, {w.read(count, "u32")}, "setmaxnreg");')


HANDLERS: dict[str, Callable[[Instruction, Writer], None]] = {"wgmma": _wgmma, "setmaxnreg": _registers}
