"""What a byte-identical forward pass costs: time and memory of the shipped MiniGPT on this machine's CPU.

Run:    PYTHONPATH=src python bench/minigpt.py       writes bench/results/cpu/minigpt.json
Time:   the median of 7 forward passes after one that is not counted; two threads; each row in a process of its own, so
        that its peak memory (ru_maxrss, interpreter and libraries included) is its own.
But:    CPU times of an instrument for comparing bytes. They say nothing about any GPU, nor about how fast a GPT can be.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ROWS = ("numpy native", "numpy identical", "torch native", "torch identical")
THREADS = 2


def forward(row: str, length: int):
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

    from onekernel.minigpt.port_run import load_module

    torch.set_num_threads(THREADS)
    module = load_module(ROOT / "solutions" / "torch_minigpt.py")
    held = {name: torch.tensor(w, dtype=torch.float64) for name, w in weights.load().items()}
    chosen = Reproducible(torch) if operators == "identical" else module.NativeOperators()
    port = module.TorchMiniGPT(weights.SHIPPED_CONFIG, held, chosen).requires_grad_(False)
    return lambda: port(torch.from_numpy(tokens))


def measure(row: str, length: int) -> dict[str, float]:
    run = forward(row, length)
    run()
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return {
        "seconds": round(statistics.median(seconds), 4),
        "slowest": round(max(seconds), 4),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{named[0] if named else platform.machine()}, {os.cpu_count()} cores"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=64, help="positions (default 64)")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "cpu" / "minigpt.json")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.row:
        print(json.dumps(measure(asked.row, asked.length)))
        return
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(THREADS))
    results = {}
    for row in ROWS:
        command = [sys.executable, __file__, "--length", str(asked.length), "--row", row]
        done = subprocess.run(command, env={**os.environ, **threads}, capture_output=True, text=True, check=True)
        results[row] = json.loads(done.stdout)
        print(f"{row:16} {results[row]['seconds']:8.4f} s  {results[row]['peak_bytes'] / 2**20:6.0f} MiB")
    import torch

    record = {
        "what": f"one forward pass of the trained MiniGPT, {asked.length} positions, float64",
        "machine": processor(),
        "threads": THREADS,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "date": date.today().isoformat(),
        "command": "PYTHONPATH=src python bench/minigpt.py",
        "rows": results,
    }
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
