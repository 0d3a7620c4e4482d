"""What the simulator costs: time by mode, numba's CUDA simulator on the same work, memory, growth, a lab's first check.

But:    this is the speed of a checker: it says nothing about a GPU.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from audits import command, records
from audits.records import took
from audits.simulator import cost, counting, limits, ratios, scale
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.messages import language, say
from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.program import MODES


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    if options.peak_memory:
        cost.softmax(root, options.peak_memory, options.peak_rows, repeats=1)
        print(limits.my_peak_memory())
        return 0
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.simulator"))
        print("  " + say("bench.simulator-line", modes=", ".join(MODES)))
        print("  " + records.expected(root, "simulator").text())
        return 0
    if options.ratios:
        path = options.output or records.results(root) / "cpu" / "modes.json"
        records.write(path, ratios.measure(root), indent=1)
        print(say("bench.written", path=path))
        return 0
    path = options.output or records.results(root) / "cpu" / "simulator.json"
    if options.counting or options.scale:
        result = dict(records.read(path))
        if options.counting:
            result["counting"] = counting.measure(root)
        if options.scale:
            result["scale"] = scale.measure(root, __name__)
        result["tables"] = {"limits": limits.table(result)}
    else:
        result = measure(root, argv, with_numba=not options.without_numba)
    _print(result)
    records.write(path, result, indent=2)
    print(say("bench.written", path=path))
    return 0


def measure(root: Path, argv: Sequence[str], with_numba: bool) -> dict[str, Any]:
    """The result file's content."""
    began = time.perf_counter()
    result: dict[str, Any] = {
        "command": shlex.join(["python", "-m", "audits.simulator", *argv]),
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "load_before": os.getloadavg()[0],
        "versions": {"compiler": compiler().version, "python": platform.python_version(), "numpy": np.__version__},
        "modes": {
            mode: {"vector_add": cost.vector_add(root, mode), "softmax_block": cost.softmax(root, mode)}
            for mode in MODES
        },
        "edit_to_verdict": cost.edit_to_verdict(root),
        "peak_memory": {mode: limits.peak_memory(__name__, mode) for mode in MODES},
    }
    result["growth"] = {
        mode: limits.growth({rows: cost.softmax(root, mode, rows)["cpu_seconds"] for rows in limits.DECADES})
        for mode in ("check", "count")
    }
    result["cold_check"] = limits.cold_check(root)
    result["counting"] = counting.measure(root)
    result["scale"] = scale.measure(root, __name__)
    result["tables"] = {"limits": limits.table(result)}
    if with_numba:
        from audits.simulator.numba_cost import numba_seconds

        result["numba"] = numba_seconds()
        check = result["modes"]["check"]
        result["times_faster"] = {
            "vector_add": result["numba"]["vector_add"]["whole"] / check["vector_add"]["seconds"],
            "softmax": result["numba"]["softmax"]["whole"] / check["softmax_block"]["seconds"],
        }
    result["took"] = took(began)
    return result


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("simulator", "audits.simulator")
    command.option(parser, "simulator", "--without-numba", action="store_true")
    command.option(parser, "simulator", "--counting", action="store_true")
    command.option(parser, "simulator", "--scale", action="store_true")
    command.option(parser, "simulator", "--ratios", action="store_true")
    command.option(parser, "simulator", "--output", type=Path, metavar="FILE")
    parser.add_argument("--peak-memory", choices=MODES, help=argparse.SUPPRESS)
    parser.add_argument("--peak-rows", type=int, default=cost.ROWS, help=argparse.SUPPRESS)
    return parser


def _print(result: Mapping[str, Any]) -> None:
    print(f"{result['machine']}, {result['versions']['compiler']}, {result['date']}")
    print(f"{'':28}{'vector add, 2^20':>20}{'softmax, 1024^2':>20}")
    for mode, times in result["modes"].items():
        add, soft = times["vector_add"]["seconds"] * 1e3, times["softmax_block"]["seconds"] * 1e3
        print(f"{say('bench.simulator-mode', mode=mode):28}{add:>17.1f} ms{soft:>17.1f} ms")
    if numba := result.get("numba"):
        add, soft, faster = numba["vector_add"], numba["softmax"], result["times_faster"]
        name = say("bench.simulator-numba", version=numba["version"])
        print(f"{name:28}{add['whole'] * 1e3:>17.0f} ms{soft['whole'] * 1e3:>17.0f} ms")
        name = say("bench.simulator-faster")
        print(f"{name:28}{faster['vector_add']:>18.0f} x{faster['softmax']:>18.0f} x")
        print(say("bench.simulator-part", elements=add["elements"], rows=soft["rows"]))
    print(say("bench.simulator-edit", seconds=result["edit_to_verdict"]))
    for what, measured, cpu, limit in result["tables"]["limits"]["rows"]:
        cells = (cell if isinstance(cell, str) else cell[language()] for cell in (measured, cpu, limit))
        print(f"{what[language()]:82}" + "".join(f"{cell:>10}" for cell in cells))


if __name__ == "__main__":  # the peak memory of a process of its own
    sys.exit(main(sys.argv[1:]))
