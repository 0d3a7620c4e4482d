"""Gives every moment of the profiled time to one of five bottlenecks, of which the largest binds (chapter 05).

On a GPU, in this order: a kernel that computes, a kernel that moves bytes, a collective, a copy between host and GPU
or a wait for a data loader, a collective of the host; what is left is launch overhead: the GPU waits for the host, or
runs a kernel too short to do anything but start and end. Without a GPU the operators of the host stand for kernels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from onekernel.bench.cards import card_named
from onekernel.explain import costs
from onekernel.explain.chrome import COPY, KERNEL, MARK, ON_DEVICE, OP, SET, STEP, WAIT, Event, Trace
from onekernel.explain.costs import Cost
from onekernel.explain.intervals import Interval, Moments, both, length, minus, union
from onekernel.explain.owners import Launched, kept_bytes, launched, own_time

COMPUTE, MEMORY, LAUNCH, DATA, COMMUNICATION = BOTTLENECKS = ("compute", "memory", "launch", "data", "communication")
SHORT = 5.0  # microseconds: a kernel's start and end alone take two to three
_LOADER = re.compile(r"DataLoader")
_HOST_COLLECTIVE = re.compile(r"^(c10d::|gloo:|nccl:|mpi:|ucc:)")
_HOST_EXCHANGE = re.compile(r"^(gloo:|mpi:|ucc:)")  # with a GPU, the host's side of a collective of NCCL is a launch
_HOST_COPY = re.compile(r"HtoD|DtoH", re.IGNORECASE)


@dataclass(frozen=True)
class Roofs:
    """What bounds the work: bytes/s, and FLOP/s of fp32; by the table of cards, or as the recorder measured them."""

    bandwidth: float
    fp32: float
    card: Any = None

    def flops(self, cost: Cost, kernel: str) -> float:
        """FLOP/s that bound a kernel of that cost; 0 where none is known."""
        return costs.peak(self.card, cost, kernel) if self.card else self.fp32 if cost.dtype in ("float", "") else 0.0


@dataclass(frozen=True)
class Piece:
    """A stretch of work: its moments, its name, the operator behind it, its cost, and which roof is nearer."""

    start: float
    end: float
    name: str
    op: Event | None
    cost: Cost
    bound: str

    @property
    def duration(self) -> float:
        return self.end - self.start

    @property
    def short(self) -> bool:
        return self.duration < SHORT


class Explained:
    """What a trace says. Times in microseconds, as the trace has them."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.roofs = _roofs(trace)
        self.launched: list[Launched] = launched(trace)

    @property
    def on_gpu(self) -> bool:
        return bool(self.launched)

    @cached_property
    def window(self) -> Interval:
        """The profiled time: our recorder's mark; else the profiler's steps; else from the first event to the last."""
        marks = [m for m in self.trace.of(MARK) if m.name == STEP]
        marks = marks or [m for m in self.trace.of(MARK) if m.name.startswith("ProfilerStep#")]
        every = marks or self.trace.of(OP, "call", *ON_DEVICE)
        end = max(e.end for e in every)
        if marks and not any(m.name == STEP for m in marks):  # what a step launched may still run when the step ends
            end = max([end, *(w.work.end for w in self.launched)])
        return min(e.start for e in every), end

    @property
    def microseconds(self) -> float:
        return self.window[1] - self.window[0]

    @cached_property
    def pieces(self) -> list[Piece]:
        """The work in the window: kernels, or without a GPU the stretches in which an operator is the innermost one."""
        return self._of_gpu() if self.on_gpu else self._of_cpu()

    def _of_gpu(self) -> list[Piece]:
        found: list[Piece] = []
        mine: dict[int, list[Launched]] = {}
        for one in self.launched:
            if one.op is not None and one.work.kind == KERNEL:
                mine.setdefault(id(one.op), []).append(one)
        ops = {id(o.op): o.op for o in self.launched if o.op is not None}
        kept = kept_bytes(self.trace, list(ops.values()))
        for one in self.launched:
            cost = Cost(0.0, 0.0)
            if one.op is not None and one.work.kind == KERNEL:
                whole = costs.of(one.op, kept[id(one.op)])
                took = sum(o.work.duration for o in mine[id(one.op)])
                share = one.work.duration / took if took else 0.0
                cost = whole.part(share)
            bound = self._bound(one.work, cost)
            found.append(Piece(one.work.start, one.work.end, one.work.name, one.op, cost, bound))
        return [p for p in found if p.end > self.window[0] and p.start < self.window[1]]

    def _of_cpu(self) -> list[Piece]:
        ops = self.trace.of(OP)
        kept = kept_bytes(self.trace, ops)
        cost_of = own_costs(ops, {id(op): costs.of(op, kept[id(op)]) for op in ops})
        whole: dict[int, float] = {}
        stretches = list(own_time(ops))
        for start, end, op in stretches:
            whole[id(op)] = whole.get(id(op), 0.0) + end - start
        found = []
        for start, end, op in stretches:
            cost = cost_of[id(op)]
            share = (end - start) / (whole[id(op)] or 1.0)
            cost = cost.part(share)
            if not cost:
                continue
            found.append(Piece(start, end, op.name, op, cost, self._nearer(cost, "")))
        return [p for p in found if p.end > self.window[0] and p.start < self.window[1]]

    def _bound(self, work: Event, cost: Cost) -> str:
        if work.kind == KERNEL and costs.is_collective(work.name):
            return COMMUNICATION
        if work.kind == COPY and _HOST_COPY.search(work.name):
            return DATA
        if work.kind in (COPY, SET):
            return MEMORY
        if not cost:
            return COMPUTE if costs.looks_like_product(work.name) else MEMORY
        return self._nearer(cost, work.name)

    def _nearer(self, cost: Cost, kernel: str) -> str:
        """The roof under which the work must take longer."""
        peak = self.roofs.flops(cost, kernel)
        if not peak or not self.roofs.bandwidth:
            return COMPUTE if cost.product or (kernel and costs.looks_like_product(kernel)) else MEMORY
        return COMPUTE if cost.flops / peak > cost.bytes / self.roofs.bandwidth else MEMORY

    @cached_property
    def moments(self) -> Mapping[str, Moments]:
        """For each bottleneck the moments of the window that are its own; together they are the window."""
        left: Moments = [self.window]
        found: dict[str, Moments] = {name: [] for name in BOTTLENECKS}
        working = [p for p in self.pieces if not p.short or p.bound in (COMMUNICATION, DATA)]
        layers = [(b, [(p.start, p.end) for p in working if p.bound == b]) for b in (COMPUTE, MEMORY, COMMUNICATION)]
        waits = [(m.start, m.end) for m in self.trace.of(MARK, OP) if _LOADER.search(m.name)]
        layers.append((DATA, [(p.start, p.end) for p in working if p.bound == DATA] + waits))
        if not self.on_gpu:
            layers.insert(0, layers.pop())  # what a loader computes on the host is the loader's
        exchanges = _HOST_EXCHANGE if self.on_gpu else _HOST_COLLECTIVE
        host = [(m.start, m.end) for m in self.trace.of(MARK, OP) if exchanges.match(m.name)]
        layers.append((COMMUNICATION, host))
        for name, intervals in layers:
            taken = both(left, union(intervals))
            found[name] = union([*found[name], *taken])
            left = minus(left, taken)
        found[LAUNCH] = left
        return found

    @cached_property
    def shares(self) -> dict[str, float]:
        """The part of the window that belongs to each bottleneck; they sum to one."""
        return {name: length(self.moments[name]) / (self.microseconds or 1.0) for name in BOTTLENECKS}

    @property
    def binds(self) -> str:
        """The bottleneck with the largest share; of equal ones the first of BOTTLENECKS."""
        return max(BOTTLENECKS, key=lambda name: self.shares[name])

    @cached_property
    def busy(self) -> Moments:
        """When the device (without a GPU: an operator) works at something, copies included."""
        if self.on_gpu:
            working = union((w.work.start, w.work.end) for w in self.launched)
        else:
            working = union((op.start, op.end) for op in self.trace.of(OP))
        return both([self.window], working)

    @property
    def gaps(self) -> Moments:
        """When it does nothing."""
        return minus([self.window], self.busy)

    def of_roof(self, bound: str) -> float:
        """The part of its roof that the work under it reaches, by the least bytes or FLOPs; 0 where none is known."""
        known = [p for p in self.pieces if p.bound == bound and p.cost and not p.short and self.least(p) > 0]
        took = sum(p.duration for p in known)
        return sum(self.least(p) for p in known) / took if took else 0.0

    def least(self, piece: Piece) -> float:
        """The least time of a piece under its roof, microseconds; 0 where unknown."""
        if piece.bound == COMPUTE:
            peak = self.roofs.flops(piece.cost, piece.name if self.on_gpu else "")
            return 1e6 * piece.cost.flops / peak if peak else 0.0
        return 1e6 * piece.cost.bytes / self.roofs.bandwidth if self.roofs.bandwidth else 0.0


def own_costs(ops: Sequence[Event], cost_of: Mapping[int, Cost]) -> dict[int, Cost]:
    """The costs of operators, by id(), without those of an operator that only calls others: half of its bytes are
    theirs."""
    inner: dict[int, float] = {}
    stack: list[Event] = []
    for op in sorted(ops, key=lambda e: (e.thread, e.start, -e.end)):
        while stack and (stack[-1].thread != op.thread or stack[-1].end <= op.start):
            stack.pop()
        for outer in stack[-1:]:
            inner[id(outer)] = inner.get(id(outer), 0.0) + cost_of[id(op)].bytes
        stack.append(op)
    nothing = Cost(0.0, 0.0)
    # From the outside in: what an operator that calls others hands down is counted where the work is done.
    return {id(op): nothing if 2 * inner.get(id(op), 0.0) >= cost_of[id(op)].bytes else cost_of[id(op)] for op in ops}


def _roofs(trace: Trace) -> Roofs:
    card = card_named(trace.card) if trace.card else None
    if card:
        return Roofs(card.bandwidth, card.fp32, card)
    measured = trace.about.get("roofs")
    found = [measured.get(k) if isinstance(measured, dict) else None for k in ("bandwidth", "fp32")]
    bandwidth, fp32 = (float(v) if isinstance(v, int | float) and v > 0 else 0.0 for v in found)
    return Roofs(bandwidth, fp32)


def waits_of(trace: Trace) -> Sequence[Event]:
    """Our own recorder's wait at the end of a step: nobody's synchronisation."""
    return [m for m in trace.of(MARK) if m.name == WAIT]
