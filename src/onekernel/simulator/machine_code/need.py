"""What is needed at a point of a kernel: registers and predicates, and under which condition.

A register that a guarded instruction reads is needed only where its guard holds, and one that a guarded instruction
writes is not needed from before only where it holds. Without that, `@P0 IMAD R2, ...` and `@P0 LDS R2, [R2]` in a loop
would seem to need the value that was loaded the turn before.
"""

from __future__ import annotations

from functools import lru_cache

from onekernel.simulator.machine_code.instructions import INVERTED, PREDICATE, TRUE, Operand

WIDTH = 528  # bits of a set of registers and predicates: effects.py
_ALL = (1 << WIDTH) - 1
_PREDICATES = 512  # the first predicate's bit

_PARTS = 15
_WHERE_HOLDS = sum(_ALL << WIDTH * (2 * predicate + 1) for predicate in range(7))

# A need is one number: the set that is needed in any case, then for each of the seven predicates the set that is needed
# where it holds, and the set where it does not.


def literal(guard: Operand | None) -> int | None:
    """The condition of a guard; None: it always holds, or it is not a predicate of the lanes."""
    if guard is None or guard.kind != PREDICATE or guard.value == TRUE:
        return None
    return 2 * guard.value + bool(guard.flags & INVERTED)


def _place(condition: int) -> int:
    return WIDTH * (condition + 1)


@lru_cache(1 << 12)
def everywhere(bits: int) -> int:
    """A set as a mask for needs: under every condition."""
    return sum(bits << WIDTH * k for k in range(_PARTS))


def anyhow(need: int) -> int:
    """What is needed under any condition at all."""
    for half in (8, 4, 2, 1):  # of up to 16 parts
        need |= need >> half * WIDTH
    return need & _ALL


def where(need: int, condition: int | None) -> int:
    """What may be needed where `condition` holds."""
    if condition is None:
        return anyhow(need)
    opposite = _place(condition ^ 1)
    return anyhow(need & ~(_ALL << opposite))


def only(need: int, condition: int) -> int:
    """The need where it arises only if `condition` holds: what was needed in any case is needed then."""
    always = need & _ALL
    need &= ~_ALL & ~(_ALL << _place(condition ^ 1))
    return need | always << _place(condition)


def join(a: int, b: int) -> int:
    """Either need. What is needed whether a predicate holds or not is needed in any case."""
    out = a | b
    if out & out >> WIDTH & _WHERE_HOLDS:  # one that is needed where a predicate holds, and where it does not
        for predicate in range(7):
            yes, no = _place(2 * predicate), _place(2 * predicate + 1)
            both = out >> yes & out >> no & _ALL
            if both:
                out = (out & ~(both << yes) & ~(both << no)) | both
    return out


def written(need: int, bits: int, condition: int | None) -> int:
    """The need before an instruction that writes `bits` where `condition` holds."""
    for predicate in range(7) if bits >> _PREDICATES else ():
        if bits >> (_PREDICATES + predicate) & 1:  # what depended on its new value did not on its old one
            for part in (2 * predicate, 2 * predicate + 1):
                need |= need >> _place(part) & _ALL
                need &= ~(_ALL << _place(part))
    if condition is None:
        return need & ~everywhere(bits)
    still = need & bits  # needed in any case: from before, where the guard does not hold
    need &= ~still & ~(bits << _place(condition))
    return need | still << _place(condition ^ 1)


def read(need: int, bits: int, condition: int | None) -> int:
    """The need before an instruction that reads `bits` where `condition` holds."""
    return join(need, bits if condition is None else bits << _place(condition))
