"""Four fused operators five ways, from 4 KiB to 4 GiB: unfused, by the framework, in CUDA C, in Triton, compiled.

Method: each way beside a copy (one input) or an addition (two), in one run; see `measurement`. Large tensors come
        first: a run that reaches its limit keeps what it has.
But:    what is compiled is compiled for each shape, which is its best case and most of the duration.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits import command, records
from audits.bench.fusion import figure
from audits.bench.fusion.cases import OPERATIONS, SWEEP, Case, grid, size_name
from audits.bench.fusion.measurement import measure
from audits.bench.fusion.ways import WAYS, Ways
from audits.records import took
from audits.words import draw_in_each, measured_on, words
from onekernel.bench import device
from onekernel.bench.timing import L2Emptier
from onekernel.course import find_root
from onekernel.messages import say

LIMIT = 190.0


def main(argv: Sequence[str]) -> int:
    parser = command.parser("fusion")
    command.option(parser, "fusion", "--only", nargs="*", choices=OPERATIONS, default=list(OPERATIONS))
    command.option(parser, "fusion", "--limit", type=float, default=LIMIT, metavar="S")
    command.option(parser, "fusion", "--out", type=Path, metavar="DIR")
    command.option(parser, "fusion", "--draw", metavar="GPU")
    options, root = parser.parse_args(argv), find_root()
    if options.draw:
        path = records.recorded(root, options.draw, "fusion")
        return draw(records.read(path), options.out or path.parent)
    wanted = [case for case in grid() if case.operation in options.only]
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        print(say("bench.dry-run", command="python bench/fusion.py"))
        facts = {"count": len(wanted), "smallest": size_name(SWEEP[0]), "largest": size_name(SWEEP[-1])}
        print("  " + say("bench.fusion-line", operations=", ".join(options.only), ways=", ".join(WAYS), **facts))
        print("  " + records.expected(root, "fusion").text())
        return 0
    return _measure(root, wanted, options.limit, options.out)


def _measure(root: Path, wanted: Sequence[Case], limit: float, out: Path | None) -> int:
    import torch

    began = time.perf_counter()
    card, emptier, ways = device.current(), L2Emptier(), Ways(root)
    path = (out or records.results(root) / card.slug) / "fusion.json"
    cells: list[dict[str, Any]] = []
    data = {"bench": "fusion", "device": asdict(card), **device.provenance(), "cells": cells, "missing": len(wanted)}
    for case in wanted:
        if time.perf_counter() - began > limit:
            print(say("bench.fusion-limit", done=len(cells), count=len(wanted), seconds=limit))
            break
        cells.append(measure(case, ways, card, emptier))
        data |= {"missing": len(wanted) - len(cells), "took": took(began)}
        records.write(path, data)
        torch.cuda.empty_cache()
        print(_told(cells[-1]), flush=True)
    print(say("bench.written", path=path))
    return draw(data, path.parent)


def _told(cell: dict[str, Any]) -> str:
    """A line of progress: each way's time in microseconds."""
    found = {name: way.get("median_s") or way.get("gpu_s") for name, way in cell["ways"].items()}
    times = "  ".join(f"{name} {1e6 * s:.1f}" if s else f"{name} -" for name, s in found.items())
    ragged = " ragged" if cell["ragged"] else ""
    return f"{cell['operation']} {cell['dtype']} {size_name(cell['size'])}{ragged}: {times} us ({cell['took_s']} s)"


def draw(data: dict[str, Any], folder: Path) -> int:
    """The figure in each language."""

    def one(target: Path, lang: str) -> Iterable[Path]:
        heading = words("title-fusion", lang, name=data["device"]["name"])
        return figure.draw(target, data["cells"], heading, measured_on(data, lang), lang)

    draw_in_each(folder, "fusion", one)
    return 0
