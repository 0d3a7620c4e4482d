"""Which instructions of a kernel say where it accesses memory and how often: the rest need not be run to count.

A backward slice from the accesses. Mostly it is the arithmetic of indices alone: what a GEMM multiplies
decides nothing.
Where an address or a branch needs a value from memory, all that is stored there is needed, too.
"""

from __future__ import annotations

import functools
import heapq
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field

from onekernel.simulator.machine_code import need
from onekernel.simulator.machine_code.effects import bit, reads, writes
from onekernel.simulator.machine_code.flow import Flow
from onekernel.simulator.machine_code.instructions import ATOMICS, LOADS, MEMORY, Instruction, Unreadable

_SHARED = frozenset({"LDS", "LDSM", "STS", "ATOMS"})
_LOCAL = frozenset({"LDL", "STL"})
_STRUCTURE = frozenset({"BSSY", "BSYNC", "BREAK", "BMOV"})
_MEETING = frozenset({"BAR", "WARPSYNC"})


@dataclass
class Slice:
    """`kept`: by index. `values`: the spaces of memory whose contents matter. `constants`: the loads of constants whose
    value does."""

    kept: list[bool]
    values: set[str] = field(default_factory=set)
    constants: set[int] = field(default_factory=set)


def space(one: Instruction) -> str:
    """The memory that an access goes to. A copy to shared memory counts as global."""
    return "shared" if one.name in _SHARED else "local" if one.name in _LOCAL else "global"


def relevant(flow: Flow) -> Slice:
    """The slice of a kernel's machine code that decides its accesses to memory."""
    slicer = _Slicer(flow)
    while True:
        before = (slicer.out.kept.copy(), set(slicer.out.values))
        slicer.decided()
        slicer.needed()
        slicer.met()
        if before == (slicer.out.kept, slicer.out.values):
            return slicer.out


def _root(one: Instruction) -> bool:
    return one.name in MEMORY | _STRUCTURE | {"LDC"} or (one.name == "EXIT" and one.guard is None)


class _Slicer:
    """The slice so far, and what is needed before each instruction."""

    def __init__(self, flow: Flow) -> None:
        self.flow, self.code = flow, flow.code
        self.out = Slice([_root(one) for one in flow.code])
        self._live = [0] * (flow.end + 1)
        self._before: list[list[int]] = [[] for _ in range(flow.end + 1)]
        for i, after in enumerate(flow.successors):
            for at in after:
                self._before[at].append(i)
        self._returns_to = [call + 1 for call in flow.calls]
        returns = [i for i, one in enumerate(self.code) if one.name == "RET"]
        for call in flow.calls:
            self._before[flow.target(self.code[call])].append(call)
            self._before[call + 1] += returns
        self._bodies = _bodies(flow)
        self._writes = [writes(one) for one in self.code]
        # What a call does not write is needed behind it or not, whatever is needed behind other calls of the same code.
        self._returned = dict.fromkeys(returns, 0)
        for body in self._bodies.values():
            written = need.everywhere(functools.reduce(operator.or_, (self._writes[i] for i in body), 0))
            for i in body:
                if i in self._returned:
                    self._returned[i] |= written
        self._condition = [need.literal(one.guard) for one in self.code]
        self._guards = [0 if one.guard is None else bit(one.guard) for one in self.code]
        self._reads: dict[tuple[int, bool], int] = {}

    def met(self) -> None:
        """Where values go through shared or global memory, what orders them matters."""
        for i, one in enumerate(self.code):
            if one.name in _MEETING and self.out.values & {"shared", "global"}:
                self.out.kept[i] = True

    def decided(self) -> None:
        """Keeps the branches that decide whether something kept runs."""
        work = [i for i, kept in enumerate(self.out.kept) if kept and self.code[i].name not in _STRUCTURE]
        seen = set(work)
        while work:
            for branch in self.flow.deciders[work.pop()]:
                self.out.kept[branch] = True
                if branch not in seen:
                    seen.add(branch)
                    work.append(branch)

    def needed(self) -> None:
        """Keeps what computes a register that something kept reads, from the end backwards until nothing is new."""
        waiting = set(range(self.flow.end))
        order = [-i for i in waiting]
        heapq.heapify(order)
        while order:
            i = -heapq.heappop(order)
            waiting.discard(i)
            after = self._after(i)
            if i in self._bodies:
                self._called(i, need.anyhow(after))
            values = len(self.out.values)
            self._keep(i, after)
            before = self._need_before(i, after)
            again: Sequence[int] = range(self.flow.end) if len(self.out.values) != values else ()
            if before != self._live[i]:
                self._live[i] = before
                again = again or self._before[i]
            for at in again:
                if at not in waiting:
                    waiting.add(at)
                    heapq.heappush(order, -at)

    def _after(self, i: int) -> int:
        """What is needed behind an instruction; behind a branch only on the way that its guard lets it go."""
        successors, one = self.flow.successors[i], self.code[i]
        condition = self._condition[i]
        if len(successors) == 2 and condition is not None and not one.operands:
            taken, follows = (self._live[at] for at in successors)
            return need.join(need.only(taken, condition), need.only(follows, condition ^ 1))
        after = self._live[successors[0]]
        for at in successors[1:]:
            after = need.join(after, self._live[at])
        if one.name == "RET":
            for at in self._returns_to:
                after = need.join(after, self._live[at] & self._returned[i])
        elif i in self._bodies:
            after = need.join(after, self._live[self.flow.target(one)])
        return after

    def _keep(self, i: int, after: int) -> None:
        """Keeps an instruction that writes what is needed behind it."""
        one, out = self.code[i], self.out
        wanted = self._writes[i] and self._writes[i] & need.where(after, self._condition[i])
        if wanted:
            out.kept[i] = True
        if wanted and one.name == "LDC":
            out.constants.add(i)
        if wanted and one.name in LOADS | ATOMICS:
            out.values.add(space(one))

    def _need_before(self, i: int, after: int) -> int:
        if not self.out.kept[i]:
            return after
        one, condition = self.code[i], self._condition[i]
        if self._writes[i] and (condition is not None or one.guard is None):
            after = need.written(after, self._writes[i], condition)
        guard, values = self._guards[i], space(one) in self.out.values
        wanted = self._reads.get((i, values))
        if wanted is None:
            wanted = self._reads[i, values] = reads(one, values) & ~guard
        return need.read(need.read(after, wanted, condition), guard, None)

    def _called(self, call: int, after: int) -> None:
        """Keeps a call that computes something needed or accesses memory."""
        body = self._bodies[call]
        kept = self.out.kept
        makes = any(kept[i] and self.code[i].name not in _STRUCTURE and self.code[i].name != "EXIT" for i in body)
        if kept[call] or makes or any(self._writes[i] & after for i in body):
            kept[call] = True
            for i in body:
                ends = self.code[i].name in ("RET", "CALL") or self.flow.post_dominator[i] in (-1, self.flow.end)
                kept[i] = kept[i] or ends


def _bodies(flow: Flow) -> dict[int, list[int]]:
    """For each call the instructions that it may run."""
    out = {}
    for call in flow.calls:
        seen: set[int] = set()
        work = [flow.target(flow.code[call])]
        while work:
            i = work.pop()
            if i in seen or i >= flow.end:
                continue
            seen.add(i)
            work.extend(flow.successors[i])
            if i in flow.calls:
                work.append(flow.target(flow.code[i]))
        if call in seen:
            raise Unreadable("CALL")  # of a function by itself: how deep is not followed
        out[call] = sorted(seen)
    return out
