"""What a byte-identical forward pass costs: time and memory of the shipped MiniGPT on this machine's CPU.

Run:    python bench/minigpt.py                writes bench/results/cpu/minigpt.json; exit status 1 above a limit
        python bench/minigpt.py --dry-run      says what it would measure
Time:   the best of 7 forward passes after one that is not counted, because what else the machine does only ever adds to
        a time; the slowest is kept beside it. Two threads; each row in a process of its
        own, so that its peak memory (ru_maxrss, interpreter and libraries included) is its own.
But:    CPU times of an instrument for comparing bytes. They say nothing about any GPU, nor about how fast a GPT can be.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel.bench import results  # noqa: E402
from onekernel.bench.timing import took  # noqa: E402
from onekernel.messages import say  # noqa: E402

ROWS = ("numpy native", "numpy identical", "torch native", "torch identical")
THREADS = 2
SECONDS_LIMIT, BYTES_LIMIT = 20.0, 2e9  # what a byte-identical pass of 64 positions may take on two cores


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
        "seconds": round(min(seconds), 4),
        "slowest": round(max(seconds), 4),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{named[0] if named else platform.machine()}, {os.cpu_count()} cores"


def table(rows: dict[str, dict[str, float]]) -> dict:
    """The rows beside the limits of a byte-identical pass."""
    body = []
    for row, cost in rows.items():
        limit = f"{SECONDS_LIMIT:.0f} s, {BYTES_LIMIT / 1e6:.0f} MB" if row.endswith("identical") else "-"
        body.append([row, f"{cost['seconds']:.3f}", f"{cost['peak_bytes'] / 1e6:.0f}", limit])
    columns = [{"en": "library, operators", "es": "biblioteca, operadores"}, "s",
               {"en": "peak MB", "es": "MB como máximo"}, {"en": "limit", "es": "límite"}]  # fmt: skip
    return {"columns": columns, "rows": body}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=64, help="positions (default 64)")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "cpu" / "minigpt.json")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    parser.add_argument("--dry-run", action="store_true")
    asked = parser.parse_args(argv)
    if asked.row:
        print(json.dumps(measure(asked.row, asked.length)))
        return 0
    if asked.dry_run:
        print(say("bench.dry-run-here", command="python bench/minigpt.py"))
        print("  " + say("bench.minigpt-line", rows=", ".join(ROWS), length=asked.length))
        print("  " + results.expected(ROOT, "minigpt").text())
        return 0
    began = time.perf_counter()
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(THREADS))
    rows = {}
    for row in ROWS:
        command = [sys.executable, __file__, "--length", str(asked.length), "--row", row]
        done = subprocess.run(command, env={**os.environ, **threads}, capture_output=True, text=True, check=True)
        rows[row] = json.loads(done.stdout)
        print(f"{row:16} {rows[row]['seconds']:8.4f} s  {rows[row]['peak_bytes'] / 2**20:6.0f} MiB")
    import torch

    record = {
        "what": f"one forward pass of the trained MiniGPT, {asked.length} positions, float64",
        "machine": processor(),
        "threads": THREADS,
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__},
        "date": date.today().isoformat(),
        "command": "python bench/minigpt.py",
        "took": took(began),
        "limits": {"seconds": SECONDS_LIMIT, "peak_bytes": BYTES_LIMIT},
        "rows": rows,
        "tables": {"cost": table(rows)},
    }
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps(record, indent=2) + "\n")
    identical = [cost for row, cost in rows.items() if row.endswith("identical")]
    worst = {key: max(cost[key] for cost in identical) for key in ("seconds", "peak_bytes")}
    kept = worst["seconds"] <= SECONDS_LIMIT and worst["peak_bytes"] <= BYTES_LIMIT
    values = {
        "seconds": f"{worst['seconds']:.2f}",
        "most_seconds": f"{SECONDS_LIMIT:.0f}",
        "megabytes": f"{worst['peak_bytes'] / 1e6:.0f}",
        "most_megabytes": f"{BYTES_LIMIT / 1e6:.0f}",
    }
    print(say("bench.within-limits" if kept else "bench.above-limits", **values))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
