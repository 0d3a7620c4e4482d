"""How long the test suite takes: by the clock and in processor time, the fast tests and all of them.

Each part is what the Makefile runs, on as many cores as asked, and begins with an empty cache of builds where it says
so. Processor time is that of every process of the part, of those that its own left behind too.

But:    a part with a failure is not recorded: its tests did not all do their work.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from audits import command, records
from audits.records import processor_seconds
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.messages import say

PARTS: dict[str, tuple[list[str], bool]] = {
    "fast-anew": (["-m", "not slow"], True),
    "fast": (["-m", "not slow"], False),
    "all": ([], True),
    "corpora": (["--corpora"], True),
}
"""What pytest is told, and whether nothing is built before. The last one, which takes hours, only where it is asked."""
_COLUMNS = ("part", "cores", "tests", "seconds", "processor", "machine", "date")
_PR_SET_CHILD_SUBREAPER = 36
_REST_SECONDS = 60.0


def main(argv: Sequence[str]) -> int:
    """Writes bench/results/cpu/suite.json: the rows of other parts and numbers of cores stay as they are."""
    options, root = _parser().parse_args(argv), find_root()
    cores = sorted(os.sched_getaffinity(0))[: options.cores]
    if options.cores is not None and options.cores < 1:
        raise command.too_small("--cores", options.cores)
    if options.dry_run:
        for part in options.only:
            print(say("bench.suite-line", part=say(f"bench.suite-{part}"), cores=len(cores)))
        return 0
    path = (options.out or records.results(root)) / "cpu" / "suite.json"
    runs = list(records.read(path)["runs"]) if path.is_file() else []
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for part in options.only:
            run = _part(part, cores, root, Path(folder))
            print(", ".join(f"{key} {value}" for key, value in run.items()), flush=True)
            if run["failed"]:
                failed = True
                continue
            runs = [*(r for r in runs if (r["part"], r["cores"]) != (part, len(cores))), run]
            runs.sort(key=lambda r: (r["cores"], list(PARTS).index(r["part"])))
            records.write(path, _result(runs))
    print(say("bench.suite-failed" if failed else "bench.written", path=path))
    return 1 if failed else 0


def _parser() -> Any:
    parser = command.parser("suite", "audits.suite")
    command.option(parser, "suite", "--cores", type=int, metavar="N")
    command.option(parser, "suite", "--only", nargs="+", choices=list(PARTS), default=list(PARTS)[:-1])
    command.option(parser, "suite", "--out", type=Path, metavar="DIR")
    return parser


def _part(part: str, cores: Sequence[int], root: Path, folder: Path) -> dict[str, Any]:
    """Runs the tests of a part on `cores`; times in seconds."""
    words, anew = PARTS[part]
    cache = folder / (part if anew else "fast-anew")  # the fast ones again find what they have built
    report = folder / f"{part}.xml"
    told = [sys.executable, "-m", "pytest", "-n", str(len(cores)), "--dist", "worksteal", "-q", *words]
    told += [f"--junitxml={report}", "-p", "no:cacheprovider"]
    environment = {**os.environ, "ONEKERNEL_CACHE": str(cache)}
    began, before = time.perf_counter(), processor_seconds(resource.RUSAGE_CHILDREN)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        # The threads of one process may differ in their cores: those of the new one are chosen before it begins.
        process = subprocess.Popen(told, cwd=root, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        _wait_for(process)
        seconds = time.perf_counter() - began
        _wait_for_the_rest()
    finally:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    return {
        "part": part,
        "command": "pytest " + " ".join(told[3 : told.index("-q")] + words),
        "cores": len(cores),
        **_counts(report),
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor_seconds(resource.RUSAGE_CHILDREN) - before, 1),
        "machine": device.processor(),
        "date": date.today().isoformat(),
        "python": platform.python_version(),
    }


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    """Takes those of its family that end before it, as init does: a test may wait until one is gone."""
    pid = status = 0
    while pid != process.pid:
        pid, status = os.wait()
    process.returncode = os.waitstatus_to_exitcode(status)


def _wait_for_the_rest() -> None:
    """Takes the processes whose parents have ended, so that their time is counted; they end by themselves, soon."""
    end = time.monotonic() + _REST_SECONDS
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.1)


def _counts(report: Path) -> dict[str, int]:
    """What pytest's report counts; one that is not there is a failure."""
    if not report.is_file():
        return {"passed": 0, "skipped": 0, "failed": 1}
    told = {key: 0 for key in ("tests", "skipped", "failures", "errors")}
    for suite in ET.parse(report).getroot().iter("testsuite"):
        told = {key: n + int(suite.get(key, 0)) for key, n in told.items()}
    failed = told["failures"] + told["errors"]
    return {"passed": told["tests"] - told["skipped"] - failed, "skipped": told["skipped"], "failed": failed}


def _result(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    newest = max(runs, key=lambda run: str(run["date"]))
    rows = [
        [in_each(f"suite-{r['part']}"), str(r["cores"]), in_numbers("{:,}", r["passed"]),
         in_numbers("{:,.0f}", r["seconds"]), in_numbers("{:,.0f}", r["processor_seconds"]), r["machine"], r["date"]]
        for r in runs
    ]  # fmt: skip
    return {
        "bench": "suite",
        "command": "make suite",
        "date": newest["date"],
        "machine": newest["machine"],
        "versions": {"python": newest["python"]},
        "runs": list(runs),
        "tables": {"runs": {"columns": [in_each(f"suite-{column}") for column in _COLUMNS], "rows": rows}},
    }
