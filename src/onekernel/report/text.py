"""Verdicts as plain text: why points were lost, where, what explains it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from onekernel.course import Course
from onekernel.grading.submission import SOURCE_BYTES
from onekernel.grading.verdicts import NOT_ASSESSED, UNTOUCHED, Failure, Scorecard, Verdict
from onekernel.messages import Message, language, plain, quoted, say
from onekernel.sandbox import confinement


def chapter_link(chapter: str, lang: str | None = None) -> str:
    """The page that a verdict points to, from the course's root: docs/en/01-04-bounds.md#bounds."""
    page, _, anchor = chapter.partition("#")
    return f"docs/{lang or language()}/{page}.md" + (f"#{anchor}" if anchor else "")


def place(failure: Failure, root: Path) -> str | None:
    """`file:line`, from the course's root where the file lies in it; None for a failure without a line."""
    if failure.file is None or failure.line is None:
        return None
    path = Path(failure.file)
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{shown}:{failure.line}"


def source_line(failure: Failure) -> str | None:
    """The learner's own line that a failure names; None where there is none to show."""
    if failure.file is None or failure.line is None:
        return None
    path = Path(failure.file)
    try:
        if not path.is_file() or path.stat().st_size > SOURCE_BYTES:  # a pipe would be waited for
            return None
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    return quoted(lines[failure.line - 1].strip()) if 0 < failure.line <= len(lines) else None


def told(failure: Failure, course: Course) -> Iterator[tuple[str, str]]:
    """A failure as (kind, text): "why" the sentence, "input", "line", "source" the line itself, "see" a command, "read"
    the chapter.

    Each text is one line, whatever a submission put into it: it cannot end a line and begin one that looks like ours.
    """
    return ((kind, plain(" ".join(text.split("\n")))) for kind, text in _told(failure, course))


def _told(failure: Failure, course: Course) -> Iterator[tuple[str, str]]:
    yield "why", str(failure.message)
    if failure.about:
        yield "input", f"{failure.about} [{failure.case}]"
    where, source = place(failure, course.root), source_line(failure)
    if where:
        yield "line", where
    if source:
        yield "source", source
    if failure.see:
        yield "see", failure.see
    if failure.chapter:
        yield "read", chapter_link(failure.chapter)


def label(kind: str) -> str:
    """What stands before a text of that kind, padded so that the texts line up; empty for the sentence itself."""
    if kind == "why":
        return ""
    width = max(len(say(f"grading.label-{k}")) for k in ("input", "line", "see", "read", "again"))
    return "  " + ("" if kind == "source" else say(f"grading.label-{kind}")).ljust(width + 1)


def lines(verdict: Verdict, course: Course, replay: str) -> Iterator[str]:
    """A verdict as plain text: why points were lost, where, which chapter explains it, how to see it again."""
    for failure in verdict.failures:
        yield from (label(kind) + text for kind, text in told(failure, course))
    for more in (verdict.note, *verdict.details):
        if more:
            yield " ".join(str(more).split("\n"))
    if verdict.failures:
        yield label("again") + replay


def untouched() -> Message:
    return Message("grading.status-untouched")


def why_not_assessed(verdict: Verdict) -> Message:
    """Why this machine gives no points for a check, and takes none."""
    return verdict.note or next((f.message for f in verdict.failures), Message("grading.needs-gpu"))


def total(card: Scorecard) -> Message:
    """The sum of a scorecard in a sentence."""
    values = {"earned": card.earned, "assessed": card.assessed, "points": card.points}
    rest = card.points - card.assessed
    return Message("grading.total-some", {**values, "rest": rest}) if rest else Message("grading.total", values)


def open_walls(card: Scorecard) -> Message | None:
    """What must stand on every page of results from a machine that did not close submissions in; else None."""
    return confinement.told(card.open_walls)


def output(verdict: Verdict, course: Course) -> str:
    """A verdict as the plain text that stands beside its points."""
    if verdict.status == UNTOUCHED:
        return str(untouched())
    if verdict.status == NOT_ASSESSED:
        return str(why_not_assessed(verdict))
    slug = verdict.check.id.split(".")[0]
    return "\n".join(lines(verdict, course, f"onekernel check {slug}"))
