"""The tables of the softmax bench as Markdown lines, in either language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from audits.bench.softmax.cases import ITEMSIZE
from audits.bench.softmax.results import COPY_GOAL, OURS, PEERS, Measured, geometric_mean, read, shortfalls
from audits.words import caption, grid, words
from onekernel.numerals import number

COMPILED = "torch.compile"
TRITON = "softmax_triton"
ROW = "ladder/triton_single_tile"  # one program a row, whatever the row is
COMPILED_KINDS = ("tile", "tile-odd", "loop", "loop-odd", "few")
PERSISTENT = 1024  # columns up to which Inductor keeps a row in registers (torch/_inductor/choices.py)
BEHIND = 1.1
FEW_ROWS = 128  # fewer programs than multiprocessors on any card of the course's results
SHOWN = (OURS, TRITON, "softmax_block", *PEERS)
LADDER_SHAPES = ("131072 x 128", "16384 x 1024", "8192 x 4096", "4096 x 16384", "2048 x 131072", "1024 x 262144")


def percent(dtype: str, path: Path, lang: str) -> list[str]:
    """One row a shape: the copy's TB/s, then each contender's percentage of the copy.

    A shifted shape has a second row, against the copy of the same shape aligned: shifted tensors are slow to copy, and
    beating that copy is little.
    """
    data, cases = read(path)
    mine = [c for c in cases if c.dtype == dtype and c.method == "events"]
    names = [n for n in SHOWN if any(n in c.samples for c in mine)]
    rows = []
    for case in mine:
        close = case.best_peer() if case.against_best_peer() == "inconclusive" else None
        values = [_percent(case, n, lang) + (" ~" if n == close else "") for n in names]
        rows.append([case.shape, number(case.copy_bandwidth / 1e12, ".2f", lang), *values])
        aligned = _aligned(case, mine)
        if aligned:
            against = replace(case, samples={**case.samples, "copy": aligned.samples["copy"]})
            where = words("of-aligned", lang, shape=case.shape)
            speed = number(aligned.copy_bandwidth / 1e12, ".2f", lang)
            rows.append([where, speed, *(_percent(against, n, lang) for n in names)])
    columns = [words("column-shape", lang), words("column-copy", lang), *(f"`{n}`" for n in names)]
    notes = [words("table-percent", lang), *([words("table-shifted", lang)] if any(c.shift for c in mine) else [])]
    return [*grid(columns, rows), "", " ".join([*notes, caption(data, lang)])]


def _aligned(case: Measured, cases: Iterable[Measured]) -> Measured | None:
    """The same shape without the shift; None for a case that has none."""
    same = (c for c in cases if (c.dtype, c.rows, c.cols, c.shift) == (case.dtype, case.rows, case.cols, 0))
    return next(same, None) if case.shift else None


def latency(path: Path, lang: str) -> list[str]:
    """The launch-bound shapes, in microseconds a call."""
    data, cases = read(path)
    mine = [c for c in cases if c.method == "graph"]
    names = [n for n in SHOWN if any(n in c.samples for c in mine)]
    rows = [
        [c.dtype, c.shape, *(_micros(c.samples[n].median, lang) if n in c.samples else "-" for n in ("copy", *names))]
        for c in mine
    ]
    columns = [words("column-dtype", lang), words("column-shape", lang), words("column-copy-us", lang)]
    return [*grid([*columns, *(f"`{n}`" for n in names)], rows), "",
            f"{words('table-micros', lang)} {caption(data, lang)}"]  # fmt: skip


def ladder(path: Path, lang: str) -> list[str]:
    """The reading ladder in fp32: one row a rung, one column a shape."""
    data, cases = read(path)
    mine = {c.shape: c for c in cases if c.dtype == "float32" and c.shape in LADDER_SHAPES}
    rungs = [n for n, kind in data["method"]["kinds"].items() if kind == "ladder"]
    names = ["softmax_naive", "softmax_block", *sorted(rungs), OURS]
    timed = [n for n in names if any(n in c.samples for c in mine.values())]
    rows = [[f"`{n}`", *(_percent(c, n, lang) for c in mine.values())] for n in timed]
    return [*grid(["", *mine], rows), "", f"{words('table-percent', lang)} {caption(data, lang)}"]


def triton_against(other: str, path: Path, lang: str) -> list[str]:
    """Triton beside another kernel: each one's percentage of the copy, and Triton's speed in percent of the other's."""
    data, cases = read(path)
    rows = []
    for case in cases:
        if {other, TRITON} <= set(case.samples):
            ratio = case.samples[other].median / case.samples[TRITON].median
            shown = [_percent(case, other, lang), _percent(case, TRITON, lang), f"{100 * ratio:.0f}"]
            rows.append([case.dtype, case.shape, *shown])
    named = [words(f"column-{key}", lang) for key in ("dtype", "shape")]
    columns = [*named, f"`{other}`", f"`{TRITON}`", words("ratio", lang)]
    return [*grid(columns, rows), "", f"{words('table-percent', lang)} {caption(data, lang)}"]


def compiled(path: Path, lang: str) -> list[str]:
    """What torch.compile reaches, lowest to highest, by the kernel that it writes and the loads that it can prove."""
    data, cases = read(path)
    mine = [c for c in cases if c.method == "events" and COMPILED in c.samples]
    dtypes = [d for d in ITEMSIZE if any(c.dtype == d for c in mine)]
    groups: dict[str, list[Measured]] = {key: [] for key in COMPILED_KINDS}
    for c in mine:
        loop = "tile" if c.cols <= PERSISTENT else "loop"
        groups["few" if c.rows <= FEW_ROWS else loop if _sixteens(c) else f"{loop}-odd"].append(c)
    rows = [
        [words(f"compiled-{key}", lang, rows=FEW_ROWS, cols=PERSISTENT),
         *(_range([share for c in group if c.dtype == d and (share := c.of_copy(COMPILED))], lang) for d in dtypes)]
        for key, group in groups.items() if group
    ]  # fmt: skip
    notes = f"{words('compiled-note', lang)} {caption(data, lang)}"
    return [*grid([words("compiled-rows", lang), *dtypes], rows), "", notes]


def _sixteens(case: Measured) -> bool:
    """Whether Triton may take every row to begin at a multiple of 16 bytes: it asks whether arguments divide by 16."""
    return case.cols % 16 == 0 and not case.shift


def _range(shares: Sequence[float], lang: str) -> str:
    if not shares:
        return "-"
    lowest, highest = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return lowest if lowest == highest else words("range", lang, lowest=lowest, highest=highest)


def summary(path: Path, lang: str) -> list[str]:
    """Geometric mean and lowest percentage of each contender, by type; and ours over the same where it has fewer."""
    data, cases = read(path)
    lines = []
    for dtype in ITEMSIZE:
        mine = [c for c in cases if c.dtype == dtype]
        ours = geometric_mean(mine, OURS)
        for name in SHOWN:
            found = geometric_mean(mine, name)
            if found:
                mean, lowest, count = found
                values = {"name": f"`{name}`, {dtype}", "mean": 100 * mean, "lowest": 100 * lowest}
                line = words("summary-line", lang, **values, count=count)
                same = geometric_mean([c for c in mine if name in c.samples], OURS)
                if ours and same and count < ours[2]:
                    line += " " + words("summary-same", lang, name=OURS, mean=100 * same[0])
                lines.append(f"- {line}")
    return [*lines, "", caption(data, lang)]


def behind(path: Path, lang: str) -> list[str]:
    """Each aligned case in which Triton's time is longer than ours by more than a tenth."""
    data, cases = read(path)
    lines = []
    for case in cases:
        pair = [case.samples[name].median for name in (OURS, TRITON) if name in case.samples and not case.shift]
        if len(pair) == 2 and pair[1] > BEHIND * pair[0]:
            ours, theirs = (_micros(seconds, lang) for seconds in pair)
            values = {"dtype": case.dtype, "shape": case.shape, "name": TRITON}
            lines.append("- " + words("behind", lang, **values, ours=ours, theirs=theirs))
    return [*lines, "", caption(data, lang)]


def shortfall_list(path: Path, lang: str) -> list[str]:
    """Each case in which ours misses a goal."""
    data, cases = read(path)
    lines = []
    for s in shortfalls(cases):
        copy = s.case.samples["copy"].median
        micros = s.case.method == "graph"
        shown = [_micros(x.median, lang) if micros else f"{100 * copy / x.median:.0f}" for x in (s.ours, s.theirs)]
        key = "shortfall-copy" if s.goal == "copy" else "shortfall-micros" if micros else "shortfall-peer"
        values = {"dtype": s.case.dtype, "shape": s.case.shape, "ours": shown[0], "theirs": shown[1], "peer": s.peer,
                  "goal": 100 * COPY_GOAL}  # fmt: skip
        lines.append("- " + words(key, lang, **values))
    if not lines:
        measured = any(OURS in c.samples for c in cases)
        lines = [words("no-shortfall" if measured else "not-measured", lang, name=OURS)]
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
    "behind": behind,
}


def _percent(case: Measured, name: str, lang: str) -> str:
    value = case.of_copy(name)
    if value is None:
        return "-"
    return number(100 * value, ".0f" if value >= 0.01 else ".1g", lang)  # a naive kernel is slow, not at rest


def _micros(seconds: float, lang: str) -> str:
    return number(seconds * 1e6, ".2f", lang)
