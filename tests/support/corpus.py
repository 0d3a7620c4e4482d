"""The corpora under tests/: submissions whose header says what they are, and the exercise that each answers."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from onekernel.checks import correct
from onekernel.course import Check, Course, Exercise, Text, find_root
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.labs.reader import load
from onekernel.ops import OPERATORS

ROOT = find_root(Path(__file__).parent)
CHAPTER = "01-cuda-programming-model#launch"


@dataclass(frozen=True)
class Entry:
    """A file of a corpus and its header: `// key: value` lines at its top."""

    path: Path
    header: dict[str, str]

    @property
    def exercise(self) -> str:
        return self.header["exercise"]

    def words(self, key: str) -> set[str]:
        return {w.strip() for w in self.header[key].split(",")}


def corpus(folder: str) -> list[Entry]:
    """Every file of tests/<folder>, with its header."""
    entries = []
    for path in sorted((ROOT / "tests" / folder).glob("*.cu")):
        header = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("// ") or ": " not in line:
                break
            key, _, value = line[3:].partition(": ")
            header[key] = value
        entries.append(Entry(path, header))
    return entries


@functools.cache
def exercise(slug: str, only: frozenset[str] = frozenset()) -> Exercise:
    """An exercise with one check a group of cases, so that a test sees which group caught a bug.

    An empty group is checked together with "shapes" or "tails" in the course; here each stands alone.
    """
    operator = load(ROOT).exercises[slug].operator
    groups = dict.fromkeys(c.group for c in OPERATORS[operator].cases)
    if slug == "softmax_naive":
        del groups["long"]  # a thread an output reads its whole row: the square of 70,001 accesses
    checks = tuple(
        Check(f"{slug}.{g}", correct.KIND, 10, Text(g, g), CHAPTER, {"groups": [g]})
        for g in groups
        if not only or g in only
    )
    return Exercise(slug, f"{slug}.cu", "test", Text(slug, slug), operator, ("float32",), checks)


def graded(path: Path, slug: str, device: str, only: frozenset[str] = frozenset()) -> Result:
    """Grades a file with a fresh seed, which a failing test prints through the result."""
    return grade(Submission(Course(ROOT, ()), exercise(slug, only), path, device, fresh_seed()))


def groups_that_failed(result: Result) -> dict[str, set[str]]:
    """The group of each failed check -> the codes of its failures."""
    return {
        v.check.id.split(".", 1)[1]: {f.code for f in v.failures} for v in result.verdicts if v.status != "passed"
    }
