"""The page for one student: points, why some were lost, what explains it, counts beside the best possible.

Inputs stay hidden (`hidden`): nothing here tells an input, its size, its values or the seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from onekernel import __version__
from onekernel.checks.measures import MEASURES
from onekernel.course import Course
from onekernel.grading.verdicts import (
    FAILED,
    NOT_ASSESSED,
    PARTIAL,
    PASSED,
    UNTOUCHED,
    Failure,
    Result,
    Scorecard,
    Verdict,
    place,
)
from onekernel.messages import Message, language, say, written
from onekernel.report import disclosure, lessons
from onekernel.report.html import bar, esc, mark, page, prose
from onekernel.report.text import open_walls, source_line, why_not_assessed


@dataclass(frozen=True)
class About:
    """Whose page it is, and what was noticed about their files."""

    name: str
    notes: tuple[Message, ...] = ()
    date: str = ""
    late: bool = False


def html(about: About, card: Scorecard, course: Course) -> str:
    """The page, in the language in force."""
    parts = [*_head(about, card), *_lost(card, course), *_counters(card), *_board(card, course)]
    device = ", ".join(sorted({place(r.ran_on) for r in card.results} - {"-"})) or "-"
    parts.append(f'<p class="dim">{esc(say("cohort.page-footer", version=__version__, device=device))}</p>')
    return page(say("cohort.page-title", name=about.name), "\n".join(parts))


def _head(about: About, card: Scorecard) -> Iterator[str]:
    share = card.earned / card.assessed if card.assessed else 0.0
    points = say("cohort.page-points", earned=card.earned, assessed=card.assessed)
    yield f"<h1>{esc(about.name)}</h1>"
    yield f'<p class="big">{esc(points)}</p>{bar(share, points, "var(--ok)")}'
    if walls := open_walls(card):
        yield f'<p class="failed">{esc(walls)}</p>'
    if rest := card.points - card.assessed:
        yield f'<p class="dim">{esc(say("cohort.page-rest", rest=rest))}</p>'
    if about.date or about.late:
        when = [say("cohort.page-handed-in", date=about.date[:16].replace("T", " "))] if about.date else []
        yield f'<p class="dim">{esc("; ".join([*when, *([say("cohort.page-late")] if about.late else [])]))}</p>'
    if about.notes:
        yield f"<h2>{esc(say('cohort.page-notes'))}</h2><ul>"
        yield from (f"<li>{esc(note)}</li>" for note in about.notes)
        yield "</ul>"


def _board(card: Scorecard, course: Course) -> Iterator[str]:
    for lab in course.labs:
        mine = [r for r in card.results if r.exercise.lab == lab.name]
        if not mine:
            continue
        yield f"<h2>{esc(lab.title)}</h2>"
        for result in mine:
            yield from _exercise(result)


def _exercise(result: Result) -> Iterator[str]:
    possible = result.exercise.points if result.status == NOT_ASSESSED else result.assessed
    yield '<div class="card"><div class="row">'
    yield f"<h3>{mark(result.status, say(f'grading.status-{result.status}'))} {esc(result.exercise.title)} "
    ran_on = f" · {esc(place(result.ran_on))}" if result.ran_on != "-" else ""
    yield f'<code class="dim">{esc(result.exercise.file)}</code> <span class="dim">{ran_on}</span></h3>'
    yield f"<span>{_points(result.earned, possible)}</span></div>"
    if disclosure.is_missing(result):
        yield f'<p class="dim">{esc(say("cohort.class-missing"))}</p></div>'
        return
    yield '<table class="checks">'
    for v in result.verdicts:
        more = _note(v)
        yield f"<tr><td>{mark(v.status, say(f'grading.status-{v.status}'))}</td><td>{esc(v.check.title)}"
        yield f'{f"""<br><span class="dim">{prose(more)}</span>""" if more else ""}</td>'
        yield f'<td class="n">{_points(v.earned, v.check.points)}</td></tr>'
    yield "</table></div>"


def _note(v: Verdict) -> Message | None:
    """What a line of the board says of a check besides its points."""
    if v.status == NOT_ASSESSED:
        return why_not_assessed(v)
    if v.status == UNTOUCHED:
        return Message("grading.status-untouched")
    waiting = next((f.message for f in v.failures if f.code in disclosure.WAITING), None)
    return disclosure.summary(v) or waiting or disclosure.note(v)


def _lost(card: Scorecard, course: Course) -> Iterator[str]:
    yield f"<h2>{esc(say('cohort.page-lost'))}</h2>"
    explained: set[str] = set()
    seen: set[tuple[str, str, int | None]] = set()
    missing = [r.exercise for r in card.results if disclosure.is_missing(r)]
    if missing:
        names = ", ".join(e.file for e in missing)
        yield f'<div class="card"><p>{esc(say("cohort.page-missing", names=names))}</p></div>'
    any_lost = bool(missing)
    for result in card.results:
        for v in () if result.exercise in missing else result.verdicts:
            if v.status not in (FAILED, PARTIAL):
                continue
            found = list(disclosure.told(v))
            if not found:
                continue
            causes = {(result.exercise.slug, sentence, f.line) for f, sentence in found if f.line is not None}
            again, seen = bool(causes) and causes <= seen, seen | causes
            any_lost = True
            yield f'<div class="card"><h3>{mark(v.status, say(f"grading.status-{v.status}"))} '
            yield f"{esc(result.exercise.title)}: {esc(v.check.title)}</h3>"
            if summary := disclosure.summary(v):
                yield f"<p>{prose(summary)}</p>"
            shown: set[int | None] = {None}
            if again:
                yield f"<p>{esc(say('cli.same-cause'))}</p></div>"
                continue
            for failure, sentence in found:
                yield f"<p>{prose(sentence)}</p>"
                yield from () if failure.line in shown else _line(failure, result)
                shown.add(failure.line)
            if (note := disclosure.note(v)) and not v.groups:
                yield f'<p class="dim">{prose(note)}</p>'
            for chapter, _ in groupby(f.chapter for f, _ in found):
                yield from _lesson(chapter, course, explained)
            command = f"onekernel check {result.exercise.slug}"
            yield f'<p class="dim">{prose(say("cohort.page-again", command=command))}</p></div>'
    if not any_lost:
        yield f"<p>{esc(say('cohort.page-none-lost'))}</p>"


def _line(failure: Failure, result: Result) -> Iterator[str]:
    yield f'<p class="dim">{esc(say("cohort.page-line", line=failure.line, file=result.exercise.file))}</p>'
    if source := source_line(failure):
        yield f"<pre>{esc(source)}</pre>"


def _lesson(chapter: str, course: Course, explained: set[str]) -> Iterator[str]:
    """The section of a chapter, whole where it is named first."""
    lesson = lessons.lesson(course.root, chapter, language())
    if lesson is None:
        return
    yield f'<p><b>{esc(say("cohort.page-reads"))}:</b> {esc(lesson.title)}, <code>{esc(lesson.link)}</code></p>'
    if chapter in explained:
        return
    explained.add(chapter)
    if lesson.text:
        yield f'<p class="dim">{prose(lesson.text)}</p>'
    if lesson.picture:
        yield f'<figure><img src="{lesson.picture}" alt="{esc(lesson.alt)}"></figure>'


def _counters(card: Scorecard) -> Iterator[str]:
    """Each count beside the best possible."""
    rows = list(_counts(v for r in card.results for v in r.verdicts))
    if not rows:
        return
    yield f"<h2>{esc(say('cohort.page-counters'))}</h2><p class=\"dim\">{esc(say('cohort.page-counters-about'))}</p>"
    yield from rows


def _counts(verdicts: Iterable[Verdict]) -> Iterator[str]:
    for v in verdicts:
        measure = MEASURES.get(v.check.options.get("measure", ""))
        if measure is None or v.note is None or not isinstance(v.note.values.get("value"), int | float):
            continue
        value, scale = float(v.note.values["value"]), 100 if measure.unit == "%" else 1
        full, zero = v.check.options["full"] * scale, v.check.options["zero"] * scale
        colour = "var(--ok)" if v.status == PASSED else "var(--part)" if v.earned else "var(--bad)"
        slug = v.check.id.split(".")[0]
        best = say("cohort.page-full", full=written(full, ".3g"))
        yield f"<p><code>{esc(slug)}</code>: {esc(v.note)} <span class=\"dim\">({esc(best)})</span><br>"
        yield bar(value / zero if zero else 0.0, str(v.note), colour, at=full / zero if zero else None) + "</p>"


def _points(earned: float, possible: float) -> str:
    return f"{esc(written(earned, 'g'))} / {esc(written(possible, 'g'))}"
