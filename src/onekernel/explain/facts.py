"""What a trace shows besides the shares: kernels by name, synchronisations, copies, memory, and what gaps wait for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from onekernel.explain.chrome import CALL, COPY, KERNEL, MEMORY, OP, Event
from onekernel.explain.intervals import Interval, length, minus, union
from onekernel.explain.owners import Innermost
from onekernel.explain.shares import LAUNCH, Explained, Piece, waits_of

_SYNC = re.compile(r"Synchronize")
_ALLOCATES = re.compile(r"^(cuda|cu)(Malloc|MemAlloc|HostAlloc|MallocHost|Free|MemFree)", re.IGNORECASE)
_LAUNCH = re.compile(r"Launch")
_DIRECTION = re.compile(r"(HtoD|DtoH|DtoD|HtoH|PtoP)")
PYTHON = 100.0  # microseconds: far more than lies between two operators of a loop
GAP = 1.0  # microseconds: between two kernels of a full queue lies about as much


@dataclass(frozen=True)
class Row:
    """Work of one name (on a GPU a kernel, else an operator): how often, microseconds in all, who launched it."""

    name: str
    op: str
    count: int
    microseconds: float
    bound: str
    of_roof: float  # 0 where nothing is known


@dataclass(frozen=True)
class Waits:
    """Calls of the host that wait for the GPU, by the operator that made them."""

    count: int
    microseconds: float
    by: str


@dataclass(frozen=True)
class Copies:
    """Copies of one direction ("HtoD"): how many, bytes, microseconds."""

    direction: str
    count: int
    bytes: float
    microseconds: float


@dataclass(frozen=True)
class Memory:
    """Allocations of tensors: how many, bytes in all, the most at once, calls that asked the driver for more."""

    count: int
    bytes: float
    peak: float
    driver_calls: int


def rows(explained: Explained) -> list[Row]:
    """The work by name, what takes longest first."""
    pieces: dict[tuple[str, str], list[Piece]] = {}
    for piece in explained.pieces:
        pieces.setdefault((piece.name, _named(piece.op)), []).append(piece)
    found = [_row(explained, name, op, same) for (name, op), same in pieces.items()]
    return sorted(found, key=lambda r: -r.microseconds)


def _row(explained: Explained, name: str, op: str, same: Sequence[Piece]) -> Row:
    took = sum(p.duration for p in same)
    known = [p for p in same if p.cost]
    least = sum(explained.least(p) for p in known)
    worked = sum(p.duration for p in known)
    bound = max(same, key=lambda p: p.duration).bound
    # An operator's call is in pieces around the operators that it calls.
    count = len(same) if explained.on_gpu else len({id(p.op) for p in same})
    return Row(name, op, count, took, bound, least / worked if worked else 0.0)


def _named(op: Event | None) -> str:
    return op.name.removeprefix("aten::") if op else ""


def launches(explained: Explained) -> tuple[int, float]:
    """Calls of the host that launch something in the window, and the microseconds that it spends in them."""
    found = [c for c in explained.trace.of(CALL) if _LAUNCH.search(c.name) and _inside(c, explained.window)]
    return len(found), sum(c.duration for c in found)


def waits(explained: Explained) -> list[Waits]:
    """The synchronisations of the window but our recorder's own, those that take longest first."""
    own = waits_of(explained.trace)
    inner = Innermost(explained.trace.of(OP))
    found: dict[str, list[Event]] = {}
    for call in explained.trace.of(CALL):
        if not _SYNC.search(call.name) or not _inside(call, explained.window):
            continue
        if any(m.start <= call.start <= m.end for m in own):
            continue
        op = inner.at(call.thread, call.start)
        name = "item" if _named(op) == "_local_scalar_dense" else _named(op) or call.name
        found.setdefault(name, []).append(call)
    made = [Waits(len(calls), sum(c.duration for c in calls), name) for name, calls in found.items()]
    return sorted(made, key=lambda w: -w.microseconds)


def copies(explained: Explained) -> list[Copies]:
    """Copies to, from and on the GPU, by direction."""
    found: dict[str, list[Event]] = {}
    for event in explained.trace.of(COPY):
        direction = _DIRECTION.search(event.name)
        if _inside(event, explained.window):
            found.setdefault(direction[1] if direction else "-", []).append(event)
    return [Copies(direction, len(same), sum(_bytes(e) for e in same), sum(e.duration for e in same))
            for direction, same in sorted(found.items())]  # fmt: skip


def _bytes(event: Event) -> float:
    found = event.args.get("bytes")
    return float(found) if isinstance(found, int | float) else 0.0


def memory(explained: Explained) -> Memory:
    """What tensors took in the window, on the GPU where there is one."""
    device = 1 if explained.on_gpu else 0
    count, total, held, peak = 0, 0.0, 0.0, 0.0
    for event in explained.trace.of(MEMORY):
        size = event.args.get("Bytes")
        if event.args.get("Device Type") != device or not isinstance(size, int | float) or isinstance(size, bool):
            continue
        if not _inside(event, explained.window):
            continue
        held += size
        peak = max(peak, held)
        count, total = (count + 1, total + size) if size > 0 else (count, total)
    calls = [c for c in explained.trace.of(CALL) if _ALLOCATES.match(c.name) and _inside(c, explained.window)]
    return Memory(count, total, peak, len(calls))


def longest_gap(explained: Explained) -> tuple[Interval, str] | None:
    """The longest time without work, and the operator or call of the host in the middle of it ("": its own Python)."""
    gaps = [g for g in explained.gaps if g[1] - g[0] >= GAP]
    if not gaps:
        return None
    start, end = max(gaps, key=lambda g: g[1] - g[0])
    middle = (start + end) / 2
    within = [e for e in explained.trace.of(OP, CALL, "mark") if e.start <= middle <= e.end]
    within = [e for e in within if not e.name.startswith(("onekernel:", "ProfilerStep#"))]
    return (start, end), min(within, key=lambda e: e.duration).name if within else ""


def python_time(explained: Explained) -> float:
    """Microseconds of launch overhead in which the host was in no operator and no call of CUDA, in stretches of at
    least PYTHON: what the file does besides PyTorch."""
    trace, own = explained.trace, waits_of(explained.trace)
    known = union((e.start, e.end) for e in [*trace.of(OP, CALL), *own])
    return length(s for s in minus(explained.moments[LAUNCH], known) if s[1] - s[0] >= PYTHON)


def kernels(explained: Explained) -> list[Event]:
    """The kernels of the window, in order."""
    return [e for e in explained.trace.of(KERNEL) if _inside(e, explained.window)]


def product_share(explained: Explained) -> float:
    """The part of the kernels' time that matrix products take."""
    found = [p for p in explained.pieces if p.cost.product]
    return sum(p.duration for p in found) / (sum(p.duration for p in explained.pieces) or 1.0)


def _inside(event: Event, window: Interval) -> bool:
    return event.end >= window[0] and event.start <= window[1]


def short_name(name: str, most: int = 60) -> str:
    """A kernel's name without return type, namespaces, template arguments and parameters."""
    text = re.sub(r"^(void|int|float|auto) ", "", name.strip()).replace("(anonymous namespace)::", "")
    head, _, inner = text.partition("<")
    if re.fullmatch(r"(.*::)?[Kk]ernel\d?", head) and inner:  # CUTLASS: the name is the first argument
        text = inner
    text = re.split(r"[<(>]", text, maxsplit=1)[0] or name
    text = text.rpartition("::")[2] or text
    return text if len(text) <= most else text[: most - 1] + "…"
