"""The corpora under tests/: submissions whose header says what they are, and the exercise that each answers."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import pytest
from packaging.version import Version

from onekernel.checks import correct
from onekernel.course import Check, Course, Exercise, Text
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.ops import OPERATORS
from onekernel.ops.base import SIMULATED
from support.course import COURSE, ROOT

COMMENT = {".cu": "// ", ".py": "# "}
CHAPTER = "01-03-launch#launch"


@dataclass(frozen=True)
class Entry:
    """A file of a corpus and its header: `// key: value` lines at its top, `# key: value` in Python."""

    path: Path
    header: dict[str, str]

    @property
    def exercise(self) -> str:
        return self.header["exercise"]

    def words(self, key: str) -> set[str]:
        return {w.strip() for w in self.header[key].split(",")}

    def skip_where_not_to_be_had(self) -> None:
        """Skips the test of a file whose header says `triton: below 3.9` where another Triton is installed."""
        below = self.header.get("triton", "").removeprefix("below ")
        have = metadata.version("triton")
        if below and Version(have) >= Version(below):
            pytest.skip(f"Triton {have} has not what this file uses: it was in versions below {below}")


def corpus(folder: str) -> list[Entry]:
    """Every file of tests/<folder>, with its header."""
    entries = []
    for path in sorted(p for p in (ROOT / "tests" / folder).iterdir() if p.suffix in COMMENT):
        header = {}
        comment = COMMENT[path.suffix]
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith(comment) or ": " not in line:
                break
            key, _, value = line.removeprefix(comment).partition(": ")
            header[key] = value
        entries.append(Entry(path, header))
    return entries


@functools.cache
def exercise(slug: str, only: frozenset[str] = frozenset()) -> Exercise:
    """An exercise with one check a group of cases, so that a test sees which group caught a bug.

    An empty group is checked together with "shapes" or "tails" in the course; here each stands alone.
    """
    known = COURSE.exercises[slug]
    if known.operator is None:  # a part of a port is its group
        return replace(known, checks=tuple(c for c in known.checks if not only or c.options["part"] in only))
    groups = dict.fromkeys(c.group for c in OPERATORS[known.operator].cases if c.runs(SIMULATED))  # that: on a GPU only
    if slug == "softmax_naive":
        del groups["long"], groups["powers"]  # a thread an output reads its whole row: the square of 70,001 accesses
    elif "rows" in groups:
        del groups["rows"]  # 70,001 blocks or programs of a row each: minutes
    if known.file.endswith(".py"):
        groups.pop("errors", None)  # Triton raises by itself
    if slug in ("softmax_naive", "softmax_block", "softmax_mul"):
        del groups["lengths"]  # asked of Triton's autotuner
    checks = tuple(
        Check(f"{slug}.{g}", correct.KIND, 10, Text(g, g), CHAPTER, {"groups": [g]})
        for g in groups
        if not only or g in only
    )
    dtypes = ("float32",) if "float32" in known.dtypes else known.dtypes[-1:]  # one type says enough
    return Exercise(slug, known.file, "test", Text(slug, slug), known.operator, dtypes, checks)


def graded(
    path: Path, slug: str, device: str, only: frozenset[str] = frozenset(), seed: int | None = None,
    kind: str | None = None,
) -> Result:  # fmt: skip
    """Grades a file with a fresh seed, which a failing test prints through the result; or with the one given. `kind`:
    by the exercise's own checks of one kind, instead."""
    seed = fresh_seed() if seed is None else seed
    asked = exercise(slug, only)
    if kind:
        asked = replace(asked, checks=tuple(c for c in COURSE.exercises[slug].checks if c.id.endswith(f"-{kind}")))
    return grade(Submission(Course(ROOT, ()), asked, path, device, seed))


def groups_that_failed(result: Result) -> dict[str, set[str]]:
    """The group of each failed check -> the codes of its failures."""
    return {v.check.id.split(".", 1)[1]: {f.code for f in v.failures} for v in result.verdicts if v.status != "passed"}
