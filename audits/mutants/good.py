"""Right kernels, graded with many seeds: that none of them is refused.

The corpus tests/right and the solutions; each file is called on the inputs of all its seeds.
"""

from __future__ import annotations

import math
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from audits.mutants.files import Original, originals, right
from onekernel.checks import correct
from onekernel.checks.correct.judge import chosen
from onekernel.course import Check, Course
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.judging import judge_call
from onekernel.labs.reader import load
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request

SEEDS = 200  # of each file
MOST_ELEMENTS = 20_000  # of an input
SECONDS = 20.0
MOST_CALLS = 1000  # of a request: the answers of some thousand fill the disk that a submission gets


def right_files(root: Path, course: Course) -> dict[str, list[Original]]:
    """Operator -> its right files: the corpus, the solutions, the rungs of the ladder."""
    found: dict[str, list[Original]] = {}
    for path, slug in right(root):
        if operator := course.exercises[slug].operator:  # a port has none, and its tests grade it
            found.setdefault(operator, []).append(Original(path, slug, slug, 0))
    answered = [e for e in course.exercises.values() if e.operator and not e.home]  # a small one has its answer alone
    both = dict.fromkeys((path, e.slug) for e in answered for path in (course.solution(e), course.record(e)))
    solutions = [Original(path, slug, slug, 0) for path, slug in both]
    known = {o.path for o in solutions}
    for original in [*solutions, *(o for o in originals(root) if o.path not in known)]:
        operator = course.exercises[original.slug].operator
        if operator:
            found.setdefault(operator, []).append(original)
    return found


def measure(
    root: Path, course: Course, jobs: int, most: int, known: Mapping[str, int]
) -> Iterator[tuple[str, str, int, int, list[dict[str, Any]]]]:
    """Each file as it has been called, `jobs` at a time: operator, name, seeds, calls, refusals. Files that are `known`
    had so many seeds already; they get those that are missing to `most`."""
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        asked = {}
        for operator, files in sorted(right_files(root, course).items(), key=lambda one: (len(one[1]), one[0])):
            for original in files:
                name = original.path.name
                if seeds := lacking(name, known.get(name, 0), most):
                    asked[pool.submit(_graded, root, original, seeds)] = operator, name, len(seeds)
        for ended in as_completed(asked):
            yield *asked[ended], *ended.result()


def lacking(name: str, known: int, most: int) -> range:
    """The seeds that a file of this name lacks to `most`, which has the first `known`: others than its neighbours'."""
    first = zlib.crc32(name.encode())
    return range(first + known, first + most)


def _graded(root: Path, original: Original, seeds: range) -> tuple[int, list[dict[str, Any]]]:
    """The calls of one file with these seeds, and the refusals."""
    with tempfile.TemporaryDirectory(prefix="onekernel-right-") as folder:
        path = Path(folder) / f"{original.slug}{original.path.suffix}"
        path.write_text(original.answers(original.path.read_text(encoding="utf-8")), encoding="utf-8")
        return _called(original, load(root), seeds, path)


def _called(original: Original, course: Course, seeds: range, path: Path) -> tuple[int, list[dict[str, Any]]]:
    planned: list[tuple[int, Check, Call]] = []
    for seed in seeds:
        s = original.submission(course, path, "simulator", seed)
        for check in (c for c in s.exercise.checks if c.kind == correct.KIND):
            for case, dtype, draw in chosen(s, check):
                if case.plain and math.prod(case.sizes.values()) <= MOST_ELEMENTS:
                    call = buffers.make(s.operator, original.slug, case, dtype, seed, draw)
                    planned.append((seed, check, call))
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    options = {"mode": "check", "time_limit": SECONDS} if s.backend == "simulator" else {}
    refused: list[dict[str, Any]] = []
    for first in range(0, len(planned), MOST_CALLS):
        some = planned[first : first + MOST_CALLS]
        with original.on(original.cards[-1]):
            asked = [(call.function, call.args) for _, _, call in some]
            outcome = supervisor.run(Request(path.resolve(), s.backend, asked, prototypes, options))
        if not outcome.built:
            why = sorted({f.code for f in outcome.build}) or ["not built"]
            return first, [*refused, {"file": original.path.name, "codes": why}]
        for (seed, check, call), ran in zip(some, outcome.calls, strict=True):
            codes = sorted({f.code for f in judge_call(s, check, call, ran)})
            if codes:
                refused.append({"file": original.path.name, "seed": seed, "case": call.case.name, "codes": codes})
    return len(planned), refused
