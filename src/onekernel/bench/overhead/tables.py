"""The overhead bench as tables of chapter 05: chains of launches, recomputation, attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from onekernel.bench import records
from onekernel.bench.markdown import grid
from onekernel.bench.overhead.launches import of
from onekernel.bench.words import caption, words
from onekernel.numerals import Quantity, number

WAYS = ("torch", "stream", "early", "torch-graph", "stream-graph", "early-graph")


def launches(path: Path, lang: str) -> list[str]:
    """Microseconds of the GPU per kernel of a chain, a way a row, a size a column; and of the host, at the smallest."""
    data = records.read(path)
    sizes = sorted({row["bytes"] for row in data["launches"]})
    header = [words("overhead-way", lang), *(_size(s, lang) for s in sizes), words("overhead-host", lang)]
    rows = []
    for way in WAYS:
        cells = [_micros(of(data["launches"], way, size)["gpu_s"], lang) for size in sizes]
        rows.append(
            [words(f"overhead-{way}", lang), *cells, _micros(of(data["launches"], way, sizes[0])["host_s"], lang)]
        )
    return [*grid(header, rows), "", caption(data, lang)]


def recompute(path: Path, lang: str) -> list[str]:
    """Microseconds of both ways of a broadcast, by the cost of the function."""
    data = records.read(path)
    header = [words(f"overhead-{key}", lang) for key in ("rounds", "fused", "apart", "factor")]
    rows = []
    for row in data["recompute"]:
        fused, apart = (row[way]["median_s"] for way in ("fused", "apart"))
        rows.append(
            [str(row["rounds"]), _micros(fused, lang, 0), _micros(apart, lang, 0), number(fused / apart, ".2f", lang)]
        )
    return [*grid(header, rows), "", caption(data, lang)]


def attention(path: Path, lang: str) -> list[str]:
    """Time, rate and memory of attention in three ways, by length."""
    data = records.read(path)
    ways = ("unfused", "sdpa", "triton")
    header = [words("overhead-length", lang)]
    for way in ways:
        header += [words(f"overhead-{way}", lang), "TFLOP/s", words("overhead-memory", lang)]
    rows = []
    for row in data["attention"]:
        cells = [str(row["length"])]
        for way in ways:
            found: Mapping[str, Any] = row[way]
            cells += [_micros(found["median_s"], lang, 0), number(found["flops_per_s"] / 1e12, ".0f", lang),
                      _size(found["allocated_bytes"], lang)]  # fmt: skip
        rows.append(cells)
    return [*grid(header, rows), "", caption(data, lang)]


def _micros(seconds: float, lang: str, digits: int = 2) -> str:
    return number(1e6 * seconds, f",.{digits}f", lang)


def _size(size: float, lang: str) -> str:
    """Bytes in powers of 1024, as whole numbers: 4 KiB, 16 MiB."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= scale:
            return f"{number(size / scale, '.3g', lang)} {unit}"
    return Quantity(size, "B").text(lang)


PARTS: dict[str, Callable[[Path, str], list[str]]] = {
    "launches": launches, "recompute": recompute, "attention": attention,
}  # fmt: skip
