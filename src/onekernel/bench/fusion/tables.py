"""The tables of the fusion bench as Markdown lines, in either language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from onekernel.bench import records
from onekernel.bench.fusion.cases import ITEMSIZE, OPERATIONS, SWEEP, SWEPT, size_name
from onekernel.bench.fusion.figure import seconds
from onekernel.bench.fusion.ways import WAYS
from onekernel.bench.markdown import grid
from onekernel.bench.words import caption, words
from onekernel.numerals import number

FACTS_SIZE = 64 << 20  # the smallest tensor at which memory decides


def speed(path: Path, lang: str) -> list[str]:
    """Percent of the speed of a copy or of an addition, large tensors: a row for each operator, type and shape."""
    data = records.read(path)
    rows = []
    types = list(ITEMSIZE)
    walk = sorted(data["cells"], key=lambda c: (OPERATIONS.index(c["operation"]), types.index(c["dtype"]), c["size"]))
    for c in walk:
        if c["method"] != "events":
            continue
        reference = seconds(c["ways"][c["reference"]], "eager")
        if reference is None:
            continue
        shares = [_percent(reference, c["ways"].get(way, {}), lang) for way in WAYS]
        shape = f"{c['rows']} x {c['cols']}"
        rows.append([_name(c, lang), c["dtype"], shape, number(c["bytes"] / reference / 1e12, ".2f", lang), *shares])
    columns = [words("fusion-operator", lang), "dtype", words("column-shape", lang), "TB/s"]
    return [*grid([*columns, *_ways(lang)], rows), "", f"{words('fusion-speed', lang)} {caption(data, lang)}"]


def launches(path: Path, lang: str) -> list[str]:
    """The smallest tensors: kernels of a call, host, eager and graph in microseconds."""
    data = records.read(path)
    rows = []
    for operation in OPERATIONS:
        cell = _cell(data, operation, SWEEP[0])
        for way in WAYS if cell else ():
            found = cell["ways"].get(way, {})
            if "host_s" in found:
                times = [_micros(found.get(key), lang) for key in ("host_s", "eager_s", "gpu_s", "graph_s")]
                named = [_name(cell, lang), words(f"fusion-way-{way}", lang), str(found.get("launches", "-"))]
                rows.append([*named, *times])
    keys = ("operator", "way", "kernels", "host", "eager", "gpu", "graph")
    return [*grid([words(f"fusion-{key}", lang) for key in keys], rows), "",
            f"{words('fusion-launches', lang, size=size_name(SWEEP[0]))} {caption(data, lang)}"]  # fmt: skip


def traffic(path: Path, lang: str) -> list[str]:
    """What each way's operators read and write, over the least, and how many kernels they are."""
    data = records.read(path)
    rows = []
    for operation in OPERATIONS:
        cell = _cell(data, operation, FACTS_SIZE)
        if cell:
            eager = [cell["ways"].get(way, {}) for way in ("unfused", "framework")]
            shares = (f["bytes_moved"] / cell["bytes"] if "bytes_moved" in f else None for f in eager)
            moved = ["-" if share is None else number(share, ".1f", lang) for share in shares]
            kernels = [str(cell["ways"].get(way, {}).get("launches", "-")) for way in WAYS]
            rows.append([_name(cell, lang), *moved, *kernels])
    columns = [words("fusion-operator", lang), *(words(f"fusion-moved-{w}", lang) for w in ("unfused", "framework"))]
    kernels = [words("fusion-kernels-of", lang, way=words(f"fusion-way-{way}", lang)) for way in WAYS]
    return [*grid([*columns, *kernels], rows), "", caption(data, lang)]


PARTS: dict[str, Callable[[Path, str], list[str]]] = {"speed": speed, "launches": launches, "traffic": traffic}


def _cell(data: Mapping[str, Any], operation: str, size: int) -> dict[str, Any]:
    """The swept type's cell of an operator at a size; empty where the run did not reach it."""
    same = (operation, SWEPT, size, False)
    return next((c for c in data["cells"] if (c["operation"], c["dtype"], c["size"], c["ragged"]) == same), {})


def _name(cell: Mapping[str, Any], lang: str) -> str:
    return words(f"fusion-{cell['operation'].replace('_', '-')}", lang)


def _ways(lang: str) -> list[str]:
    return [words(f"fusion-way-{way}", lang) for way in WAYS]


def _percent(reference: float, way: Mapping[str, Any], lang: str) -> str:
    found = seconds(way, "eager")
    return "-" if found is None else number(100 * reference / found, ".0f", lang)


def _micros(found: float | None, lang: str) -> str:
    return "-" if found is None else number(found * 1e6, ".1f", lang)
