"""The graders on a GPU: every solution, and the corpora of right, wrong and hostile submissions; or the corpora on the
simulator, of which the test suite has a sample; or a class of synthetic students (`classes`), or what a complete one
costs (`complete`), or to begin with a file (`starts`).

But:    it says what the graders decide, not how long they take: its processes share the card.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import date
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from onekernel.bench import command, device, records
from onekernel.bench.grading import classes, complete, side_by_side, solutions, starts
from onekernel.bench.timing import took
from onekernel.course import find_root
from onekernel.messages import say

_INSTALLED = any(e.value == "onekernel.pytest_plugin" for e in entry_points(group="pytest11"))
_PLUGIN = [] if _INSTALLED else ["-p", "onekernel.pytest_plugin"]  # a checkout that is run as it stands
_PYTEST = [sys.executable, "-m", "pytest", *_PLUGIN]
CORPORA = "tests/grading/test_corpus.py"


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    results = options.out or records.results(root)
    if options.starts:
        return starts.main(root, results)
    if options.complete:
        return complete.main(root, results)
    if options.speed_up:
        return side_by_side.main(root, options.speed_up, results)
    if options.mixed or options.read:
        return classes.main(root, options.mixed, options.read, options.jobs, results)
    if options.device == "simulator" and not options.dry_run:
        return _simulated(root, options.jobs, results)
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        print(say("bench.grading-line", solutions="solutions/", corpora=CORPORA))
        print("  " + records.expected(root, "grading").text())
        return 0
    if options.gpus:
        return side_by_side.on_gpus(root, options.gpus, results)
    began = time.perf_counter()
    card = device.current()
    path, runs = results / card.slug / "grading.json", list[dict[str, Any]]()
    parts = (partial(solutions.run, root, "cuda", options.jobs, options.kept),
             partial(_corpora, root, options.jobs, sample=options.sample))  # fmt: skip
    for part in parts:
        runs.append(part())
        result = {"bench": "grading", "device": asdict(card), **device.provenance(), "runs": runs, "took": took(began)}
        records.write(path, result)
        run = runs[-1]
        print(f"{run['command']}: " + ", ".join(f"{v} {k}" for k, v in run.items() if isinstance(v, int | float)))
        for name in run.get("names", []):
            print(f"    {name}")
    print(say("bench.written", path=path))
    return 0 if all(not run.get("failed") for run in runs) else 1


def _simulated(root: Path, jobs: int, results: Path) -> int:
    """The corpora on the simulator: bench/results/cpu/grading.json."""
    began, path = time.perf_counter(), results / "cpu" / "grading.json"
    run = _corpora(root, jobs, "simulator")
    facts = {
        "bench": "grading",
        "command": "python bench/grading.py --device simulator",
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


def _corpora(root: Path, jobs: int, on: str = "cuda", sample: bool = False) -> dict[str, Any]:
    """The tests of the corpora, whose files say what must become of them: dealt to several processes, because most of
    each test's time is a compiler's and an import's."""
    began, words = time.perf_counter(), ["--device", on, CORPORA]
    listed = [*_PYTEST, *words, *([] if sample else ["--corpora"]), "--collect-only", "-q"]
    asked = subprocess.run(listed, cwd=root, capture_output=True, text=True)
    tests = [line for line in asked.stdout.splitlines() if line.startswith(CORPORA)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        parts = [(Path(folder) / f"{n}.xml", tests[n::jobs]) for n in range(jobs) if tests[n::jobs]]
        cases = [case for found in pool.map(lambda part: _run(root, on, *part), parts) for case in found]
    skipped = [c for c in cases if c.find("skipped") is not None]
    failed = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    lost = len(tests) - len(cases)
    return {
        "command": "pytest " + " ".join(words),
        "what": ("a sample of " if sample else "")
        + f"the corpora of right, wrong and hostile submissions on the {'GPU' if on == 'cuda' else 'simulator'}",
        "passed": len(cases) - len(skipped) - len(failed),
        "skipped": len(skipped),
        "failed": len(failed) + lost,
        "seconds": round(time.perf_counter() - began),
        "names": [c.get("name", "") for c in failed] + ([f"{lost} tests left no result"] if lost else []),
        "note": "skipped: what only the simulator sees, and doors that a GPU machine cannot close",
    }


def _run(root: Path, on: str, report: Path, tests: Sequence[str]) -> list[ElementTree.Element]:
    """The results of some tests, run in one process."""
    words = ["--device", on, "-q", "--corpora", "-p", "no:cacheprovider", f"--junitxml={report}", *tests]
    subprocess.run([*_PYTEST, *words], cwd=root, stdout=subprocess.DEVNULL)
    return list(ElementTree.parse(report).getroot().iter("testcase")) if report.is_file() else []


def _parser() -> Any:
    parser = command.parser("grading")
    command.option(parser, "grading", "--device", choices=["cuda", "simulator"], default="cuda")
    command.option(parser, "grading", "--jobs", type=int, default=6, metavar="N")
    command.option(parser, "grading", "--class", type=int, nargs="+", default=[], metavar="N", dest="mixed")
    command.option(parser, "grading", "--class-read", type=int, nargs="+", default=[], metavar="N", dest="read")
    command.option(parser, "grading", "--starts", action="store_true")
    command.option(parser, "grading", "--complete", action="store_true")
    command.option(parser, "grading", "--speed-up", type=int, nargs="+", default=[], metavar="N")
    command.option(parser, "grading", "--gpus", type=int, nargs="+", default=[], metavar="N")
    command.option(parser, "grading", "--sample", action="store_true")
    command.option(parser, "grading", "--kept", type=Path, metavar="DIR")
    command.option(parser, "grading", "--out", type=Path, metavar="DIR")
    return parser
