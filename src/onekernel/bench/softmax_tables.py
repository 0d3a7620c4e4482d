"""The tables of the softmax bench as Markdown lines, in either language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from onekernel.bench.cells import ITEMSIZE
from onekernel.bench.results import COPY_GOAL, OURS, PEERS, Measured, geometric_mean, read, shortfalls
from onekernel.messages import Message
from onekernel.units import number

COMPILED = "torch.compile"
TRITON = "softmax_triton"
ROW = "ladder/triton_single_tile"  # one program a row, whatever the row is
COMPILED_KINDS = ("tile", "tile-odd", "loop", "loop-odd", "few")
PERSISTENT = 1024  # columns up to which Inductor keeps a row in registers (torch/_inductor/choices.py)
FEW_ROWS = 128  # fewer programs than multiprocessors on any card of the course's results
SHOWN = (OURS, TRITON, "softmax_block", *PEERS)
LADDER_SHAPES = ("131072 x 128", "16384 x 1024", "8192 x 4096", "4096 x 16384", "2048 x 131072", "1024 x 262144")


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table: the first column to the left, the others to the right."""
    head = f"| {' | '.join(columns)} |"
    rule = "|" + "|".join(["---", *["---:"] * (len(columns) - 1)]) + "|"
    return [head, rule, *(f"| {' | '.join(row)} |" for row in rows)]


def caption(data: Mapping[str, Any], lang: str) -> str:
    """One line: card and driver (or machine), versions, date, and the command that reproduces the figures."""
    if "device" not in data:  # measured on the CPU, where NumPy is what is measured
        versions = ", ".join(f"{name} {v}" for name, v in data["versions"].items())
        return _say("table-caption-cpu", lang, name=data["machine"], versions=versions, date=data["date"],
                    command=data["command"])  # fmt: skip
    versions = ", ".join(f"{name} {v}" for name, v in data["versions"].items() if name not in ("python", "numpy"))
    values = {"name": data["device"]["name"], "driver": data["device"]["driver"], "versions": versions,
              "date": data["date"], "command": data["command"]}  # fmt: skip
    return _say("table-caption", lang, **values)


def percent(dtype: str, path: Path, lang: str) -> list[str]:
    """One row a shape: the copy's TB/s, then each contender's percentage of the copy.

    A shifted shape has a second row, against the copy of the same shape aligned: shifted tensors are slow to copy, and
    beating that copy is little.
    """
    data, cells = read(path)
    mine = [c for c in cells if c.dtype == dtype and c.method == "events"]
    names = [n for n in SHOWN if any(n in c.samples for c in mine)]
    rows = []
    for cell in mine:
        close = cell.best_peer() if cell.against_best_peer() == "inconclusive" else None
        values = [_percent(cell, n, lang) + (" ~" if n == close else "") for n in names]
        rows.append([cell.shape, number(cell.copy_bandwidth / 1e12, ".2f", lang), *values])
        aligned = _aligned(cell, mine)
        if aligned:
            against = replace(cell, samples={**cell.samples, "copy": aligned.samples["copy"]})
            where = _say("of-aligned", lang, shape=cell.shape)
            speed = number(aligned.copy_bandwidth / 1e12, ".2f", lang)
            rows.append([where, speed, *(_percent(against, n, lang) for n in names)])
    columns = [_say("column-shape", lang), _say("column-copy", lang), *(f"`{n}`" for n in names)]
    notes = [_say("table-percent", lang), *([_say("table-shifted", lang)] if any(c.shift for c in mine) else [])]
    return [*grid(columns, rows), "", " ".join([*notes, caption(data, lang)])]


def _aligned(cell: Measured, cells: Iterable[Measured]) -> Measured | None:
    """The same shape without the shift; None for a cell that has none."""
    same = (c for c in cells if (c.dtype, c.rows, c.cols, c.shift) == (cell.dtype, cell.rows, cell.cols, 0))
    return next(same, None) if cell.shift else None


def latency(path: Path, lang: str) -> list[str]:
    """The launch-bound shapes, in microseconds a call."""
    data, cells = read(path)
    mine = [c for c in cells if c.method == "graph"]
    names = [n for n in SHOWN if any(n in c.samples for c in mine)]
    rows = [
        [c.dtype, c.shape, *(_micros(c.samples[n].median, lang) if n in c.samples else "-" for n in ("copy", *names))]
        for c in mine
    ]
    columns = [_say("column-dtype", lang), _say("column-shape", lang), _say("column-copy-us", lang)]
    return [*grid([*columns, *(f"`{n}`" for n in names)], rows), "",
            f"{_say('table-micros', lang)} {caption(data, lang)}"]  # fmt: skip


def ladder(path: Path, lang: str) -> list[str]:
    """The reading ladder in fp32: one row a rung, one column a shape."""
    data, cells = read(path)
    mine = {c.shape: c for c in cells if c.dtype == "float32" and c.shape in LADDER_SHAPES}
    rungs = [n for n, kind in data["method"]["kinds"].items() if kind == "ladder"]
    names = ["softmax_naive", "softmax_block", *sorted(rungs), OURS]
    timed = [n for n in names if any(n in c.samples for c in mine.values())]
    rows = [[f"`{n}`", *(_percent(c, n, lang) for c in mine.values())] for n in timed]
    return [*grid(["", *mine], rows), "", f"{_say('table-percent', lang)} {caption(data, lang)}"]


def triton_against(other: str, path: Path, lang: str) -> list[str]:
    """Triton beside another kernel: each one's percentage of the copy, and Triton's speed in percent of the other's."""
    data, cells = read(path)
    rows = []
    for cell in cells:
        if {other, TRITON} <= set(cell.samples):
            ratio = cell.samples[other].median / cell.samples[TRITON].median
            shown = [_percent(cell, other, lang), _percent(cell, TRITON, lang), f"{100 * ratio:.0f}"]
            rows.append([cell.dtype, cell.shape, *shown])
    columns = [_say("column-dtype", lang), _say("column-shape", lang), f"`{other}`", f"`{TRITON}`", _say("ratio", lang)]
    return [*grid(columns, rows), "", f"{_say('table-percent', lang)} {caption(data, lang)}"]


def compiled(path: Path, lang: str) -> list[str]:
    """What torch.compile reaches, lowest to highest, by the kernel that it writes and the loads that it can prove."""
    data, cells = read(path)
    mine = [c for c in cells if c.method == "events" and COMPILED in c.samples]
    dtypes = [d for d in ITEMSIZE if any(c.dtype == d for c in mine)]
    groups: dict[str, list[Measured]] = {key: [] for key in COMPILED_KINDS}
    for c in mine:
        loop = "tile" if c.cols <= PERSISTENT else "loop"
        groups["few" if c.rows <= FEW_ROWS else loop if _sixteens(c) else f"{loop}-odd"].append(c)
    rows = [
        [_say(f"compiled-{key}", lang, rows=FEW_ROWS, cols=PERSISTENT),
         *(_range([share for c in group if c.dtype == d and (share := c.of_copy(COMPILED))], lang) for d in dtypes)]
        for key, group in groups.items() if group
    ]  # fmt: skip
    notes = f"{_say('compiled-note', lang)} {caption(data, lang)}"
    return [*grid([_say("compiled-rows", lang), *dtypes], rows), "", notes]


def _sixteens(cell: Measured) -> bool:
    """Whether Triton may take every row to begin at a multiple of 16 bytes: it asks whether arguments divide by 16."""
    return cell.cols % 16 == 0 and not cell.shift


def _range(shares: Sequence[float], lang: str) -> str:
    if not shares:
        return "-"
    lowest, highest = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return lowest if lowest == highest else _say("range", lang, lowest=lowest, highest=highest)


def summary(path: Path, lang: str) -> list[str]:
    """Geometric mean and lowest percentage of each contender, by type."""
    data, cells = read(path)
    lines = []
    for dtype in ITEMSIZE:
        mine = [c for c in cells if c.dtype == dtype]
        for name in SHOWN:
            found = geometric_mean(mine, name)
            if found:
                mean, lowest, count = found
                values = {"name": f"`{name}`, {dtype}", "mean": f"{100 * mean:.0f}", "lowest": f"{100 * lowest:.0f}"}
                lines.append("- " + _say("summary-line", lang, **values, count=count))
    return [*lines, "", caption(data, lang)]


def shortfall_list(path: Path, lang: str) -> list[str]:
    """Each cell in which ours misses a goal."""
    data, cells = read(path)
    lines = []
    for s in shortfalls(cells):
        copy = s.cell.samples["copy"].median
        micros = s.cell.method == "graph"
        shown = [_micros(x.median, lang) if micros else f"{100 * copy / x.median:.0f}" for x in (s.ours, s.theirs)]
        key = "shortfall-copy" if s.goal == "copy" else "shortfall-micros" if micros else "shortfall-peer"
        values = {"dtype": s.cell.dtype, "shape": s.cell.shape, "ours": shown[0], "theirs": shown[1], "peer": s.peer,
                  "goal": f"{100 * COPY_GOAL:.0f}"}  # fmt: skip
        lines.append("- " + _say(key, lang, **values))
    if not lines:
        measured = any(OURS in c.samples for c in cells)
        lines = [_say("no-shortfall" if measured else "not-measured", lang, name=OURS)]
    return [*lines, "", caption(data, lang)]


PARTS: dict[str, Callable[[Path, str], list[str]]] = {
    **{dtype: partial(percent, dtype) for dtype in ITEMSIZE},
    "latency": latency,
    "ladder": ladder,
    "triton-vs-cuda": partial(triton_against, OURS),
    "triton-vs-row": partial(triton_against, ROW),
    "compiled": compiled,
    "summary": summary,
    "shortfalls": shortfall_list,
}


def _percent(cell: Measured, name: str, lang: str) -> str:
    value = cell.of_copy(name)
    if value is None:
        return "-"
    return number(100 * value, ".0f" if value >= 0.01 else ".1g", lang)  # a naive kernel is slow, not at rest


def _micros(seconds: float, lang: str) -> str:
    return number(seconds * 1e6, ".2f", lang)


def _say(key: str, lang: str, **values: object) -> str:
    return Message(f"bench.{key}", values).text(lang)
