"""Numbers in the samples of the learner's guide that the course knows: how many inputs doctor tries."""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.checks.correct.judge import chosen
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load

TRIED = ("vector_add", "softmax_triton")  # doctor's kernels on a machine without a GPU
GUIDES = {"en": r"({file} right on )\d+( inputs)", "es": r"({file} bien en )\d+( entradas)"}


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes the numbers anew; with `check` only compares. The pages that were stale."""
    stale = []
    for lang, pattern in GUIDES.items():
        page = root / "docs" / lang / "learner.md"
        if not page.is_file():
            continue
        old = new = page.read_text(encoding="utf-8")
        for slug in TRIED:
            file, count = inputs(root, slug)
            new = re.sub(pattern.format(file=re.escape(file)), rf"\g<1>{count}\g<2>", new)
        if new != old:
            stale.append(page)
            if not check:
                page.write_text(new, encoding="utf-8")
    return stale


def inputs(root: Path, slug: str) -> tuple[str, int]:
    """The exercise's file, and on how many inputs doctor tries its solution without a GPU."""
    course = load(root)
    exercise = course.exercises[slug]
    told = Submission(course, exercise, course.solution(exercise), "simulator", 0)
    return exercise.file, sum(len(chosen(told, check)) for check in exercise.checks if check.kind.shows_right)
