"""A run as plain text: what was found, at which line; what each launch moved; how the program ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from onekernel import counts
from onekernel.backends.base import Finding
from onekernel.counts import SECTOR_BYTES, KernelCounts
from onekernel.cuda import nvcc
from onekernel.messages import say, written
from onekernel.numerals import Quantity
from onekernel.programs.data import exit_status
from onekernel.programs.executable import Run
from onekernel.simulator.program import COUNTING
from onekernel.simulator.read import around

MARKS = {"error": "✗", "warning": "!", "note": "–"}
MOST_LAUNCHES = 20  # in the text; the page and the JSON have them all
WORST = 5  # lines that waste most
WORTH_SAYING = 1.05


def lines_of(run: Run) -> Iterator[tuple[str, str]]:
    """(kind, text): "rule", "error", "warning", "note", "source", "plain" or "end". A finding's text is one line."""
    yield "rule", heading(run)
    for finding in run.findings:
        yield finding.severity, f"{MARKS.get(finding.severity, '–')} {finding}"
        source = around.line_of(finding.file, finding.line)
        if source:
            yield "source", f"    {finding.line} | {source}"
    if all(finding.severity == "note" for finding in run.findings):
        yield "plain", clean(run)
    if run.ignored:
        yield "plain", say("run.ignored", count=len(run.ignored))
    if run.mode in COUNTING:
        for kernel in run.kernels[:MOST_LAUNCHES]:
            yield "plain", launch_line(kernel)
        if len(run.kernels) > MOST_LAUNCHES:
            yield "plain", say("run.more-launches", count=len(run.kernels) - MOST_LAUNCHES)
        if not all(kernel.extra["exact_requests"] for kernel in run.kernels):
            yield "plain", say("run.split")
        if not all(kernel.extra["by_code"] for kernel in run.kernels):
            yield "plain", " ".join(say(f"run.{key}") for key in ("as-written", *["get-nvcc"] * (nvcc.find() is None)))
        worst = worst_lines(run)
        if worst:
            yield "plain", say("run.worst")
        for file, line, moved, needed in worst:
            times = {"moved": Quantity(moved, "B"), "times": moved / needed}
            yield "plain", f"    {Path(file).name}:{line}  {say('run.worst-line', **times)}"
            yield "source", f"    {line} | {around.line_of(file, line)}"
    yield "end", ending(run)


def clean(run: Run) -> str:
    """What there is to say where nothing was found: what the mode has looked for, or that no more was than before."""
    if run.ignored:
        return say("run.clean-but-known")
    return say(f"run.clean-{run.mode}" if run.mode in ("fast", "count-only") else "run.clean")


def heading(run: Run) -> str:
    names = " ".join(dict.fromkeys(f.name for f in run.files if f.suffix in (".cu", ".cpp", ".cc", ".c")))
    return say("run.heading", names=names, mode=run.mode, arch=run.arch, launches=run.launches)


def ending(run: Run) -> str:
    errors, warnings = len(run.errors), sum(f.severity == "warning" for f in run.findings)
    found = say("run.found", errors=errors, warnings=warnings)
    own = say("run.status", status=run.status)
    return f"{own} {found} {say('run.exit', exit=exit_status(run))}" if errors else f"{own} {found}"


def launch_line(k: KernelCounts) -> str:
    """A launch in a line: its shape, sectors per request, bytes moved, what shared memory costs beyond its need; where
    machine code was counted, local memory, constants and atomics, too."""
    parts = [say("run.launch", kernel=k.kernel, grid=shape(k.grid), block=shape(k.block))]
    for load, key in ((True, "loads"), (False, "stores")):
        each = k.sectors_per_request(load)
        if each is not None:
            sectors = k.metrics[counts.LOAD_SECTORS if load else counts.STORE_SECTORS]
            parts.append(say(f"run.{key}", moved=Quantity(sectors * SECTOR_BYTES, "B"), each=each))
    for side, (asked, carried) in counts.LOCAL.items():
        if requests := k.metrics.get(asked, 0):
            moved = k.metrics[carried]
            values = {"moved": Quantity(moved * SECTOR_BYTES, "B"), "each": moved / requests}
            parts.append(say(f"run.local-{side}", **values))
    conflicts = sum(k.metrics.get(name, 0) for name in (*counts.CONFLICTS, counts.SHARED_ATOMIC_CONFLICTS))
    if conflicts:
        parts.append(say("run.conflicts", count=int(conflicts)))
    more = k.metrics.get(counts.CONSTANT_REQUESTS, 0) - k.metrics.get(counts.CONSTANT_LOADS, 0)
    if more:
        parts.append(say("run.constants", count=int(more)))
    if atomics := k.metrics.get(counts.ATOMICS, 0):
        parts.append(say("run.atomics", count=int(atomics)))
    if at_l2 := sum(k.metrics.get(name, 0) for name in (counts.REDUCTION_REQUESTS, counts.ATOMIC_REQUESTS)):
        parts.append(say("run.atomics-at-l2", count=int(at_l2)))
    return ", ".join(parts)


def shape(of: tuple[int, int, int]) -> str:
    """(64, 4, 1) -> "64 x 4"."""
    sides = list(of)
    while len(sides) > 1 and sides[-1] == 1:
        sides.pop()
    return " x ".join(written(side, ",") for side in sides)


def worst_lines(run: Run) -> list[tuple[str, int, float, float]]:
    """File, line, bytes moved through global memory and those that would do, of all launches together: the lines that
    waste most, the worst first."""
    total: dict[tuple[str, int], list[float]] = {}
    for kernel in run.kernels:
        for line in kernel.lines:
            sides = (line.side(load=True), line.side(load=False))
            sums = total.setdefault((line.file, line.line), [0.0, 0.0])
            sums[0] += sum(s.sectors for s in sides) * SECTOR_BYTES
            sums[1] += sum(s.needed for s in sides) * SECTOR_BYTES
    wasteful = [(*place, moved, needed) for place, (moved, needed) in total.items() if moved > WORTH_SAYING * needed]
    return sorted(wasteful, key=lambda n: n[3] - n[2])[:WORST]


def annotation(finding: Finding, root: Path) -> str:
    """A finding as GitHub's workflows read it, which show it beside the line in a pull request."""
    kind = {"error": "error", "warning": "warning"}.get(finding.severity, "notice")
    path = Path(finding.file or "")
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    text = str(finding.message).replace("%", "%25").replace("\r", "").replace("\n", "%0A")
    return f"::{kind} file={shown},line={finding.line or 1},title=onekernel {finding.code}::{text}"
