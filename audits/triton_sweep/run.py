"""Records what the autotuner sees: every configuration of softmax_triton.py, shape by shape, on a real card.

Time:   CUDA events around one launch, the median of 15, 512 MB written between two samples so that L2 holds nothing of
        x. Configurations take turns, so that a drift of the clocks meets all of them.
But:    a sweep speaks for the card that it was recorded on, and for no other.
"""

from __future__ import annotations

import datetime
import itertools
import json
import os
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from audits import command, records
from audits.triton_sweep.compilation import compile_ahead
from audits.triton_sweep.configurations import (
    SHAPES,
    WIDTHS,
    Configuration,
    Shape,
    configurations,
    solution_of,
)
from onekernel.bench.device import slug_of
from onekernel.bench.timing import EMPTIER_BYTES
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.loading import load_module
from onekernel.messages import Message, say

LADDER = ("triton_three_pass", "triton_online", "triton_single_tile", "triton_regimes")
LADDER_SHAPES = ((32768, 1000), (8192, 4096), (4096, 16384), (2048, 65536), (1024, 262144))
SAMPLES = 15
COPY = Configuration("copy", (), 0, None)


def main(argv: Sequence[str]) -> int:
    options, root = command.parser("triton_sweep", "audits.triton_sweep").parse_args(argv), find_root()
    if options.dry_run:
        for (rows, cols), dtype in itertools.product(SHAPES, WIDTHS):
            print(f"{dtype:9} {rows:>7} x {cols:<8}", ", ".join(map(str, configurations(cols, WIDTHS[dtype]))))
        return 0
    import torch
    import triton

    if not torch.cuda.is_available():
        raise UserError(Message.of("bench.sweep-no-gpu"))
    properties = torch.cuda.get_device_properties(0)
    compile_ahead(properties.major * 10 + properties.minor, max(1, (os.cpu_count() or 2) - 1))
    flush = torch.empty(EMPTIER_BYTES, dtype=torch.uint8, device="cuda")
    sweep = []
    for (rows, cols), dtype in itertools.product(SHAPES, WIDTHS):
        measured = measure(root, rows, cols, dtype, flush)
        sweep += measured
        best = max(measured[1:], key=lambda m: m["percent_of_copy"])
        where, chosen = f"{dtype:9} {rows:>7} x {cols:<8}", f"{best['kernel']} {best['config']}"
        print(say("bench.sweep-line", where=where, micros=measured[0]["median_us"],
                  percent=best["percent_of_copy"], chosen=chosen), flush=True)  # fmt: skip
    ladder = [row for s, d in itertools.product(LADDER_SHAPES, WIDTHS) for row in measure_ladder(root, *s, d, flush)]
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    driver = subprocess.run(query, capture_output=True, text=True)
    header = {
        "gpu": properties.name,
        "driver": driver.stdout.strip().splitlines()[0] if driver.stdout else "",
        "versions": {"torch": torch.__version__, "triton": triton.__version__, "cuda": torch.version.cuda},
        "date": datetime.date.today().isoformat(),
        "command": "python -m audits.triton_sweep",
        "samples": SAMPLES,
    }
    path = records.results(root) / slug_of(properties.name) / "triton_sweep.json"
    write(path, header, {"sweep": sweep, "ladder": ladder})
    print(say("bench.written", path=path))
    return 0


def measure(root: Path, rows: int, cols: int, dtype: str, flush: Any) -> list[dict[str, Any]]:
    """The copy and every configuration at one shape, taking turns. Raises UserError for a wrong result."""
    import torch

    shape = Shape(rows, cols, dtype, "cuda", load_module(solution_of(root), once=True))
    x = shape.x.double()
    want = torch.exp(x - x.max(1, keepdim=True).values)
    want = (want / want.sum(1, keepdim=True)).float()
    del x
    contenders = {COPY: ((lambda: None), lambda: shape.y.copy_(shape.x))}
    for chosen in configurations(cols, WIDTHS[dtype]):
        prepare, launch = shape.launcher(chosen)
        shape.y.fill_(float("nan"))
        prepare()
        launch()
        error = ((shape.y.float() - want).abs() / want).max().item()
        if not error < (1e-2 if dtype == "bfloat16" else 1e-4):
            what = f"{chosen}, {dtype} {rows} x {cols}"
            raise UserError(Message.of("bench.sweep-wrong", what=what, error=error))
        contenders[chosen] = prepare, launch
    del want
    times: dict[Configuration, list[float]] = {chosen: [] for chosen in contenders}
    for _ in range(SAMPLES):
        for chosen, (prepare, launch) in contenders.items():
            times[chosen].append(sample(flush, prepare, launch))
    copy = statistics.median(times[COPY])
    found = []
    for chosen, taken in times.items():
        low, middle, high = statistics.quantiles(taken, n=4)
        launched = {"num_warps": chosen.warps, "maxnreg": chosen.registers} if chosen.warps else {}
        found.append({
            "dtype": dtype, "rows": rows, "cols": cols, "kernel": chosen.kernel,
            "config": dict(chosen.constants) | launched, "median_us": round(middle, 2),
            "spread_us": round(high - low, 2), "percent_of_copy": round(100 * copy / middle, 1),
        })  # fmt: skip
    return found


def measure_ladder(root: Path, rows: int, cols: int, dtype: str, flush: Any) -> list[dict[str, Any]]:
    """The copy and the reading ladder's rungs, as a learner calls them."""
    import torch

    x = torch.randn((rows, cols), device="cuda", dtype=getattr(torch, dtype))
    y = torch.empty_like(x)
    found: list[dict[str, Any]] = []
    for name in ("copy", *LADDER):
        if name == "triton_single_tile" and cols > 65536:
            continue  # no thread has room for its share of so long a row
        source = root / "solutions" / "ladder" / f"{name}.py"
        rung = None if name == "copy" else getattr(load_module(source, once=True), name)
        function = partial(rung, x, y) if rung else partial(y.copy_, x)
        function()
        taken = statistics.median(sample(flush, lambda: None, function) for _ in range(SAMPLES))
        found.append({"dtype": dtype, "rows": rows, "cols": cols, "kernel": name, "median_us": round(taken, 2)})
    for row in found:
        row["percent_of_copy"] = round(100 * found[0]["median_us"] / row["median_us"], 1)
    return found


def sample(flush: Any, prepare: Callable[[], Any], launch: Callable[[], Any]) -> float:
    """One launch, in microseconds."""
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    prepare()
    flush.zero_()
    begin.record()
    launch()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end) * 1e3)


def write(path: Path, header: Mapping[str, Any], tables: Mapping[str, Sequence[Any]]) -> None:
    """One measurement a line, so that a later recording shows as a readable difference."""
    parts = [f'"{key}": {json.dumps(value)}' for key, value in header.items()]
    for name, rows in tables.items():
        lines = ",\n  ".join(json.dumps(row) for row in rows)
        parts.append(f'"{name}": [\n  {lines}\n ]')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")
