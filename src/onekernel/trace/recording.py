"""One launch, recorded: the requests of a warp with each lane's address, and its block's phases between barriers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from onekernel import simulator
from onekernel.backends.base import Finding
from onekernel.backends.call_arguments import Argument, about, buffers
from onekernel.counts import SECTOR_BYTES, KernelCounts, LineCounts, Side
from onekernel.errors import UserError
from onekernel.messages import Message, say


class Want(NamedTuple):
    """A 4-byte word that a lane wants, counted from a multiple of 128 bytes, and the bank that it lies in."""

    lane: int
    word: int
    bank: int


@dataclass(frozen=True)
class Request:
    """One access of a warp: `offsets[k]` is the byte at which lane `lanes[k]` accesses the array `name`.

    `space`: "global" or "shared"; `op`: "load", "store" or "atomic"; `shift`: the array's start past a multiple of
    128 bytes; `turn`: how often its instruction has come by then. What memory makes of it, the simulator has counted:
    the `sectors` of global memory, by number from that multiple on; of shared memory the `wavefronts` and, for each of
    the `parts` of the lanes that are served together, what they want.
    """

    file: str
    line: int
    space: str
    op: str
    bytes: int
    item: int
    name: str
    shift: int
    lanes: tuple[int, ...]
    offsets: tuple[int, ...]
    turn: int
    sectors: tuple[int, ...]
    wavefronts: int
    parts: tuple[tuple[Want, ...], ...]

    def addresses(self) -> list[int]:
        """Bytes from a multiple of 128 at or before the array's start, one for each lane that took part."""
        return [self.shift + offset for offset in self.offsets]

    def bytes_used(self) -> int:
        """Distinct bytes that some lane asked for."""
        return len({a + b for a in self.addresses() for b in range(self.bytes)})

    def bytes_moved(self) -> int:
        return len(self.sectors) * SECTOR_BYTES


@dataclass(frozen=True)
class Phase:
    """A block from one barrier to the next: requests of each warp, and its lanes that reached the barrier at the end.

    `line` is that barrier's; None where the kernel ends instead.
    """

    line: int | None
    global_requests: tuple[int, ...]
    shared_requests: tuple[int, ...]
    arrived: tuple[int, ...]


@dataclass(frozen=True)
class Recording:
    """A launch of the file `source` in the simulator: its counts, and what one warp and its block did."""

    source: Path
    counts: KernelCounts
    warp: int
    requests: tuple[Request, ...]
    phases: tuple[Phase, ...]
    findings: tuple[Finding, ...]
    about: str = ""  # the sizes and the element type

    @property
    def kernel(self) -> str:
        """The kernel's bare name."""
        return self.counts.kernel.partition("(")[0].partition("<")[0]

    @property
    def warps(self) -> int:
        """Of a block."""
        return -(-math.prod(self.counts.block) // 32)

    def banner(self) -> str | None:
        """What a reader of its pictures must know first: the results of this launch may be wrong."""
        wrong = [f for f in self.findings if f.severity == "error"]
        races = [f for f in wrong if f.code.startswith("race")]
        lines = sorted({f.line for f in races or wrong if f.line})
        if not wrong:
            return None
        key = f"trace.unsure-{'race' if races else 'other'}" if lines else "trace.unsure"
        return say(key, lines=", ".join(map(str, lines)))

    def text(self, line: int) -> str:
        """The source line, without its indentation and without a comment at its end."""
        lines = self.source.read_text(encoding="utf-8", errors="replace").splitlines()
        return lines[line - 1].partition("//")[0].strip() if 0 < line <= len(lines) else ""

    def _lines(self) -> list[LineCounts]:
        """The counts of the file's own lines, without those of headers."""
        return [n for n in self.counts.lines if Path(n.file).name == self.source.name]

    def heaviest(self, space: str, line: int | None = None) -> Request | None:
        """The request to draw: in global memory one of the loads or stores of a line that waste most bytes, where none
        does of those that move most; in shared memory the one with most wavefronts. The first of equals, loads before
        stores. With `line`, of that line alone."""
        found = (r for r in self.requests if r.space == space and line in (None, r.line))
        return max(found, key=self.weight, default=None)

    def weight(self, r: Request) -> tuple[float, float, bool, int]:
        """What makes a request of this launch worth drawing; greater is more. Requests of one space compare."""
        if r.space == "shared":
            return r.wavefronts, 0, r.op == "load", 0
        side = self._sides.get((r.line, r.op == "load")) if r.op != "atomic" else None
        waste, moved = (side.waste, side.sectors) if side else (0.0, 0.0)
        return waste, moved, r.op == "load", r.bytes_moved() - r.bytes_used()

    @cached_property
    def _sides(self) -> Mapping[tuple[int, bool], Side]:
        """Each of the file's own lines, and its loads or its stores."""
        return {(n.line, load): n.side(load) for n in self._lines() for load in (True, False)}


def record(
    path: Path, function: str, args: list[Argument], warp: int = 0, line: int | None = None,
    time_limit: float = 30.0, machine_code: bool = True, arch: str | None = None,
) -> Recording:
    """Runs the launcher in the simulator and records block 0. Of several kernels the one that has `line` is taken, else
    the one that moves most. `machine_code` and `arch`: see simulator.build. Raises BuildError, Unavailable, and
    UserError where no kernel ran."""
    program = simulator.build(path, "count", time_limit=time_limit, machine_code=machine_code, arch=arch)
    program.traced = (0, warp)
    report = program.call(function, buffers(args))
    kernels = [k for k in report.kernels if k.extra["trace"]["requests"] or k.extra["trace"]["phases"]]
    if line is not None:
        kernels = [k for k in kernels if any(n.line == line for n in k.lines)]
    if not kernels:
        if report.findings and line is None:
            raise UserError(Message("trace.stopped", {"finding": str(report.findings[0])}))
        key = "trace.no-line" if line is not None else "trace.no-kernel"
        raise UserError(Message(key, {"file": path.name, "line": line or 0}))
    kernel = max(kernels, key=lambda k: sum(v for name, v in k.metrics.items() if "sectors" in name))
    recording = recording_of(kernel, program.source.path, report.findings, warp, about(args))
    if warp >= recording.warps:
        raise UserError(Message("trace.no-warp", {"warp": warp, "last": recording.warps - 1}))
    return replace(recording, source=path)


def recording_of(
    kernel: KernelCounts, source: Path, findings: tuple[Finding, ...], warp: int, about: str
) -> Recording:
    """What a launch that was counted with TRACE did in the lines of `source`."""
    trace = kernel.extra["trace"]
    return Recording(
        source=source,
        counts=kernel,
        warp=warp,
        requests=tuple(_request(r) for r in trace["requests"] if Path(r["file"]) == source),
        phases=tuple(_phase(p) for p in trace["phases"]),
        findings=findings,
        about=about,
    )


def _request(r: Mapping[str, Any]) -> Request:
    return Request(
        file=r["file"], line=r["line"], space="shared" if r["shared"] else "global",
        op="atomic" if r["atomic"] else "store" if r["write"] else "load", bytes=r["bytes"], item=r["item"],
        name=r["name"], shift=r["shift"], lanes=tuple(r["lanes"]), offsets=tuple(r["offsets"]),
        turn=r["turn"], sectors=tuple(r["sectors"]), wavefronts=r["wavefronts"],
        parts=tuple(tuple(Want(*want) for want in part) for part in r["parts"]),
    )  # fmt: skip


def _phase(p: Mapping[str, Any]) -> Phase:
    return Phase(p["line"] or None, tuple(p["global"]), tuple(p["shared"]), tuple(p["arrived"]))
