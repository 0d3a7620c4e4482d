"""The page for the class: everybody by name, the distribution, the most common failures with their lesson, who is stuck
where, and files that are alike, side by side."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from onekernel.course import Course, Exercise
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, UNTOUCHED, Result
from onekernel.messages import Message, language, say, written
from onekernel.report import lessons
from onekernel.report.disclosure import is_missing, kind_of
from onekernel.report.gradebook import Row
from onekernel.report.html import esc, mark, page, prose
from onekernel.report.text import open_walls

TOP = 10
MOST_PAIRS = 30
MOST_LINES = 400  # of a file that is shown
BINS = 10


@dataclass(frozen=True)
class Pair:
    """Two files that are alike: whose, how much, their texts, and the lines that they share."""

    exercise: str
    names: tuple[str, str]
    share: float
    equal: bool
    texts: tuple[str, str]
    lines: tuple[frozenset[int], frozenset[int]]


def html(
    rows: Collection[Row], exercises: Sequence[Exercise], course: Course, pairs: Sequence[Pair], share: float,
    notes: Sequence[Message] = (),
) -> str:
    """The page, in the language in force. `share` is that from which pairs are shown; `notes` are nobody's."""
    parts = [*_head(rows), *(f"<p>{esc(note)}</p>" for note in notes), *_distribution(rows), *_failures(rows, course)]
    parts += [*_stuck(rows), *_everybody(rows, exercises), *_alike(pairs, share)]
    return page(say("cohort.class-title"), "\n".join(parts))


def _head(rows: Collection[Row]) -> Iterator[str]:
    earned = [r.card.earned for r in rows]
    files = sum(not is_missing(result) for r in rows for result in r.card.results)
    values = {"students": len(rows), "files": files, "mean": statistics.fmean(earned),
              "median": statistics.median(earned), "assessed": max(r.card.assessed for r in rows)}  # fmt: skip
    yield f"<h1>{esc(say('cohort.class-title'))}</h1><p>{esc(say('cohort.class-about', **values))}</p>"
    for walls in dict.fromkeys(str(told) for r in rows if (told := open_walls(r.card))):
        yield f'<p class="failed">{esc(walls)}</p>'


def _distribution(rows: Collection[Row]) -> Iterator[str]:
    """A bar for each tenth of the points."""
    shares = [r.card.earned / r.card.assessed for r in rows if r.card.assessed]
    bins = Counter(min(BINS - 1, int(BINS * share)) for share in shares)
    most = max(bins.values(), default=1)
    yield f"<h2>{esc(say('cohort.class-distribution'))}</h2>"
    yield f'<p class="dim">{esc(say("cohort.class-distribution-about"))}</p>'
    label = ", ".join(f"{10 * n} %: {bins[n]}" for n in range(BINS))
    yield f'<svg viewBox="0 0 620 175" width="620" role="img" aria-label="{esc(label)}" font-size="13">'
    for n in range(BINS):
        height = 130 * bins[n] / most
        bar = f'x="{60 * n + 6}" y="{150 - height:.1f}" width="48" height="{height:.1f}"'
        middle = f'x="{60 * n + 30}" text-anchor="middle"'
        yield f'<rect {bar} rx="3" fill="var(--mark)"/>'
        yield f'<text {middle} y="{144 - height:.1f}" fill="var(--fg)">{bins[n] or ""}</text>'
        yield f'<text {middle} y="168" fill="var(--dim)">{10 * n}–{10 * n + 10}</text>'
    yield "</svg>"


def _failures(rows: Collection[Row], course: Course) -> Iterator[str]:
    """What most students were told and where it is taught, each student counted once."""
    who: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        for result in row.card.results:
            for told, chapter in _told(result):
                who[result.exercise.slug, told, chapter].add(row.key)
    top = sorted(who, key=lambda key: (-len(who[key]), key))[:TOP]
    if not top:
        return
    heads = ("page-exercise", "class-failures-head", "class-students-head", "class-lesson-head")
    yield f"<h2>{esc(say('cohort.class-failures'))}</h2>" + '<div class="scroll"><table><tr>'
    yield "".join(f"<th>{esc(say(f'cohort.{h}'))}</th>" for h in heads) + "</tr>"
    for slug, told, chapter in top:
        lesson = lessons.lesson(course.root, chapter, language())
        read = f"{esc(lesson.title)}<br><code>{esc(lesson.link)}</code>" if lesson else ""
        count = len(who[slug, told, chapter])
        yield f'<tr><td class="w"><code>{esc(slug)}</code></td><td>{prose(told)}</td><td class="n">{count}</td>'
        yield f"<td>{read}</td></tr>"
    yield "</table></div>"


def _told(result: Result) -> Iterator[tuple[str, str]]:
    """The kinds of failure of a result, each with the chapter that explains it; one that costs several checks once."""
    if is_missing(result):
        return
    seen: set[str] = set()
    for verdict in result.verdicts:
        for failure in verdict.failures[:1] if verdict.status in (FAILED, PARTIAL) else ():
            kind = kind_of(failure, verdict)
            if kind and failure.code not in seen:
                seen.add(failure.code)
                yield kind, failure.chapter or verdict.check.chapter


def _stuck(rows: Collection[Row]) -> Iterator[str]:
    """Each student at the first exercise that they began and did not get right."""
    at: dict[str, list[str]] = defaultdict(list)
    order: dict[str, int] = {}
    for row in rows:
        for number, result in enumerate(row.card.results):
            if result.status in (FAILED, PARTIAL) and not is_missing(result):
                at[result.exercise.slug].append(_link(row))
                order.setdefault(result.exercise.slug, number)
                break
    if not at:
        return
    yield f"<h2>{esc(say('cohort.class-stuck'))}</h2><p class=\"dim\">{esc(say('cohort.class-stuck-about'))}</p>"
    for slug in sorted(at, key=lambda s: order[s]):
        names = ", ".join(at[slug])
        yield f"<p><code>{esc(slug)}</code> ({len(at[slug])}): {names}</p>"


def _everybody(rows: Collection[Row], exercises: Sequence[Exercise]) -> Iterator[str]:
    used = [e for e in exercises if any(_result(row, e) for row in rows)]
    yield f"<h2>{esc(say('cohort.class-everybody'))}</h2>" + '<div class="scroll"><table><tr>'
    yield f'<th>{esc(say("cohort.class-name"))}</th><th class="n">{esc(say("cohort.class-sum"))}</th>'
    yield "".join(f'<th class="n"><code>{esc(e.slug)}</code></th>' for e in used)
    yield f"<th>{esc(say('cohort.class-date'))}</th><th>{esc(say('cohort.class-notes'))}</th></tr>"
    for row in rows:
        yield f'<tr><td class="w">{_link(row)}</td><td class="n">{_of(row.card.earned, row.card.assessed)}</td>'
        yield "".join(f'<td class="n">{_cell(_result(row, e))}</td>' for e in used)
        notes = "<br>".join(esc(n) for n in row.notes)
        when = row.date[:16].replace("T", " ")
        yield f'<td class="w">{esc(when)} {esc(row.lateness)}</td><td class="dim">{notes}</td></tr>'
    yield "</table></div>"


def _result(row: Row, exercise: Exercise) -> Result | None:
    return next((r for r in row.card.results if r.exercise == exercise), None)


def _cell(result: Result | None) -> str:
    if result is None:
        return ""
    if is_missing(result):
        return f'<span class="dim" title="{esc(say("cohort.class-missing"))}">·</span>'
    sign = mark(result.status, say(f"grading.status-{result.status}"))
    return sign if result.status in (UNTOUCHED, NOT_ASSESSED) else f"{esc(written(result.earned, 'g'))} {sign}"


def _alike(pairs: Sequence[Pair], share: float) -> Iterator[str]:
    yield f"<h2>{esc(say('cohort.class-alike'))}</h2><p class=\"dim\">{esc(say('cohort.class-alike-about'))}</p>"
    if not pairs:
        yield f"<p>{esc(say('cohort.class-alike-none', share=100 * share))}</p>"
    for pair in pairs[:MOST_PAIRS]:
        much = say("cohort.class-alike-share", share=100 * pair.share)
        much = say("cohort.class-alike-equal") if pair.equal else much
        names = " · ".join(esc(n) for n in pair.names)
        yield f'<details class="card"><summary><code>{esc(pair.exercise)}</code>: <b>{names}</b>, {esc(much)}</summary>'
        yield '<div class="two">'
        for name, text, lines in zip(pair.names, pair.texts, pair.lines, strict=True):
            yield f"<div><p><b>{esc(name)}</b></p><pre>{_source(text, lines)}</pre></div>"
        yield "</div></details>"


def _source(text: str, lines: frozenset[int]) -> str:
    """A file with the lines that the other one shares marked."""
    shown = enumerate(text.splitlines()[:MOST_LINES], start=1)
    return "\n".join(f"<mark>{esc(line)}</mark>" if n in lines else esc(line) for n, line in shown)


def _link(row: Row) -> str:
    return f'<a href="students/{esc(row.key)}.html">{esc(row.name)}</a>'


def _of(earned: float, possible: float) -> str:
    return f"{esc(written(round(earned, 2), 'g'))} / {esc(written(possible, 'g'))}"
