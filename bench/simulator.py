"""The simulator's cost: time by mode, numba's CUDA simulator on the same work, memory, growth, a first check of a lab.

Run:    python bench/simulator.py                    needs numba; writes bench/results/cpu/simulator.json
        python bench/simulator.py --without-numba    our own modes alone
Times:  of the whole call, copies in and out included: wall clock, the best of seven after one that warms up. Modes fast
        and bounds run on all cores, check and count on one.
But:    numba's simulator runs each thread in Python, so it is timed on a part of the work and scaled to the whole, as
        the table says. And this is the speed of a checker: it says nothing about a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

import simulator_limits as limits  # noqa: E402

from onekernel.backends import simulator  # noqa: E402
from onekernel.backends.base import Buffer  # noqa: E402
from onekernel.backends.simulator.compiler import compiler  # noqa: E402
from onekernel.backends.simulator.program import MODES  # noqa: E402
from onekernel.bench.timing import took  # noqa: E402

N = 1 << 20
ROWS = COLS = 1024
NUMBA_ELEMENTS = 2048
NUMBA_ROWS = 2


def buffer(name: str, array: np.ndarray, writable: bool) -> Buffer:
    memory = np.full(array.nbytes + 512, 0xFF, np.uint8)
    memory[256 : 256 + array.nbytes] = array.reshape(-1).view(np.uint8)
    return Buffer(name, memory, 256, array.nbytes, writable, array.itemsize)


def content(buf: Buffer) -> np.ndarray:
    return np.frombuffer(buf.memory[buf.offset : buf.offset + buf.extent].tobytes(), np.float32)


def best(call: Callable[[], float], repeats: int = 7) -> dict[str, float]:
    """The best wall clock, the best processor time of all threads: what else the machine does only adds to a time."""

    def both() -> tuple[float, float]:
        before = resource.getrusage(resource.RUSAGE_SELF)
        seconds = call()
        after = resource.getrusage(resource.RUSAGE_SELF)
        return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    both()
    wall, cpu = zip(*(both() for _ in range(repeats)), strict=True)
    return {"seconds": min(wall), "cpu_seconds": min(cpu)}


def vector_add(mode: str) -> dict[str, float]:
    """Seconds of one million-element vector add; the result is checked."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, N)).astype(np.float32)
    program = simulator.build(ROOT / "solutions" / "vector_add.cu", mode)

    def once() -> float:
        out = buffer("out", np.zeros(N, np.float32), True)
        report = program.call("vector_add", [buffer("a", a, False), buffer("b", b, False), out, N])
        if report.status or report.findings or not np.array_equal(content(out), a + b):
            raise SystemExit(f"vector_add in mode {mode} went wrong: {[str(f) for f in report.findings]}")
        return report.seconds

    return best(once)


def softmax(mode: str, rows: int = ROWS, repeats: int = 7) -> dict[str, float]:
    """Seconds of softmax_block on rows x 1024 float32; the result is checked."""
    x = np.random.default_rng(0).standard_normal((rows, COLS)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted = e / e.sum(1, keepdims=True)
    program = simulator.build(ROOT / "solutions" / "softmax_block.cu", mode)

    def once() -> float:
        y = buffer("y", np.zeros_like(x), True)
        report = program.call("softmax_block", [buffer("x", x, False), y, rows, COLS, COLS, COLS])
        if report.status or report.findings or not np.allclose(content(y).reshape(x.shape), wanted, rtol=1e-5, atol=0):
            raise SystemExit(f"softmax_block in mode {mode} went wrong: {[str(f) for f in report.findings]}")
        return report.seconds

    return best(once, repeats)


def edit_to_verdict() -> float:
    """Seconds from a changed file to its report, compilation included: the median of three edits of vector_add."""
    text = (ROOT / "solutions" / "vector_add.cu").read_text(encoding="utf-8")
    a = np.ones(1000, np.float32)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vector_add.cu"
        for i in range(4):
            path.write_text(f"{text}\n// edit {i} {time.time_ns()}\n", encoding="utf-8")
            start = time.perf_counter()
            out = buffer("out", np.zeros(1000, np.float32), True)
            simulator.build(path).call("vector_add", [buffer("a", a, False), buffer("b", a, False), out, 1000])
            times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def numba_seconds() -> dict[str, Any]:
    """numba's CUDA simulator on parts of the same work: the same grid of threads, the same tree in shared memory."""
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    import numba
    from simulator_numba import THREADS, add, softmax_rows

    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, NUMBA_ELEMENTS)).astype(np.float32)
    out = np.zeros_like(a)
    start = time.perf_counter()
    add[NUMBA_ELEMENTS // THREADS, THREADS](a, b, out)
    add_seconds = time.perf_counter() - start
    x = rng.standard_normal((NUMBA_ROWS, COLS)).astype(np.float32)
    y = np.zeros_like(x)
    start = time.perf_counter()
    softmax_rows[NUMBA_ROWS, THREADS](x, y)
    softmax_seconds = time.perf_counter() - start
    if not np.array_equal(out, a + b) or abs(y.sum() - NUMBA_ROWS) > 1e-3:
        raise SystemExit("numba's simulator gave wrong numbers")
    return {
        "version": numba.__version__,
        "vector_add": {"elements": NUMBA_ELEMENTS, "seconds": add_seconds, "whole": add_seconds * N / NUMBA_ELEMENTS},
        "softmax": {"rows": NUMBA_ROWS, "seconds": softmax_seconds, "whole": softmax_seconds * ROWS / NUMBA_ROWS},
    }


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--without-numba", action="store_true")
    parser.add_argument("--peak-memory", choices=MODES, help="print this process's peak, in bytes, after one softmax")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "cpu" / "simulator.json")
    options = parser.parse_args()
    if options.peak_memory:
        softmax(options.peak_memory, repeats=1)
        print(limits.my_peak_memory())
        return

    began = time.perf_counter()
    result: dict[str, Any] = {
        "command": "python " + " ".join(["bench/simulator.py", *sys.argv[1:]]),
        "date": date.today().isoformat(),
        "machine": f"{processor()}, {len(os.sched_getaffinity(0))} cores",
        "load_before": os.getloadavg()[0],
        "versions": {"compiler": compiler().version, "python": platform.python_version(), "numpy": np.__version__},
        "modes": {mode: {"vector_add": vector_add(mode), "softmax_block": softmax(mode)} for mode in MODES},
    }
    result["edit_to_verdict"] = edit_to_verdict()
    result["peak_memory"] = {mode: limits.peak_memory(Path(__file__), mode) for mode in MODES}
    result["growth"] = {
        mode: limits.growth({rows: softmax(mode, rows)["cpu_seconds"] for rows in limits.DECADES})
        for mode in ("check", "count")
    }
    result["cold_check"] = limits.cold_check()
    result["tables"] = {"limits": limits.table(result)}
    if not options.without_numba:
        result["numba"] = numba_seconds()

    result["took"] = took(began)
    print(f"{result['machine']}, {result['versions']['compiler']}, {result['date']}")
    print(f"{'':28}{'vector add, 2^20':>20}{'softmax, 1024^2':>20}")
    for mode, times in result["modes"].items():
        add, soft = times["vector_add"]["seconds"] * 1e3, times["softmax_block"]["seconds"] * 1e3
        print(f"{'mode ' + mode:28}{add:>17.1f} ms{soft:>17.1f} ms")
    if numba := result.get("numba"):
        add, soft = numba["vector_add"], numba["softmax"]
        name = f"numba {numba['version']} simulator *"
        print(f"{name:28}{add['whole'] * 1e3:>17.0f} ms{soft['whole'] * 1e3:>17.0f} ms")
        check = result["modes"]["check"]
        result["times_faster"] = {
            "vector_add": add["whole"] / check["vector_add"]["seconds"],
            "softmax": soft["whole"] / check["softmax_block"]["seconds"],
        }
        faster = result["times_faster"]
        print(f"{'check against numba':28}{faster['vector_add']:>18.0f} x{faster['softmax']:>18.0f} x")
        print(f"* measured on {add['elements']} elements and {soft['rows']} rows, times the rest")
    print(f"edit to verdict of vector_add: {result['edit_to_verdict']:.2f} s")
    for what, measured, cpu, limit in result["tables"]["limits"]["rows"]:
        cells = (cell if isinstance(cell, str) else cell["en"] for cell in (measured, cpu, limit))
        print(f"{what['en']:82}" + "".join(f"{cell:>10}" for cell in cells))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"written to {options.output}")


if __name__ == "__main__":
    main()
