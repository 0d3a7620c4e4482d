"""Right kernels, graded with many seeds: that none of them is refused.

The corpus tests/right and the solutions; each file is built once, and called on the inputs of all its seeds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from onekernel.bench.mutants.files import Original, originals
from onekernel.checks import correct
from onekernel.checks.correct.judge import chosen
from onekernel.course import Check, Course
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.submission import judge_call
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request

SEEDS = 200  # of each operator, dealt to its files
LEAST = 5  # of a file
MOST_ELEMENTS = 20_000  # of an input
SECONDS = 20.0


def right_files(root: Path, course: Course) -> dict[str, list[Original]]:
    """Operator -> its right files: the corpus, the solutions, the rungs of the ladder."""
    found: dict[str, list[Original]] = {}
    for path in sorted((root / "tests" / "right").iterdir()):
        slug = re.match(r"(?://|#) exercise: (\w+)", path.read_text(encoding="utf-8"))
        if slug:
            found.setdefault(str(course.exercises[slug[1]].operator), []).append(Original(path, slug[1], slug[1], 0))
    solutions = [Original(course.solution(e), e.slug, e.slug, 0) for e in course.exercises.values() if e.operator]
    known = {o.path for o in solutions}
    for original in [*solutions, *(o for o in originals(root) if o.path not in known)]:
        operator = course.exercises[original.slug].operator
        if operator:
            found.setdefault(operator, []).append(original)
    return found


def measure(root: Path, course: Course, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """For each operator: its files, seeds and calls, and what was refused."""
    for operator, files in sorted(right_files(root, course).items()):
        seeds, calls, refused = 0, 0, []
        each = max(LEAST, math.ceil(SEEDS / len(files)))
        for number, original in enumerate(files):
            mine = range(1 + number * each, 1 + (number + 1) * each)
            made, wrong = _graded(original, course, mine, folder)
            seeds, calls = seeds + each, calls + made
            refused += wrong
        yield operator, {"files": [o.path.name for o in files], "seeds": seeds, "calls": calls, "refused": refused}


def _graded(original: Original, course: Course, seeds: range, folder: Path) -> tuple[int, list[dict[str, Any]]]:
    path = folder / f"{original.slug}{original.path.suffix}"
    path.write_text(original.answers(original.path.read_text(encoding="utf-8")), encoding="utf-8")
    planned: list[tuple[int, Check, Call]] = []
    for seed in seeds:
        s = original.submission(course, path, seed)
        for check in (c for c in s.exercise.checks if c.kind == correct.KIND):
            for case, dtype, draw in chosen(s, check):
                if case.plain and math.prod(case.sizes.values()) <= MOST_ELEMENTS:
                    call = buffers.make(s.operator, original.slug, case, dtype, seed, draw)
                    planned.append((seed, check, call))
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    options = {"mode": "check", "time_limit": SECONDS} if s.backend == "simulator" else {}
    with original.on(original.cards[-1]):
        asked = [(call.function, call.args) for _, _, call in planned]
        outcome = supervisor.run(Request(path.resolve(), s.backend, asked, prototypes, options))
    if not outcome.built:
        return 0, [{"file": original.path.name, "codes": sorted({f.code for f in outcome.build}) or ["not built"]}]
    refused = []
    for (seed, check, call), ran in zip(planned, outcome.calls, strict=True):
        codes = sorted({f.code for f in judge_call(s, check, call, ran)})
        if codes:
            refused.append({"file": original.path.name, "seed": seed, "case": call.case.name, "codes": codes})
    return len(planned), refused
