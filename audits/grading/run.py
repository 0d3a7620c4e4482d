"""The graders on a GPU: every solution, and the corpora of right, wrong and hostile submissions; or the corpora on the
simulator, of which the test suite has a sample; or a class of synthetic students (`classes`), or what a complete one
costs (`complete`), or to begin with a file (`starts`), or what one waits for on a GPU (`waits`).

But:    it says what the graders decide, not how long they take: its processes share the card.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from audits import command, records
from audits.grading import classes, complete, corpora, side_by_side, solutions, starts, waits
from audits.grading.side import FIRST
from audits.records import took
from onekernel.arguments import DEVICES, device_of
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.labs.reader import load
from onekernel.messages import say


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    results = options.out or records.results(root)
    if options.starts:
        return starts.main(root, results)
    if options.complete is not None:
        command.names(options.complete, [FIRST, *load(root).exercises])
        return complete.main(root, results, options.complete, options.beside)
    if options.speed_up:
        return side_by_side.main(root, options.speed_up, results)
    if options.mixed or options.read:
        return classes.main(root, options.mixed, options.read, options.jobs, results)
    if options.device == "simulator" and not options.dry_run:
        return _simulated(root, options.jobs, options.kept, results)
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        print(say("bench.grading-line", solutions="solutions/", corpora=corpora.TESTS))
        print("  " + records.expected(root, "grading").text())
        return 0
    if options.gpus:
        return side_by_side.on_gpus(root, options.gpus, results)
    if options.waits is not None:
        return waits.main(root, results, options.waits)
    began = time.perf_counter()
    card = device.current()
    path = results / card.slug / "grading.json"
    runs = list(records.read(path)["runs"]) if options.only and path.is_file() else []
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "solutions": partial(solutions.run, root, "cuda", options.jobs, options.kept),
        "corpora": partial(corpora.run, root, options.jobs, sample=options.sample, kept=options.kept),
    }
    for part in options.only or parts:
        run = {"date": date.today().isoformat(), **parts[part]()}
        runs = [*(one for one in runs if one["what"] != run["what"]), run]
        result = {"bench": "grading", "device": asdict(card), **device.provenance(), "runs": runs, "took": took(began)}
        records.write(path, result)
        print(f"{run['command']}: " + ", ".join(f"{v} {k}" for k, v in run.items() if isinstance(v, int | float)))
        for name in run.get("names", []):
            print(f"    {name}")
    print(say("bench.written", path=path))
    return 0 if all(not run.get("failed") for run in runs) else 1


def _simulated(root: Path, jobs: int, kept: Path | None, results: Path) -> int:
    """The corpora on the simulator: bench/results/cpu/grading.json."""
    began, path = time.perf_counter(), results / "cpu" / "grading.json"
    run = corpora.run(root, jobs, "simulator", kept=kept)
    facts = {
        "bench": "grading",
        "command": "python -m audits.grading --device simulator",
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version()},
    }
    records.write(path, {**facts, "runs": [run], "took": took(began)})
    print(f"{run['command']}: " + ", ".join(f"{v} {k}" for k, v in run.items() if isinstance(v, int | float)))
    for name in run["names"]:
        print(f"    {name}")
    print(say("bench.written", path=path))
    return 0 if not run["failed"] else 1


def _parser() -> Any:
    parser = command.parser("grading", "audits.grading")
    command.option(parser, "grading", "--device", choices=DEVICES[1:], type=device_of, default="cuda")
    command.option(parser, "grading", "--jobs", type=int, default=6, metavar="N")
    command.option(parser, "grading", "--class", type=int, nargs="+", default=[], metavar="N", dest="mixed")
    command.option(parser, "grading", "--class-read", type=int, nargs="+", default=[], metavar="N", dest="read")
    command.option(parser, "grading", "--starts", action="store_true")
    command.option(parser, "grading", "--complete", nargs="*", metavar="NAME")
    command.option(parser, "grading", "--beside", type=Path, metavar="DIR")
    command.option(parser, "grading", "--speed-up", type=int, nargs="+", default=[], metavar="N")
    command.option(parser, "grading", "--gpus", type=int, nargs="+", default=[], metavar="N")
    command.option(parser, "grading", "--waits", nargs="*", choices=[*waits.WHOLE, *waits.ALONE])
    command.option(parser, "grading", "--only", nargs="+", choices=["solutions", "corpora"], default=[])
    command.option(parser, "grading", "--sample", action="store_true")
    command.option(parser, "grading", "--kept", type=Path, metavar="DIR")
    command.option(parser, "grading", "--out", type=Path, metavar="DIR")
    return parser
