"""Numbers in the samples of the learner's guide that the course knows: how many inputs doctor tries."""

from __future__ import annotations

import re
from pathlib import Path

from audits.book import tables
from onekernel.checks.correct.judge import chosen
from onekernel.grading.submission import Submission, trial
from onekernel.labs.reader import load

TRIED = ("vector_add", "softmax_triton")  # doctor's kernels on a machine without a GPU
GUIDES = {"en": r"({file} right on )\d+( inputs)", "es": r"({file} bien en )\d+( entradas)"}


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes the numbers anew; with `check` only compares. The pages that were stale."""
    guides = [page for page in (root / "docs" / lang / "learner.md" for lang in GUIDES) if page.is_file()]
    counts = dict(inputs(root, slug) for slug in TRIED) if guides else {}

    def filled(page: Path, text: str) -> str:
        pattern = GUIDES[tables.language_of(page, root)]
        for file, count in counts.items():
            text = re.sub(pattern.format(file=re.escape(file)), rf"\g<1>{count}\g<2>", text)
        return text

    return tables.rewrite(guides, filled, check)


def inputs(root: Path, slug: str) -> tuple[str, int]:
    """The exercise's file, and on how many inputs doctor tries its solution without a GPU."""
    course = load(root)
    exercise = course.exercises[slug]
    told = Submission(course, exercise, course.solution(exercise), "simulator", 0)
    return exercise.file, sum(len(chosen(told, check)) for check in trial(told))
