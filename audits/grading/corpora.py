"""The corpora of right, wrong and hostile submissions, whose files say what must become of them: the tests of which
the suite runs a sample, dealt to several processes, because most of each test's time is a compiler's and an import's.

A few tests in each process, whose results are kept as they come: a machine that is lent for minutes runs a part. Each
process sees one GPU; several are dealt to them in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import audits
from audits import dealt
from audits.grading import keeping
from onekernel.errors import UserError
from onekernel.messages import Message

_INSTALLED = any(e.value == "onekernel.pytest_plugin" for e in entry_points(group="pytest11"))
_PLUGIN = [] if _INSTALLED else ["-p", "onekernel.pytest_plugin"]  # a checkout that is run as it stands
_PYTEST = [sys.executable, "-m", "pytest", *_PLUGIN]
_HERE = str(Path(audits.__file__).parents[1])  # where pytest finds the plugin below, whatever it is run on
TESTS = "tests/grading/test_corpus.py"
KEPT = "corpora.jsonl"
OF_A_PROCESS = 8  # tests at most, after which its memory goes back; of many processes each has fewer: some take minutes


def run(root: Path, jobs: int, on: str = "cuda", sample: bool = False, kept: Path | None = None) -> dict[str, Any]:
    """Runs them on `on`, or the suite's `sample` of them.

    `kept`: the folder of a run that was interrupted; the tests whose results it holds are not run again.
    """
    began, words = time.perf_counter(), ["--device", on, TESTS]
    gpus = dealt.gpus_of(on)
    listed = [*_PYTEST, *words, *([] if sample else ["--corpora"]), "--collect-only", "-q"]
    plain = {**os.environ, "PYTEST_ADDOPTS": ""}  # a -v there would take the -q back
    asked = subprocess.run(listed, cwd=root, capture_output=True, text=True, env=plain)
    tests = [line for line in asked.stdout.splitlines() if line.startswith(TESTS)]
    if not tests:
        said = (asked.stdout + asked.stderr).strip().splitlines()
        raise UserError(Message.of("bench.no-corpora", command=" ".join(listed[1:]), why=said[-1] if said else "-"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        book = (kept or Path(folder)) / KEPT
        book.parent.mkdir(parents=True, exist_ok=True)
        left = [test for test in tests if test not in _read(book)]
        of_each = max(1, min(OF_A_PROCESS, len(left) // (4 * jobs)))
        few = [left[n : n + of_each] for n in range(0, len(left), of_each)]

        def keep(number: int) -> None:
            words = ["--device", on, "-q", "--corpora", "-p", "no:cacheprovider", *few[number]]
            command = [*_PYTEST, "-p", keeping.__name__, *words]
            environment = {**os.environ, keeping.BOOK: str(book.resolve()), **dealt.seen(number, gpus)}
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, [_HERE, os.environ.get("PYTHONPATH")]))
            subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, env=environment)

        list(pool.map(keep, range(len(few))))
        ended = {test: how for test, how in _read(book).items() if test in tests}
    names = [test.partition("::")[2] for test, how in ended.items() if how == "failed"]
    lost = len(tests) - len(ended)
    return {
        "command": "pytest " + " ".join(words),
        "what": ("a sample of " if sample else "")
        + f"the corpora of right, wrong and hostile submissions on the {'GPU' if on == 'cuda' else 'simulator'}",
        **{how: sum(one == how for one in ended.values()) for how in ("passed", "skipped")},
        "failed": len(names) + lost,
        "seconds": round(time.perf_counter() - began),
        "names": names + ([f"{lost} tests left no result"] if lost else []),
        "note": "skipped: doors that a GPU machine cannot close",
    }


def _read(book: Path) -> dict[str, str]:
    """How each test of the file ended."""
    lines = book.read_text(encoding="utf-8").splitlines() if book.is_file() else []
    return {line["test"]: line["ended"] for line in map(json.loads, lines)}
