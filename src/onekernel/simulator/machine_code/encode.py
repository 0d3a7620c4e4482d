"""A kernel's slice as the numbers that the runtime takes: runtime/machine_code/program.h says what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from onekernel.simulator.machine_code import instructions as sass
from onekernel.simulator.machine_code.cubin import Kernel
from onekernel.simulator.machine_code.effects import moved, written
from onekernel.simulator.machine_code.flow import Flow, unconditional
from onekernel.simulator.machine_code.instructions import Function, Instruction, Operand, Unreadable, plain
from onekernel.simulator.machine_code.relevant import Slice, relevant, space
from onekernel.simulator.paths import RUNTIME

CODE_SITE = 1 << 30
_RUN_AS = {
    "ATOM": "ATOMG", "IMNMX": "VIMNMX", "REDG": "RED", "CS2R": "S2R", "S2UR": "S2R", "VOTEU": "VOTE",
    "KILL": "EXIT", "BPT": "TRAP",
}  # fmt: skip
_NOTHING = frozenset({
    "NOP", "MEMBAR", "DEPBAR", "LDGDEPBAR", "ERRBAR", "CGAERRBAR", "CCTL", "CCTLL", "YIELD", "PREEXIT", "ACQBULK",
    "ENDCOLLECTIVE", "LEPC", "NANOSLEEP",
})  # fmt: skip
_SPECIAL = {
    "SR_TID.X": 0, "SR_TID.Y": 1, "SR_TID.Z": 2, "SR_CTAID.X": 3, "SR_CTAID.Y": 4, "SR_CTAID.Z": 5, "SR_LANEID": 6,
    "SR_SWINHI": 10, "SR_EQMASK": 7, "SR_LTMASK": 8, "SR_LEMASK": 9, "SRZ": 10,
    "SR_CgaCtaId": 10, "SR_CLOCKLO": 10, "SR_CLOCKHI": 10,
}  # fmt: skip
_MODE_OF = {
    "MUFU", "ISETP", "FSETP", "FSET", "DSETP", "SHFL", "VOTE", "MATCH", "REDUX", "ATOMG", "ATOMS", "RED", "BAR", "B2R",
}


@dataclass
class Encoded:
    """A kernel for the runtime. `places`: of each access, by its number from `first_site`, the learner's line."""

    symbol: str
    numbers: list[int]
    places: list[tuple[str, int] | None]
    values: set[str]


@cache
def _names() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    text = (RUNTIME / "machine_code" / "names.inc").read_text(encoding="utf-8")
    found = (re.findall(r"^(?!//).*?$", text, re.MULTILINE), text)[1]
    lists = (re.findall(rf"\b{kind}\((\w+)\)", found) for kind in ("OPERATION", "MODE", "MODIFIER"))
    operations, modes, modifiers = ({name: n for n, name in enumerate(names)} for names in lists)
    return operations, modes, modifiers


def encode(function: Function, kernel: Kernel, first_site: int) -> Encoded:
    """The instructions of `function` that decide its accesses. Raises Unreadable where one of them is not known."""
    if function.unreadable:
        raise Unreadable(function.unreadable)
    flow = Flow(function)
    kept = relevant(flow)
    out = Encoded(function.symbol, [], [], kept.values)
    chosen = [i for i in range(flow.end) if _runs(flow, kept, i)]
    place = {i: n for n, i in enumerate(chosen)}
    after = [len(chosen)] * (flow.end + 1)
    for i in range(flow.end - 1, -1, -1):
        after[i] = place.get(i, after[i + 1])
    for i in chosen:
        out.numbers += _instruction(flow, kept, i, after, out, first_site)
    return out


def _runs(flow: Flow, kept: Slice, i: int) -> bool:
    one = flow.code[i]
    if one.name in _NOTHING:
        return False
    always = ("BRA", "KILL", "BPT", "BAR", "WARPSYNC")
    return kept.kept[i] or one.name in always or flow.jumps(i)


def _instruction(flow: Flow, kept: Slice, i: int, after: list[int], out: Encoded, first_site: int) -> list[int]:
    one = flow.code[i]
    operations, modes, _ = _names()
    name, target, site = _RUN_AS.get(plain(one.name), plain(one.name)), -1, -1
    guard, operands = one.guard, list(one.operands)
    if one.name == "CALL" and not one.label:
        name = "TRAP"
    elif _only_meets(one, kept.kept[i]):
        name, operands = "MEET", []
    elif (one.name == "BRA" or flow.jumps(i)) and not kept.kept[i] and not unconditional(one):
        # Whichever way it goes, nothing is accessed before both ways meet again.
        name, target, guard, operands = "JUMP", after[flow.post_dominator[i]], None, []
    elif one.name in ("BRA", "CALL", "BSSY"):
        target = after[flow.target(one)]
    elif name == "S2R":
        if one.special not in _SPECIAL:
            raise Unreadable(one.special)
        target = _SPECIAL[one.special]
    if one.name in ("BSSY", "BSYNC", "BREAK"):
        site = int(one.special[1:])
    if one.name == "BMOV":
        target = int(one.special[1:])
    if name not in operations:
        raise Unreadable(one.name)
    predicates: list[Operand | None] = list(one.predicates)
    if one.name == "LDGSTS":  # whose last operand says which lanes read anything: those of a size that is not 0
        predicates, operands = [*operands], []
    if one.name in sass.MEMORY:
        operands = [*one.memory, *one.source, *operands]
    if one.name in sass.MEMORY or one.name == "LDC":
        site = CODE_SITE + first_site + len(out.places)
        out.places.append(one.place)
    low, high = _modifiers(one, name)
    idle = i not in kept.constants if one.name == "LDC" else one.name in sass.MEMORY and space(one) not in kept.values
    size = written(one) * 4 if name in ("S2R", "LDSM") else moved(one)
    numbers = [operations[name], _mode(one, name, modes), low, high, size, one.uniform, one.at, site, target, idle]
    predicates = [*predicates, None, None][:2]
    if len(operands) > 6:
        raise Unreadable(f"{one.name}: {len(operands)} operands")
    for operand in (guard, one.destination, *predicates, *(operands + [None] * 6)[:6]):
        numbers += _operand(operand)
    return [int(n) for n in numbers]


def _only_meets(one: Instruction, kept: bool) -> bool:
    """Whether lanes of the warp that have parted meet there, and no more of it matters."""
    return (one.name in ("BAR", "WARPSYNC") and not kept) or (one.name == "BRA" and one.has("DIV", "CONV"))


def _mode(one: Instruction, name: str, modes: dict[str, int]) -> int:
    if name not in _MODE_OF:
        return 0
    found = [m for m in one.modifiers if m in modes]
    if one.name == "ATOMS" and "POPC" in one.modifiers:
        return modes["POPC"]
    if not found and name not in ("BAR", "B2R"):
        raise Unreadable(f"{one.name}.{'.'.join(one.modifiers)}")
    return modes[found[0]] if found else 0


def _modifiers(one: Instruction, name: str) -> tuple[int, int]:
    known = _names()[2]
    words = list(one.modifiers)
    if name in ("F2F", "I2F") and words[:1] in (["F64"], ["F16"]):
        words[0] = f"TO_{words[0]}"
    if name == "ATOMG" or name == "RED":
        words = ["F32" if w == "F32" else w for w in words]
    bits = sum(1 << known[w] for w in {*words} if w in known)
    if {"BF16", "BF16_V2"} & set(words) or (name.startswith("H") and "BF16_V2" in words):
        raise Unreadable(f"{one.name}.BF16")
    return bits & 0xFFFFFFFF, bits >> 32


def _operand(operand: Operand | None) -> list[int]:
    if operand is None:
        return [0, 0, 0, 0]
    extra = 0
    if operand.kind == sass.CONSTANT:
        extra = operand.bank | operand.index << 8
    elif operand.kind in (sass.REGISTER, sass.UNIFORM):
        extra = int(operand.wide) | operand.scale << 1
    value = operand.value - (1 << 32) if operand.value >= 1 << 31 else operand.value
    return [operand.kind, value, operand.flags, extra]
