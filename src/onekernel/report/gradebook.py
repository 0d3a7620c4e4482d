"""The grades of a class as CSV: for a spreadsheet, for Canvas, for Moodle.

Sources: Canvas, lib/gradebook_importer.rb and the guide "How do I import grades in the Gradebook?": columns Student,
ID, SIS Login ID, Section, then one per assignment, and a second row "Points Possible". Moodle,
mod/assign/feedback/offline: the columns Identifier ("Participant N"), Grade and "Last modified (grade)" are looked for
by name.

A cell that a spreadsheet would take for a formula begins with an apostrophe: names and messages are a student's words.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onekernel.course import Exercise
from onekernel.grading.verdicts import Scorecard
from onekernel.messages import Message, plain, say

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # fullwidth
# What is not seen before a formula; and a formula after what ends a cell where numbers have commas, as in Spanish.
_BLANK = re.compile("^[\\s\u200b\u2060\ufeff]+")
_FURTHER = re.compile(r"([;\t][\s\u200b\u2060\ufeff]*)(?=[" + re.escape("".join(_FORMULA)) + "])")
BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel reads UTF-8 as the machine's old code page, and accents are lost."""


@dataclass(frozen=True)
class Row:
    """A student as the gradebooks show them."""

    key: str
    name: str
    ids: Mapping[str, str]
    date: str
    late: bool
    notes: tuple[Message, ...]
    card: Scorecard
    home: Path  # where their files lie
    lateness: str = ""  # after the date that was due, in words


def files(rows: Collection[Row], exercises: Sequence[Exercise]) -> dict[str, str]:
    """File name -> text: the spreadsheet always, a system's where its numbers are known."""
    found = {"gradebook.csv": spreadsheet(rows, exercises)}
    if any("canvas" in r.ids for r in rows):
        found["canvas.csv"] = canvas(rows, exercises)
    if any("moodle" in r.ids for r in rows):
        found["moodle.csv"] = moodle(rows)
    return found


def spreadsheet(rows: Iterable[Row], exercises: Sequence[Exercise]) -> str:
    """Every student with the points of each exercise, their sum, what could be had, and what was noticed. An exercise
    that this machine could not assess is empty, and not zero."""
    head = ["student", "name", "earned", "assessed", "handed_in", "late", *(e.slug for e in exercises), "notes"]
    table: list[list[str]] = [head]
    for row in rows:
        points = _points(row.card)
        table.append([
            row.key, row.name, _number(row.card.earned), str(row.card.assessed), row.date, row.lateness,
            *(points.get(e.slug, "") for e in exercises), " ".join(str(n) for n in row.notes),
        ])  # fmt: skip
    return BYTE_ORDER_MARK + _csv(table)


def canvas(rows: Iterable[Row], exercises: Sequence[Exercise]) -> str:
    """What Canvas imports: a column per exercise, matched by the name of the assignment."""
    table = [["Student", "ID", "SIS Login ID", "Section", *(e.slug for e in exercises)],
             ["    Points Possible", "", "", "", *(str(e.points) for e in exercises)]]  # fmt: skip
    for row in rows:
        if "canvas" in row.ids:
            points = _points(row.card)
            table.append([row.name, row.ids["canvas"], "", "", *(points.get(e.slug, "") for e in exercises)])
    return _csv(table)


def moodle(rows: Iterable[Row]) -> str:
    """Moodle's grading worksheet: the sum of all exercises, and why points were lost in a comment."""
    table = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"]]
    for row in rows:
        if "moodle" in row.ids:
            told = " ".join(str(n) for n in row.notes)
            told = " ".join(filter(None, (str(say("cohort.page-named", name=f"{row.key}.html")), told)))
            table.append([f"Participant {row.ids['moodle']}", row.name, _number(row.card.earned),
                          _number(row.card.assessed), "", told])  # fmt: skip
    return _csv(table)


def _points(card: Scorecard) -> dict[str, str]:
    return {r.exercise.slug: _number(r.earned) for r in card.results if r.assessed}


def _number(value: float) -> str:
    """With a point, whatever the language: the systems read it."""
    return f"{round(value, 2):g}"


def _csv(table: Iterable[Iterable[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([[safe(cell) for cell in row] for row in table])
    return out.getvalue()


def safe(cell: str) -> str:
    """A cell that no spreadsheet computes. (OWASP, "CSV Injection")"""
    text = _FURTHER.sub(r"\1'", " ".join(plain(cell).split("\n")))
    return f"'{text}" if _BLANK.sub("", text).startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
