"""What a byte-identical forward pass costs: time and memory of the shipped MiniGPT on this machine's CPU.

Time:   the best of 7 forward passes after one that is not counted, because what else the machine does only ever adds to
        a time; the slowest is kept beside it. Two threads; each row in a process of its
        own, so that its peak memory (ru_maxrss, interpreter and libraries included) is its own.
But:    CPU times of an instrument for comparing bytes. They say nothing about any GPU, nor about how fast a GPT can be.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from audits import command, records
from audits.records import took
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.messages import say

ROWS = ("numpy native", "numpy identical", "torch native", "torch identical")
THREADS = 2
SECONDS_LIMIT, BYTES_LIMIT = 20.0, 2e9  # what a byte-identical pass of 64 positions may take on two cores


def forward(row: str, length: int) -> Callable[[], Any]:
    """A function without arguments that does one forward pass of the trained model."""
    from onekernel.minigpt import weights
    from onekernel.minigpt.arithmetic import Reproducible
    from onekernel.minigpt.model import MiniGPT, Native

    library, operators = row.split()
    tokens = np.random.default_rng(0).integers(0, 256, (1, length))
    if library == "numpy":
        model = MiniGPT(
            weights.SHIPPED_CONFIG, weights.load(), Reproducible(np) if operators == "identical" else Native()
        )
        return lambda: model.logits(tokens)
    import torch

    from onekernel.loading import load_module

    torch.set_num_threads(THREADS)
    module = load_module(find_root() / "solutions" / "torch_minigpt.py")
    held = {name: torch.tensor(w, dtype=torch.float64) for name, w in weights.load().items()}
    chosen = Reproducible(torch) if operators == "identical" else module.NativeOperators()
    port = module.TorchMiniGPT(weights.SHIPPED_CONFIG, held, chosen).requires_grad_(False)
    return lambda: port(torch.from_numpy(tokens))


def measure(row: str, length: int) -> dict[str, float]:
    """The time of one row of ROWS and the peak memory of this process, in seconds and bytes."""
    run = forward(row, length)
    run()
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return {
        "seconds": round(min(seconds), 4),
        "slowest": round(max(seconds), 4),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def table(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """The rows beside the limits of a byte-identical pass."""
    body = []
    for row, cost in rows.items():
        identical = row.endswith("identical")
        limit = in_numbers("{:.0f} s, {:.0f} MB", SECONDS_LIMIT, BYTES_LIMIT / 1e6) if identical else "-"
        seconds, megabytes = in_numbers("{:.3f}", cost["seconds"]), in_numbers("{:.0f}", cost["peak_bytes"] / 1e6)
        body.append([row, seconds, megabytes, limit])
    columns = [in_each("column-library"), "s", in_each("column-peak"), in_each("column-limit")]
    return {"columns": columns, "rows": body}


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    if options.row:
        print(json.dumps(measure(options.row, options.length)))
        return 0
    root = find_root()
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.byte_identity.cost"))
        print("  " + say("bench.minigpt-line", rows=", ".join(ROWS), length=options.length))
        print("  " + records.expected(root, "minigpt").text())
        return 0
    began = time.perf_counter()
    rows = {row: _in_a_process_of_its_own(row, options.length) for row in ROWS}
    records.write(options.out or records.results(root) / "cpu" / "minigpt.json", {
        "what": f"one forward pass of the trained MiniGPT, {options.length} positions, float64",
        "machine": f"{device.processor()}, {os.cpu_count()} cores",
        "threads": THREADS,
        "versions": {name: device.versions()[name] for name in ("python", "numpy", "torch")},
        "date": date.today().isoformat(),
        "command": "python -m audits.byte_identity.cost",
        "took": took(began),
        "limits": {"seconds": SECONDS_LIMIT, "peak_bytes": BYTES_LIMIT},
        "rows": rows,
        "tables": {"cost": table(rows)},
    }, indent=2)  # fmt: skip
    return _verdict([cost for row, cost in rows.items() if row.endswith("identical")])


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("minigpt", "audits.byte_identity.cost")
    command.option(parser, "minigpt", "--length", type=int, default=64, metavar="N")
    command.option(parser, "minigpt", "--out", type=Path, metavar="FILE")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    return parser


def _in_a_process_of_its_own(row: str, length: int) -> dict[str, float]:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(THREADS))
    words = [sys.executable, "-m", "audits.byte_identity.cost", "--length", str(length), "--row", row]
    done = subprocess.run(words, env={**os.environ, **threads}, capture_output=True, text=True, check=True)
    cost: dict[str, float] = json.loads(done.stdout)
    print(f"{row:16} {cost['seconds']:8.4f} s  {cost['peak_bytes'] / 2**20:6.0f} MiB")
    return cost


def _verdict(identical: Sequence[Mapping[str, float]]) -> int:
    """Says how far the byte-identical rows are from their limits. The exit status: 1 above one of them."""
    worst = {key: max(cost[key] for cost in identical) for key in ("seconds", "peak_bytes")}
    kept = worst["seconds"] <= SECONDS_LIMIT and worst["peak_bytes"] <= BYTES_LIMIT
    print(say("bench.within-limits" if kept else "bench.above-limits", seconds=worst["seconds"],
              most_seconds=SECONDS_LIMIT, megabytes=worst["peak_bytes"] / 1e6,
              most_megabytes=BYTES_LIMIT / 1e6))  # fmt: skip
    return 0 if kept else 1


if __name__ == "__main__":  # also of a row, in a process of its own
    sys.exit(command.run(main))
