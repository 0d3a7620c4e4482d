"""Which operator launched what: kernels joined with calls by their correlation, calls with the innermost operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onekernel.explain.chrome import CALL, MEMORY, ON_DEVICE, OP, Event, Thread, Trace


@dataclass(frozen=True)
class Launched:
    """A piece of work on the device, the call that launched it and the operator that made the call, where known."""

    work: Event
    call: Event | None
    op: Event | None


def launched(trace: Trace) -> list[Launched]:
    """Everything that ran on a device, in order."""
    calls = {c.correlation: c for c in trace.of(CALL) if c.correlation}
    inner = Innermost(trace.of(OP))
    by_id = {e.args["External id"]: e for e in trace.of(OP) if isinstance(e.args.get("External id"), int)}
    found = []
    for work in trace.of(*ON_DEVICE):
        call = calls.get(work.correlation) if work.correlation else None
        op = inner.at(call.thread, call.start) if call else None
        given = work.args.get("External id")
        found.append(Launched(work, call, op or (by_id.get(given) if isinstance(given, int) else None)))
    return found


class Innermost:
    """The innermost of nested events at a moment of a thread."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._pieces: dict[Thread, list[tuple[float, float, Event]]] = {}
        for start, end, event in own_time(events):
            self._pieces.setdefault(event.thread, []).append((start, end, event))

    def at(self, thread: Thread, moment: float) -> Event | None:
        import bisect

        pieces = self._pieces.get(thread, [])
        k = bisect.bisect_right(pieces, moment, key=lambda p: p[0]) - 1
        return pieces[k][2] if k >= 0 and moment <= pieces[k][1] else None


def own_time(events: Sequence[Event]) -> Iterator[tuple[float, float, Event]]:
    """The stretches (start, end, event) in which an event is the innermost one of its thread, thread by thread.

    Events of a thread nest. Where a clock's rounding makes one end after its parent, the parent's end holds.
    """
    threads: dict[Thread, list[Event]] = {}
    for event in events:
        threads.setdefault(event.thread, []).append(event)
    for mine in threads.values():
        open_: list[tuple[Event, float]] = []  # with the end that holds
        at = 0.0
        for event in sorted(mine, key=lambda e: (e.start, -e.end)):
            while open_ and open_[-1][1] <= event.start:
                last, end = open_.pop()
                if end > at:
                    yield at, end, last
                at = max(at, end)
            if open_ and event.start > at:
                yield at, event.start, open_[-1][0]
            at = max(at, event.start)
            open_.append((event, min(event.end, open_[-1][1]) if open_ else event.end))
        while open_:
            last, end = open_.pop()
            if end > at:
                yield at, end, last
            at = max(at, end)


def kept_bytes(trace: Trace, ops: Sequence[Event]) -> dict[int, float]:
    """For each operator, by its id(): bytes that it allocated and had not freed when it ended."""
    import bisect

    threads: dict[Thread, list[Event]] = {}
    for event in trace.of(MEMORY):
        threads.setdefault(event.thread, []).append(event)
    starts = {thread: [e.start for e in events] for thread, events in threads.items()}
    found = {}
    for op in ops:
        events = threads.get(op.thread, [])
        first = bisect.bisect_left(starts.get(op.thread, []), op.start)
        held: dict[object, float] = {}
        for event in events[first:]:
            if event.start > op.end:
                break
            size, address = event.args.get("Bytes"), event.args.get("Addr")
            if not isinstance(address, int | float | str | None):  # no address, whatever it is
                continue
            if isinstance(size, int | float) and size > 0:
                held[address] = held.get(address, 0.0) + size
            elif isinstance(size, int | float):
                held.pop(address, None)
        found[id(op)] = sum(held.values())
    return found
