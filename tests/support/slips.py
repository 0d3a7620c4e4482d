"""Beginner's slips: changes to right files under tests/slips, and what each is told first."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onekernel.course import Course
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Failure
from onekernel.messages import LANGUAGES
from support.corpus import ROOT, exercise

FOLDER = ROOT / "tests" / "slips"
SLUGS = {"add": "vector_add", "naive": "softmax_naive", "block": "softmax_block", "dot": "dot_product",
         "triton": "softmax_triton"}  # fmt: skip
GROUPS = {  # the inputs that a slip is tried on: few, and of each kind
    "vector_add": ("exact-blocks", "tails", "empty"),
    "softmax_naive": ("shapes", "empty", "peaked", "range", "special", "strides"),
    "softmax_block": ("shapes", "empty", "peaked", "range"),
    "dot_product": ("shapes", "counted"),
    "softmax_triton": ("shapes", "range", "special", "strides"),
}
SEED = 1914


@dataclass(frozen=True)
class Slip:
    """A change to a right file; `at` is a piece of the line that must be named, "" where none is."""

    name: str
    file: str
    change: tuple[tuple[str, str], ...]
    code: str
    at: str = ""

    def text(self) -> str:
        text = (FOLDER / self.file).read_text(encoding="utf-8")
        for old, new in self.change:
            assert old in text, f"{self.name}: {old!r} is not in {self.file}"
            text = text.replace(old, new)
        return text

    def sentence(self, language: str) -> str:
        return sentences().get((self.name, language), "")

    def first(self, folder: Path) -> tuple[Failure | None, str]:
        """What is told first of the changed file, and the line that it names."""
        path = folder / f"{self.name}{Path(self.file).suffix}"
        path.write_text(self.text(), encoding="utf-8")
        slug = SLUGS[Path(self.file).stem]
        checked = exercise(slug, frozenset(GROUPS[slug]))
        result = grade(Submission(Course(ROOT, ()), checked, path, "simulator", SEED))
        failure = next((f for v in result.verdicts for f in v.failures), None)
        lines = self.text().splitlines()
        line = failure.line if failure else None
        return failure, lines[line - 1] if line and line <= len(lines) else ""


def told(failure: Failure, language: str) -> str:
    return " ".join(failure.message.text(language).split())


TABLE = FOLDER / "README.md"
HEAD = """# Beginner's slips, and what each is told first

Each slip is a change to one of the right files here, in `slips.toml`. `python tests/slips/table.py` grades them all and
writes this table; `tests/grading/test_slips.py` holds it.

"""


@cache
def sentences() -> dict[tuple[str, str], str]:
    """Of each slip and language what the table says."""
    found: dict[tuple[str, str], str] = {}
    name = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines() if TABLE.is_file() else ():
        if line.startswith("## "):
            name = line[3:]
        elif line[:3] in ("en ", "es "):
            found[name, line[:2]] = line[3:]
    return found


def write_table(folder: Path) -> None:
    """Grades every slip and writes the table."""
    parts = []
    for slip in slips():
        failure, line = slip.first(folder)
        if failure is None:
            raise SystemExit(f"{slip.name} passes")
        changes = "".join(f"    {_lines(old)}  ->  {_lines(new) or '(nothing)'}\n" for old, new in slip.change)
        place = f"at `{line.strip()}`\n" if line else ""
        said = "\n\n".join(f"{lang} {told(failure, lang)}" for lang in LANGUAGES)
        parts.append(f"## {slip.name}\n\n`{slip.file}`\n\n{changes}\n{place}\n{said}\n")
    TABLE.write_text(HEAD + "\n".join(parts), encoding="utf-8")


def _lines(code: str) -> str:
    return " ".join(code.split())


def slips() -> list[Slip]:
    data = tomllib.loads((FOLDER / "slips.toml").read_text(encoding="utf-8"))
    return [Slip(n, d["file"], tuple(map(tuple, d["change"])), d["code"], d.get("at", "")) for n, d in data.items()]
