"""The tables of the GEMM bench as Markdown lines, in either language."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from audits import records
from audits.bench import kernel_header
from audits.bench.gemm.additions import as_met
from audits.bench.gemm.cells import RUNG_SIZE
from audits.bench.gemm.figure import best, rungs, seconds, share
from audits.words import caption, grid, words
from onekernel.numerals import number

SHOWN = ("gemm_tensorcore", "gemm_mma", "gemm_triton", "gemm_tiled", "gemm_skinny")
# H200 SXM, dense: NVIDIA H200 datasheet. The copy is the one that METHOD of docs/en/results.md measures.
PEAK = {"float32": 67e12, "float16": 989e12, "bfloat16": 989e12}
COPY_BANDWIDTH = 4.26e12


def ladder(path: Path, lang: str) -> list[str]:
    """Each rung: TFLOP/s and percent of the library in squares of RUNG_SIZE; for 16 bits also at twice that."""
    data = records.read(path)
    at = {size: _square(data["cells"], size) for size in (RUNG_SIZE, 2 * RUNG_SIZE)}
    rows = []
    for name in rungs(data["cells"]):
        row = [name.removeprefix("ladder/")]
        for size in at:
            cell = next((c for c in at[size] if name in c["ways"]), None)
            s, part = (seconds(cell, name), share(cell, name)) if cell else (None, None)
            row += [
                "-" if s is None or cell is None else number(cell["flops"] / s / 1e12, ".1f", lang),
                _percent(part, lang),
            ]
        rows.append(row)
    columns = [words("gemm-rung", lang)]
    for size in at:
        columns += [f"TFLOP/s, {size}", words("gemm-of-library", lang)]
    return [*grid(columns, rows), "", _under(data, lang, rungs(data["cells"]))]


def _rungs_of(first: int, last: int, path: Path, lang: str) -> list[str]:
    """The rungs `first` to `last`, for their own page: each one's file and ledger, TFLOP/s and percent of the library
    in squares of RUNG_SIZE, and how many times as fast as the rung before it in its type."""
    data, solutions = records.read(path), path.parents[3] / "solutions"
    cells = _square(data["cells"], RUNG_SIZE)
    times = {name: (cell, s) for cell in cells for name in cell["ways"] if (s := seconds(cell, name)) is not None}
    rows, shown = list[list[str]](), list[str]()
    before: dict[str, float] = {}
    for name, part in rungs(data["cells"]).items():
        cell, s = times[name]
        faster, before[cell["dtype"]] = before.get(cell["dtype"], 0.0) / s, s
        if first <= int(name.removeprefix("ladder/gemm_")[:2]) <= last:
            rate = number(cell["flops"] / s / 1e12, ".1f", lang)
            link = f"[`{name.removeprefix('ladder/')}`](../../solutions/{name}.cu)"
            step = number(faster, ".1f", lang) if faster else "-"
            asked = kernel_header.read(solutions / f"{name}.cu").bytes_per_fma
            ledger = number(asked, "g", lang) if asked else "-"
            shown.append(name)
            rows.append([link, cell["dtype"], ledger, rate, _percent(part, lang), step])
    columns = [words("gemm-rung", lang), "dtype", words("gemm-ledger", lang), f"TFLOP/s, {RUNG_SIZE}³",
               words("gemm-of-library", lang), words("gemm-of-before", lang)]  # fmt: skip
    return [*grid(columns, rows), "", _under(data, lang, shown)]


def shares(path: Path, lang: str) -> list[str]:
    """Every cell: the library's rate, and each way's percent of it. A way that was not measured has no column."""
    data = records.read(path)
    shown = [name for name in SHOWN if any(name in cell["ways"] for cell in data["cells"])]
    rows = []
    for cell in data["cells"]:
        library = best(cell)
        if library is None or cell["kind"] == "skinny":
            continue
        rate = number(cell["flops"] / library / 1e12, ".1f", lang)
        rows.append([_name(cell), cell["dtype"], rate, *(_percent(share(cell, name), lang) for name in shown)])
    columns = [words("gemm-cell", lang), "dtype", words("gemm-library", lang), *shown]
    return [*grid(columns, rows), "", f"{words('gemm-shares', lang)} {_under(data, lang, shown)}"]


def skinny(path: Path, lang: str) -> list[str]:
    """The narrow cells: microseconds of the library, and gemm_skinny against library, floor and copy."""
    data = records.read(path)
    rows = []
    for cell in data["cells"]:
        met = as_met(cell, "gemm_skinny")
        mine, library, copied = seconds(met, "gemm_skinny"), best(met), seconds(met, "copy")
        if cell["kind"] != "skinny" or mine is None or library is None:
            continue
        parts = [library / mine, floor(cell) / mine, None if copied is None else copied / mine]
        rows.append(
            [_name(cell), cell["dtype"], number(1e6 * library, ".1f", lang), *(_percent(p, lang) for p in parts)]
        )
    columns = [words(f"gemm-{key}", lang) for key in ("library-us", "of-library", "of-floor", "of-copy")]
    told = words("gemm-floor", lang, bandwidth=number(COPY_BANDWIDTH / 1e12, ".2f", lang))
    told += f" {_under(data, lang, ['gemm_skinny'])}"
    return [*grid([words("gemm-cell", lang), "dtype", *columns], rows), "", told]


def steady(path: Path, lang: str) -> list[str]:
    """Back to back: TFLOP/s, and the clock and power that the card settles at."""
    data = records.read(path)
    rows = []
    ways = data.get("sustained", {}).get("ways", {})
    for name, way in ways.items():
        state = way["state"]
        rows.append(
            [
                name,
                number(way["flops_per_s"] / 1e12, ".1f", lang),
                f"{state.get('sm_mhz')}, {state.get('power_w') or 0:.0f}",
            ]
        )
    return [*grid(["", "TFLOP/s", words("gemm-power", lang)], rows), "", _under(data, lang, ways)]


def waits(path: Path, lang: str) -> list[str]:
    """ncu's reading of each rung: how busy its units are, and the two things that its warps wait for most."""
    data = records.read(path)
    rows = []
    for rung in data["rungs"]:
        most = [f"{name} {number(value, '.1f', lang)}" for name, value in list(rung["stalls"].items())[:2]]
        facts = [number(rung[key], ".0f", lang) for key in ("issue", "fma", "tensor")]
        conflicts = number(rung["conflicts"] / 1e6, ".1f", lang)
        rows.append(
            [f"`{rung['kernel']}`", number(rung["seconds"] * 1e3, ".2f", lang), *facts, conflicts, ", ".join(most)]
        )
    columns = [
        words(f"gemm-ncu-{key}", lang) for key in ("kernel", "ms", "issue", "fma", "tensor", "conflicts", "stalls")
    ]
    return [*grid(columns, rows), "", f"{words('gemm-ncu', lang, size=data['size'])} {caption(data, lang)}"]


READINGS: dict[str, Callable[[Path, str], list[str]]] = {"waits": waits}
PARTS: dict[str, Callable[[Path, str], list[str]]] = {
    "ladder": ladder, "shares": shares, "skinny": skinny, "steady": steady,
    **{f"rungs-{first}-{last}": partial(_rungs_of, first, last)
       for first, last in ((1, 2), (3, 3), (4, 5), (6, 7), (8, 8), (9, 9), (10, 10), (11, 14))},
}  # fmt: skip


def floor(cell: Mapping[str, Any]) -> float:
    """Seconds that no kernel beats by much: the bytes at a copy's speed, or the operations at the peak."""
    return max(float(cell["bytes"]) / COPY_BANDWIDTH, float(cell["flops"]) / PEAK[cell["dtype"]])


def geometric_mean(cells: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Of a way's shares of the library in the cells that have it."""
    found = [s for cell in cells if (s := share(cell, name)) is not None]
    return math.exp(sum(map(math.log, found)) / len(found)) if found else None


def _under(data: Mapping[str, Any], lang: str, shown: Collection[str]) -> str:
    """The caption of a table of these ways: of those that were measured later it names what the table shows."""
    later = [told for told in data.get("later", []) if set(told["ways"]) & set(shown)]
    return caption({**data, "later": later}, lang)


def _square(cells: Sequence[Mapping[str, Any]], size: int) -> list[Mapping[str, Any]]:
    return [c for c in cells if c["m"] == c["n"] == c["k"] == size and not c["turned"]]


def _name(cell: Mapping[str, Any]) -> str:
    return f"{cell['m']} x {cell['n']} x {cell['k']}{' ^T' if cell['turned'] else ''}"


def _percent(part: float | None, lang: str) -> str:
    return "-" if part is None else number(100 * part, ".0f", lang)
