"""What a kernel touches in the interpreter: every load and store is checked against the tensors and counted.

The interpreter's pointers are real addresses, and it believes every one of them: a load beyond a tensor returns what
lies there, a store destroys it. Here the lanes that point outside are reported with their line and offsets and taken
out of the access: a stray load gives NaN (0 for integers), a stray store does nothing.

Counts are of elements that the program asks for, once for each element of a tile. A GPU may ask again, where the
compiler gives the same element to several threads; sectors and requests depend on that deal and are not counted here.

Each access is also asked for the time: a launch that takes too long is stopped, and told whether it made progress.
"""

from __future__ import annotations

import linecache
import pickle
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from types import NoneType
from typing import Any

import numpy as np

from onekernel.backends.base import Finding
from onekernel.counts import ATOMICS, BYTES_LOADED, BYTES_STORED, BufferTraffic, KernelCounts
from onekernel.messages import Message
from onekernel.triton.faults import Stop
from onekernel.triton.memory import SEAL, TELL

CHAPTER = "03-triton#masks"
CHAPTER_OF_TIME = "01-06-errors#errors"
MAX_FINDINGS = 8
MOST_MARKED = 1 << 30  # bytes of a tensor of which it is kept which were touched
# Of a call, on the wall: a little less than supervisor.py waits for one, which can only say that it took too long.
SECONDS = 36.0
OF_ONE = 0.5  # of the time, in one program: it is that program's


@dataclass
class Region:
    """A tensor's own memory: rows of `cols` elements, `stride` apart, from address `start` up to `end` (exclusive)."""

    name: str
    start: int
    end: int
    itemsize: int
    rows: int
    cols: int
    stride: int
    writable: bool = True
    contract: bool = False  # one of the call's own tensors, not scratch memory
    loaded: int = 0
    stored: int = 0
    seen: dict[str, np.ndarray] = field(default_factory=dict)
    pages: Any = None  # of a tensor larger than memory: sparse.Pages
    blind: bool = False  # torch was to fill it, and has not: it is larger than memory

    def holds(self, first: np.ndarray, itemsize: int, store: bool) -> np.ndarray:
        """Which accesses at addresses `first` lie inside. A store must also keep out of the gaps between rows."""
        inside = (first >= self.start) & (first + itemsize <= self.end)
        if store and self.stride > self.cols and self.rows > 1:
            column = (first - self.start) // self.itemsize % self.stride
            inside &= column < self.cols
        return inside

    def count(self, first: np.ndarray, itemsize: int, kind: str) -> None:
        if self.pages is not None:
            self.pages.touched(first - self.start, itemsize, kind)
        if self.end - self.start > MOST_MARKED:
            return
        if kind not in self.seen:
            self.seen[kind] = np.zeros(self.end - self.start, bool)
        for byte in range(itemsize):
            self.seen[kind][first - self.start + byte] = True

    def traffic(self) -> BufferTraffic:
        unique = {kind: int(bytes_.sum()) for kind, bytes_ in self.seen.items()}
        return BufferTraffic(self.name, self.loaded, self.stored, unique.get("load", 0), unique.get("store", 0))


class Watch:
    """Checks and counts the accesses of the kernels that run while it is `active`."""

    active: Watch | None = None

    def __init__(self, file: str, known: Iterable[Region]) -> None:
        self.file = file
        self.known = list(known)
        self.regions: list[Region] = []
        self.findings: list[Finding] = []
        self.kernels: list[KernelCounts] = []
        self.program: tuple[int, ...] = (0, 0, 0)
        self.in_place = False  # whether the output is the input, too: what it writes, it has read
        self.patience = Patience()
        self.configurations = 0  # of the autotuner that has most
        self._widest = 0  # elements of the widest access of a program
        self._metrics: dict[str, float] = {}
        self._told: set[tuple[str, int | None, str]] = set()
        self._of_launch: list[Finding] = []  # found since its first program began

    def __enter__(self) -> Watch:
        Watch.active = self
        return self

    def __exit__(self, *_: object) -> None:
        Watch.active = None

    @property
    def sizes(self) -> tuple[int, int]:
        """The rows and columns of the call."""
        return self.known[0].rows, self.known[0].cols

    def metric(self, name: str) -> float:
        """A count of the last launch."""
        return self._metrics.get(name, 0.0)

    def blame(self, finding: Finding) -> None:
        """Reports, before all else, what may explain the rest."""
        if (finding.code, finding.line) not in [(f.code, f.line) for f in self.findings]:
            self.findings.insert(0, finding)

    def begin(self, tensors: Iterable[tuple[str, Any]]) -> None:
        """A launch starts: its tensor arguments, by parameter name, are what it may touch."""
        self.regions = [replace(r, loaded=0, stored=0, seen={}) for r in self.known]
        for name, tensor in tensors:
            storage = tensor.untyped_storage()
            start = storage.data_ptr()
            if any(r.start < start + storage.nbytes() and start < r.end for r in self.regions):
                continue  # a view of one of the call's own tensors
            size = tensor.element_size()
            elements = storage.nbytes() // size
            self.regions.append(Region(name, start, start + storage.nbytes(), size, 1, elements, elements))
        self.patience.launch()
        self._widest = 0
        self._metrics = {BYTES_LOADED: 0.0, BYTES_STORED: 0.0, ATOMICS: 0.0}

    def stand_in(self, made: Any, source: Any) -> None:
        """A tensor larger than memory that torch was to fill from another one, or with a number: what programs do there
        counts as done to the tensor of the call that it was filled from."""
        start = made.untyped_storage().data_ptr()
        of = source.untyped_storage().data_ptr() if source is not None else 0
        name = next((r.name for r in self.known if r.start <= of < r.end), "")
        size, elements = made.element_size(), made.untyped_storage().nbytes() // made.element_size()
        self.known.append(Region(name, start, start + size * elements, size, 1, elements, elements, contract=bool(name),
                                 blind=True))  # fmt: skip

    def stands_in(self, tensor: Any) -> bool:
        """Whether it is such a tensor."""
        at = tensor.untyped_storage().data_ptr()
        return any(r.blind and r.start <= at < r.end for r in self.known)

    @property
    def samples(self) -> bool:
        """Whether some programs of a launch run, and not all."""
        return any(r.pages is not None for r in self.known)

    def begin_anew(self) -> None:
        """The first program is about to run: what was counted since `begin`, a file may have written there."""
        self.regions = [replace(r, loaded=0, stored=0, seen={}) for r in self.regions]
        self._widest, self._of_launch, self.program = 0, [], (0, 0, 0)
        self._metrics = {BYTES_LOADED: 0.0, BYTES_STORED: 0.0, ATOMICS: 0.0}

    def is_whole(self) -> bool:
        """Whether everything in it is of Python's classes and of the watch's own: a method of a file's would run inside
        the kernel, which asks the watch at each access."""
        held = {**vars(self), "_of_launch": None, "program": None}  # which begin anew
        # Of what was found and counted a kernel asks how much it is.
        lists = held.pop("findings", None), held.pop("kernels", None)
        return type(self) is Watch and all(type(n) is list for n in lists) and _is_whole(held)

    def end(self, kernel: str, asked_for: tuple[int, int, int], warps: int) -> None:
        """The last program has run: what was counted is kept, by the keeper, too, where a file does not find it."""
        x, y, z = asked_for
        grid = int(x), int(y), int(z)
        ran = prod(len(getattr(n, "chosen", range(n))) for n in asked_for)
        buffers = tuple(r.traffic() for r in self.regions if r.contract)
        talks = any(r.stored for r in self.regions if not r.contract)  # programs leave each other words
        blind = any(r.blind and r.loaded + r.stored for r in self.regions)
        shape, extra = (32 * warps, 1, 1), {"widest": self._widest, "configurations": self.configurations}
        extra |= {"ran": ran, "talks": int(talks), "blind": int(blind)}
        metrics = {**self._metrics}
        counts = KernelCounts(kernel, grid, shape, 0, None, metrics, buffers, source="interpreter", extra=extra)
        sys.audit(SEAL, pickle.dumps((counts, self._of_launch)))
        self.kernels.append(counts)

    def access(self, kind: str, pointers: np.ndarray, mask: np.ndarray, itemsize: int) -> np.ndarray:
        """Checks one tl.load ("load"), tl.store ("store") or atomic. Returns the mask without the stray lanes."""
        if pointers.shape != mask.shape:
            pointers, mask = np.broadcast_arrays(pointers, mask)
        self._widest = max(self._widest, pointers.size)
        asked = mask.astype(bool)
        first = pointers[asked].astype(np.int64)
        store = kind != "load"
        good = np.zeros(first.shape, bool)
        for region in self.regions:
            inside = region.holds(first, itemsize, store)
            held = int(np.count_nonzero(inside))
            if not held:
                continue
            there = first if held == first.size else first[inside]
            if store and not region.writable:
                self._report("write-to-input", kind, region, there, first.size)
            region.count(there, itemsize, "store" if store else "load")
            region.stored += held * itemsize if store else 0
            region.loaded += 0 if store else held * itemsize
            good |= inside
            if held == first.size:
                break  # no two regions share a byte
        right = int(np.count_nonzero(good))
        self._metrics[BYTES_STORED if store else BYTES_LOADED] += right * itemsize
        self._metrics[ATOMICS] += right if kind == "atomic" else 0
        if right == first.size:
            return asked
        self._blame(kind, first[~good], first.size)
        allowed = np.zeros(mask.shape, bool)
        allowed[asked] = good
        return allowed

    def _blame(self, kind: str, stray: np.ndarray, lanes: int) -> None:
        """Charges the stray lanes to the tensor that they are nearest to."""
        if not self.regions:
            return

        def distance(region: Region) -> int:
            return int(np.minimum(np.abs(stray - region.start), np.abs(stray - region.end)).min())

        code = "out-of-bounds-read" if kind == "load" else "out-of-bounds-write"
        self._report(code, kind, min(self.regions, key=distance), stray, lanes)

    def _report(self, code: str, kind: str, region: Region, addresses: np.ndarray, lanes: int) -> None:
        line = self.line()
        if (code, line, region.name) in self._told or len(self.findings) >= MAX_FINDINGS:
            return
        self._told.add((code, line, region.name))
        offsets = (addresses - region.start) // region.itemsize
        first, last = int(offsets.min()), int(offsets.max())
        values = {
            "line": line or "?",
            "call": {"load": "tl.load", "store": "tl.store", "atomic": "tl.atomic"}[kind],
            "name": region.name,
            "program": ", ".join(map(str, self.program)),
            "count": len(offsets),
            "lanes": lanes,
            "where": Message(f"triton.at-offset{'s' * (first < last)}", {"first": first, "last": last}),
            "end": (end := (region.end - region.start) // region.itemsize - 1),
            "advice": Message("triton.advice-block" if _by_block(self.file, line) else f"triton.advice-{kind}"),
            **_in_rows(region, first),
        }
        no_work = code.startswith("out") and len(offsets) == lanes and self.program[0] >= region.rows and first > end
        key = "triton.out-of-bounds-program" if no_work else f"triton.{code}"
        found = Finding(code, Message(key, values), self.file, line, chapter=CHAPTER)
        self.findings.append(found)
        self._of_launch.append(found)

    def line(self) -> int | None:
        """The line of the learner's file that is being executed."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None


def _by_block(file: str | None, line: int | None) -> bool:
    """Whether the access of that line has a boundary check: its pointer is a block's."""
    return "boundary_check" in linecache.getline(file or "", line or 0)


def _in_rows(region: Region, first: int) -> dict[str, Message | str]:
    """How a tensor lies in memory and where in it an offset is, told in rows where it has more than one."""
    if region.rows == 1 or not region.stride:
        return {"holds": Message("triton.holds-elements", {"cols": region.rows * region.cols}), "at": "", "gaps": ""}
    rows = {"rows": region.rows, "cols": region.cols, "stride": region.stride}
    row, col = divmod(first, region.stride)
    return {
        "holds": Message("triton.holds-rows", rows),
        "at": Message("triton.stray-at", {"row": row, "col": col}),
        "gaps": Message("triton.not-the-gaps") if region.stride > region.cols else "",
    }


def sealed() -> tuple[list[KernelCounts], list[Finding]]:
    """What the launches of the last call were counted to do, and what was found in them, as the keeper has it."""
    texts: list[bytes] = []
    sys.audit(TELL, texts)
    both: list[tuple[KernelCounts, list[Finding]]] = [pickle.loads(text) for text in texts]
    return [counts for counts, _ in both], [found for _, some in both for found in some]


_PLAIN = (str, int, float, bool, bytes, NoneType, np.ndarray)
_DEEP = 16


parts_of_pages: tuple[type, ...] = ()
"""The classes of what a Region's `pages` are and hold."""


def _is_whole(value: Any, depth: int = 0) -> bool:
    kind = type(value)
    if kind in _PLAIN:
        return kind is not np.ndarray or not value.dtype.hasobject
    if depth > _DEEP:
        return False
    if kind is dict:
        return all(_is_whole(v, depth + 1) for pair in value.items() for v in pair)
    if kind in (list, tuple, set):
        return all(_is_whole(v, depth + 1) for v in value)
    return kind in (Region, Patience, Finding, *parts_of_pages) and _is_whole(vars(value), depth + 1)


def found_of_its_own(findings: Any) -> list[Finding] | None:
    """The findings, unless a file has laid something else among them."""
    if type(findings) is not list or any(type(f) is not Finding or type(f.message) is not Message for f in findings):
        return None
    return [*findings]


class Patience:
    """Of one call: asked at each access to memory. Programs run one after another. Where one of them alone has taken
    most of the time, a loop in it does not end; where they come and go, there are too many of them, or of launches."""

    def __init__(self) -> None:
        self._began = self._launched = self._program_began = time.monotonic()
        self._program: Sequence[int] = ()

    def launch(self) -> None:
        self._launched = self._program_began = time.monotonic()
        self._program = ()

    def ask(self, program: Sequence[int], grid: Sequence[int], launches: int) -> None:
        """Raises Stop where the call has taken its time."""
        now = time.monotonic()
        if program != self._program:
            self._program, self._program_began = program, now
        if now - self._began < SECONDS:
            return
        values = {"seconds": round(SECONDS), "program": ", ".join(map(str, program))}
        if now - self._program_began > OF_ONE * SECONDS:
            raise Stop(Finding("time-limit", Message("triton.time-limit", values), chapter=CHAPTER_OF_TIME))
        x, y, z = program
        done, programs = (x * grid[1] + y) * grid[2] + z, grid[0] * grid[1] * grid[2]
        spent = now - self._launched
        if launches and spent < OF_ONE * SECONDS:
            values |= {"number": launches + 1, "grid": ", ".join(map(str, grid))}
            raise Stop(Finding("time-limit", Message("triton.time-limit-late", values), chapter=CHAPTER_OF_TIME))
        values |= {"done": done, "programs": programs, "needed": round(spent * programs / max(done, 1))}
        raise Stop(Finding("time-limit", Message("triton.time-limit-slow", values), chapter=CHAPTER_OF_TIME))
