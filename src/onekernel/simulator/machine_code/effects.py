"""What an instruction reads and writes, as sets of registers and predicates: one bit each."""

from __future__ import annotations

from onekernel.simulator.machine_code.instructions import (
    ATOMICS,
    CONSTANT,
    MEMORY,
    PREDICATE,
    REGISTER,
    STORES,
    TRUE,
    UNIFORM,
    UNIFORM_PREDICATE,
    ZERO,
    Instruction,
    Operand,
    plain,
)

_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_OFFSET = {REGISTER: 0, UNIFORM: 256, PREDICATE: 512, UNIFORM_PREDICATE: 520}
_DOUBLES = frozenset({"DADD", "DMUL", "DFMA", "DSETP", "DMNMX"})


def moved(one: Instruction) -> int:
    """Bytes that a memory access moves for each lane."""
    return next((_BYTES[m] for m in reversed(one.modifiers) if m in _BYTES), 4)


def written(one: Instruction) -> int:
    """Registers of the destination."""
    name = plain(one.name)
    if name == "LDSM":
        return int(one.modifiers[-1]) if one.modifiers[-1].isdigit() else 1
    if name in ("LD", "LDG", "LDS", "LDL", "LDC", "ATOM", "ATOMG", "ATOMS"):
        return max(1, moved(one) // 4)
    if (name == "IMAD" and one.has("WIDE")) or name in _DOUBLES:
        return 2
    if name == "CS2R":
        return 1 if one.has("32") else 2
    if (name in ("F2F", "I2F") and one.modifiers[:1] == ("F64",)) or (name == "F2I" and one.has("S64", "U64")):
        return 2
    return 4 if name in ("HMMA", "IMMA", "DMMA") else 1


def _read(one: Instruction, position: int) -> int:
    """Registers of the operand at `position`."""
    name = plain(one.name)
    if one.name in STORES or one.name in ATOMICS:
        return max(1, moved(one) // 4)
    if name in _DOUBLES or (name == "IMAD" and one.has("WIDE", "HI") and position == 2):
        return 2
    if name in ("F2F", "F2I") and one.has("F64") and one.modifiers[:1] != ("F64",):
        return 2
    if name == "I2F" and one.has("S64", "U64"):
        return 2
    return 4 if name in ("HMMA", "IMMA", "DMMA") else 1


def _bits(operand: Operand, count: int = 1) -> int:
    if operand.kind == CONSTANT:
        return 1 << operand.index if operand.index != ZERO else 0
    offset = _OFFSET.get(operand.kind)
    if offset is None:
        return 0
    nothing = TRUE if operand.kind in (PREDICATE, UNIFORM_PREDICATE) else ZERO
    return 0 if operand.value == nothing else ((1 << count) - 1) << (offset + operand.value)


def bit(operand: Operand) -> int:
    """A predicate or register as a set."""
    return _bits(operand)


def writes(one: Instruction) -> int:
    """The registers and predicates that it writes."""
    if one.name == "R2P":
        return 0x7F << _OFFSET[PREDICATE]
    out = 0
    for predicate in one.predicates:
        out |= _bits(predicate)
    if one.destination is not None:
        out |= _bits(one.destination, written(one))
    return out


def reads(one: Instruction, values: bool) -> int:
    """The registers and predicates that it reads; of an access to memory, what is stored only with `values`."""
    out = _bits(one.guard) if one.guard else 0
    for part in (*one.memory, *one.source):
        out |= _bits(part, 2 if part.wide else 1)
    if one.name in MEMORY and one.name != "LDGSTS" and not values:
        return out
    if one.name == "P2R":
        out |= 0x7F << _OFFSET[PREDICATE]
    for position, operand in enumerate(one.operands):
        out |= _bits(operand, _read(one, position))
    return out
