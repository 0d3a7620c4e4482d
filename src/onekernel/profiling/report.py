"""ncu's CSV text -> KernelCounts, the schema that the simulator fills too."""

from __future__ import annotations

import ast
import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from onekernel.counts import LOAD_SECTORS, STORE_SECTORS, KernelCounts, LineCounts
from onekernel.profiling import ncu

# A column of the source page -> the metric it sums to over the launch.
_SOURCE_COLUMNS = {
    "# Samples": "smsp__pcsamp_sample_count",
    "Instructions Executed": "inst_executed",
    "L1 Wavefronts Shared": "memory_l1_wavefronts_shared",
    "L1 Wavefronts Shared Ideal": "memory_l1_wavefronts_shared_ideal",
}
_STALL_NAMES = {  # the source page's short names -> the names of the counters
    "long_sb": "long_scoreboard", "short_sb": "short_scoreboard", "mio": "mio_throttle", "lg": "lg_throttle",
    "math": "math_pipe_throttle", "imc": "imc_miss", "no_inst": "no_instruction", "tex": "tex_throttle",
    "dispatch": "dispatch_stall", "sleep": "sleeping",
}  # fmt: skip
_SAMPLES_PREFIX = "smsp__pcsamp_warps_issue_stalled_"


def kernels(exported: ncu.Exported, source: Path | None) -> tuple[KernelCounts, ...]:
    """Every profiled kernel, in the order of its launch; with its source lines where there is a `source` file.

    Raises ValueError for text that is not the raw page of a report.
    """
    lines = _by_kernel(exported.source) if source else {}
    found = []
    for row in raw_rows(exported.raw):
        metrics = {name: value for name, text in row.items() if _wanted(name) and (value := number(text)) is not None}
        name = row["Kernel Name"]
        found.append(
            KernelCounts(
                kernel=name,
                grid=_triple(row["Grid Size"]),
                block=_triple(row["Block Size"]),
                shared_bytes=int(metrics.get(ncu.SHARED_BYTES, 0)),
                registers=int(metrics[ncu.REGISTERS]) if ncu.REGISTERS in metrics else None,
                metrics=metrics,
                lines=lines.get(bare_name(name), ()),
                source="ncu",
                extra={"ncu": exported.version, "compute_capability": row.get("CC", "")},
            )
        )
    return tuple(found)


def number(text: str) -> float | None:
    """A value as ncu prints it ("1,004", "94.05"); None for "no data", "n/a" and words."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def bare_name(name: str) -> str:
    """A kernel's name without return type, parameters and template arguments.

    "void softmax_kernel<(bool)1>(const float *, long)" -> "softmax_kernel". Two instances of one template in a launch
    share their name; the source page keeps their lines apart by function, and the first one found is taken.
    """
    text, depth = [], 0
    for sign in re.sub(r"<?unnamed>|\(anonymous namespace\)", "unnamed", name):
        if sign == "<":
            depth += 1
        elif sign == ">":
            depth -= 1
        elif sign == "(" and depth <= 0:
            break
        elif depth <= 0:
            text.append(sign)
    return "".join(text).removeprefix("void ").strip()


def _wanted(name: str) -> bool:
    asked = name in ncu.METRICS or name == ncu.SYSTEM_SHARED_BYTES
    return asked or (name.startswith(ncu.STALL_PREFIX) and name.endswith(ncu.STALL_SUFFIX))


def raw_rows(text: str) -> Iterator[dict[str, str]]:
    """The raw page, a row for each kernel; names and units stand above. ncu's own remarks begin with `==`.

    Raises ValueError for text that is no raw page.
    """
    rows = list(csv.reader(line for line in text.splitlines() if line.strip() and not line.startswith("==")))
    head = next((number for number, row in enumerate(rows) if "Kernel Name" in row), len(rows))
    if len(rows) < head + 3:
        raise ValueError(f"not the raw page of an ncu report: {text[:200]!r}")
    for row in rows[head + 2 :]:
        yield dict(zip(rows[head], row, strict=False))


def _by_kernel(text: str) -> dict[str, tuple[LineCounts, ...]]:
    """The source page, cuda,sass view: for each file and function a heading, then source lines, each followed by its
    instructions."""
    found: dict[str, dict[tuple[str, int], dict[str, float]]] = {}
    columns: list[str] = []
    path, file, line = Path(), "", 0
    current: dict[tuple[str, int], dict[str, float]] = {}
    for row in csv.reader(row for row in text.splitlines() if not row.startswith("==")):
        if len(row) < 2:
            continue
        if row[0] == "File Path":
            path = Path(row[1])
        elif row[0] == "Function Name":
            current = found.setdefault(bare_name(row[1]), {})
        elif row[0] == "Line No":
            columns = row
        elif len(row) == len(columns):
            values = dict(zip(columns[4:], row[4:], strict=True))
            if row[0]:
                line = int(row[0])
                file = _named(path, line)
                current[file, line] = _line_metrics(values)
            elif (file, line) in current:
                _add_sectors(current[file, line], values)
    return {
        name: tuple(LineCounts(file, line, metrics) for (file, line), metrics in sorted(lines.items()))
        for name, lines in found.items()
    }


def _named(path: Path, line: int) -> str:
    """The name of a file; for a line of Triton's own library, which nobody wrote, with the function that it is in."""
    if "/triton/language/" not in path.as_posix() or not path.is_file():
        return path.name
    inside = [f for f in _functions(path) if f[1] <= line <= f[2]]
    return f"tl.{inside[-1][0]}, {path.name}" if inside else path.name


@cache
def _functions(path: Path) -> list[tuple[str, int, int]]:
    """Name, first and last line of each function of a Python file, outer ones first."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [(f.name, f.lineno, f.end_lineno or f.lineno) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)]


def _line_metrics(values: dict[str, str]) -> dict[str, float]:
    metrics: dict[str, float] = defaultdict(float)
    for column, text in values.items():
        value = number(text)
        if not value:
            continue
        if column in _SOURCE_COLUMNS:
            metrics[_SOURCE_COLUMNS[column]] = value
        elif column.startswith("stall_") and "(" not in column:
            short = column.removeprefix("stall_")
            metrics[_SAMPLES_PREFIX + _STALL_NAMES.get(short, short)] = value
    return dict(metrics)


def _add_sectors(metrics: dict[str, float], values: dict[str, str]) -> None:
    """An instruction's sectors, by what it does: a line that loads and stores is only told apart here."""
    sectors = number(values.get("L2 Theoretical Sectors Global", ""))
    name = {"Load": LOAD_SECTORS, "Store": STORE_SECTORS}.get(values.get("Access Operation", ""))
    if sectors and name and values.get("Address Space", "") == "Global":
        metrics[name] = metrics.get(name, 0.0) + sectors


def _triple(text: str) -> tuple[int, int, int]:
    x, y, z = (int(part) for part in text.strip("()").split(","))
    return x, y, z
