"""The list of the small exercises in labs/practice/README.md, in the order in which they are suggested."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from audits.book import tables
from onekernel.course import Course, Exercise
from onekernel.labs.reader import load
from onekernel.messages import each_language, localized, say

OPEN, CLOSE = "<!-- practice -->", "<!-- /practice -->"


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes the list anew; with `check` only compares. The pages that were stale."""
    course = load(root)
    if not course.practice:
        return []
    lists = {lang: listed(course) for lang in each_language()}
    pages = [page for page in sorted((root / "labs").glob("*/README*.md")) if OPEN in page.read_text(encoding="utf-8")]

    def filled(page: Path, text: str) -> str:
        return tables.between(text, OPEN, CLOSE, lists[tables.language_of(page, root)])

    return tables.rewrite(pages, filled, check)


def listed(course: Course) -> str:
    """A table for each lab that they come before, in the language in force."""
    titles = {lab.name: lab.title for lab in course.labs}
    out = []
    for before, group in groupby(course.practice, lambda e: e.before):
        lab = {"number": before.split("-")[0], "title": titles[before], "lab": _page(f"../{before}")}
        out.append("\n" + say("practice.before", **lab))
        out.append("\n" + say("practice.list-head") + "\n|---|---|---:|---|")
        out += [_row(exercise) for exercise in group]
    return "\n".join(out) + "\n"


def _row(e: Exercise) -> str:
    how = say(f"practice.how-{_how(e)}")
    return f"| [{e.title}]({_page(e.slug)}) | `{e.slug}` | {e.minutes} | {how} |"


def _how(e: Exercise) -> str:
    """What is done in it: a prediction, a fault to find, waste to remove, or lines to write, in what."""
    if any(c.kind.name == "puzzle" for c in e.checks):
        return "predict"
    if e.broken:
        return "thrift" if any(c.kind.name == "limits" for c in e.checks) else "fault"
    if e.file.endswith(".cu"):
        return "cuda"
    return "triton" if e.operator else "torch"


def _page(folder: str) -> str:
    return f"{folder}/{localized('README.md')}"
