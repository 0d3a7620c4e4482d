"""The overhead audit as tables of chapter 05: chains of launches, recomputation, attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audits.overhead.launches import of
from audits.words import in_each, in_numbers

WAYS = ("torch", "stream", "early", "torch-graph", "stream-graph", "early-graph")
_ATTENTION = ("unfused", "sdpa", "triton")
Cell = str | dict[str, str]


def tables(data: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a result, as its file keeps them."""
    return {"launches": _launches(data), "recompute": _recompute(data), "attention": _attention(data)}


def _launches(data: Mapping[str, Any]) -> dict[str, Any]:
    """Microseconds of the GPU per kernel of a chain, a way a row, a size a column; and of the host, at the smallest."""
    sizes = sorted({row["bytes"] for row in data["launches"]})
    rows = []
    for way in WAYS:
        cells = [_micros(of(data["launches"], way, size)["gpu_s"]) for size in sizes]
        host = _micros(of(data["launches"], way, sizes[0])["host_s"])
        rows.append([in_each(f"overhead-{way}"), *cells, host])
    return {"columns": [in_each("overhead-way"), *map(_size, sizes), in_each("overhead-host")], "rows": rows}


def _recompute(data: Mapping[str, Any]) -> dict[str, Any]:
    """Microseconds of both ways of a broadcast, by the cost of the function."""
    rows = []
    for row in data["recompute"]:
        fused, apart = (row[way]["median_s"] for way in ("fused", "apart"))
        rows.append([str(row["rounds"]), _micros(fused, 0), _micros(apart, 0), in_numbers("{:.2f}", fused / apart)])
    return {"columns": [in_each(f"overhead-{key}") for key in ("rounds", "fused", "apart", "factor")], "rows": rows}


def _attention(data: Mapping[str, Any]) -> dict[str, Any]:
    """Time, rate and memory of attention in three ways, by length."""
    columns: list[Cell] = [in_each("overhead-length")]
    for way in _ATTENTION:
        columns += [in_each(f"overhead-{way}"), "TFLOP/s", in_each("overhead-memory")]
    rows = []
    for row in data["attention"]:
        cells: list[Cell] = [str(row["length"])]
        for way in _ATTENTION:
            found: Mapping[str, Any] = row[way]
            rate, memory = in_numbers("{:.0f}", found["flops_per_s"] / 1e12), _size(found["allocated_bytes"])
            cells += [_micros(found["median_s"], 0), rate, memory]
        rows.append(cells)
    return {"columns": columns, "rows": rows}


def _micros(seconds: float, digits: int = 2) -> Cell:
    return in_numbers(f"{{:,.{digits}f}}", 1e6 * seconds)


def _size(size: float) -> Cell:
    """Bytes in powers of 1024, as whole numbers: 4 KiB, 16 MiB."""
    units = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
    unit, scale = next((each for each in units if size >= each[1]), ("B", 1))
    return in_numbers(f"{{:.3g}} {unit}", size / scale)
