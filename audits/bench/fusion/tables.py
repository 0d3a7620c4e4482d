"""The tables of the fusion bench as Markdown lines, in either language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from audits import records
from audits.bench.fusion.cases import ITEMSIZE, OPERATIONS, SWEEP, SWEPT, size_name
from audits.bench.fusion.figure import seconds
from audits.bench.fusion.ways import WAYS
from audits.words import caption, grid, words
from onekernel.numerals import number

OURS = ("cuda", "triton")
HOW = {"events": {"large": "median_s"}, "calls": {"gpu": "gpu_s", "graph": "graph_s"}}  # times that are compared
WORTH = 0.01  # a share by which a way is behind that is listed
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


def shortfalls(path: Path, lang: str) -> list[str]:
    """Each case in which a way of PyTorch's is faster than both of the course's kernels, by more than the spread where
    that was measured, and by a share that is worth a line."""
    data = records.read(path)
    lines = []
    for cell in data["cells"]:
        for how, key in HOW[cell["method"]].items():
            times = {way: of[key] for way, of in cell["ways"].items() if key in of and "discarded" not in of}
            if not set(OURS) & set(times):
                continue
            mine = min(set(OURS) & set(times), key=times.__getitem__)
            best = min(set(WAYS) & set(times), key=times.__getitem__)
            behind = times[mine] / times[best] - 1
            spread = cell["ways"][best].get("q3_s", 0.0) >= cell["ways"][mine].get("q1_s", 1.0)
            if behind >= WORTH and not spread:
                named = {"operator": _name(cell, lang), "dtype": cell["dtype"], "size": size_name(cell["size"]),
                         "mine": words(f"fusion-way-{mine}", lang), "best": words(f"fusion-way-{best}", lang),
                         "ours": 1e6 * times[mine], "theirs": 1e6 * times[best], "behind": 100 * behind}  # fmt: skip
                lines.append("- " + words(f"fusion-shortfall-{how}", lang, **named))
    return [*(lines or [words("no-shortfall", lang)]), "", caption(data, lang)]


PARTS: dict[str, Callable[[Path, str], list[str]]] = {
    "speed": speed, "launches": launches, "traffic": traffic, "shortfalls": shortfalls,
}  # fmt: skip


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
