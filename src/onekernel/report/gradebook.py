"""The grades of a class for other programs: as CSV for a spreadsheet, for Canvas, for Moodle; as JUnit XML.

Sources: Canvas, lib/gradebook_importer.rb and the guide "How do I import grades in the Gradebook?": columns Student,
ID, SIS Login ID, Section, then one per assignment, and a second row "Points Possible". Moodle,
mod/assign/feedback/offline: the columns Identifier ("Participant N"), Grade and "Last modified (grade)" are looked for
by name.

A cell that a spreadsheet would take for a formula begins with an apostrophe: names and messages are a student's words.

JUnit XML has a suite per student, a case per check, the points as properties of the suite. Source: the schema with
which Jenkins validates, junit-10.xsd of github.com/jenkinsci/xunit-plugin. It knows properties of suites and none of
cases; times are optional, and left out so that equal results are equal files.
"""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onekernel.course import Course, Exercise
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, UNTOUCHED, Result, Scorecard, Verdict
from onekernel.messages import Message, plain, say
from onekernel.report.text import output

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # fullwidth
# What is not seen before a formula; and a formula after what ends a cell where numbers have commas, as in Spanish.
_BLANK = re.compile("^[\\s\u200b\u2060\ufeff]+")
_FURTHER = re.compile(r"([;\t][\s\u200b\u2060\ufeff]*)(?=[" + re.escape("".join(_FORMULA)) + "])")
BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel reads UTF-8 as the machine's old code page, and accents are lost."""
# What XML 1.0 has no way to write.
_NEVER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


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


def junit(rows: Iterable[Row], course: Course) -> Iterator[bytes]:
    """The document, a suite after the other: that of a whole class would take the most memory of it all."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="onekernel">'
    for row in rows:
        yield f"\n  {_written(_junit_suite(row, course))}".encode()
    yield b"\n</testsuites>\n"


def _written(suite: ElementTree.Element) -> str:
    ElementTree.indent(suite, level=1)
    return ElementTree.tostring(suite, encoding="unicode")


def _junit_suite(row: Row, course: Course) -> ElementTree.Element:
    cases = [_junit_case(row, r, v, course) for r in row.card.results for v in r.verdicts]
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    suite = ElementTree.Element("testsuite", name=_clean(row.key), tests=str(len(cases)), failures=str(failed),
                                errors="0", skipped=str(skipped))  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    told = {"learner": row.name, "earned": f"{row.card.earned:g}", "assessed": str(row.card.assessed),
            "points": str(row.card.points)}  # fmt: skip
    told |= {f"{v.check.id}.earned": f"{v.earned:g}" for r in row.card.results for v in r.verdicts}
    for name, value in told.items():
        ElementTree.SubElement(properties, "property", name=_clean(name), value=_clean(value))
    suite.extend(cases)
    return suite


def _junit_case(row: Row, result: Result, verdict: Verdict, course: Course) -> ElementTree.Element:
    name = f"{result.exercise.slug}: {verdict.check.title}"
    case = ElementTree.Element("testcase", name=_clean(name), classname=_clean(f"{row.key}.{result.exercise.slug}"))
    if verdict.status == PASSED:
        return case
    said = _clean(output(verdict, replace(course, root=row.home)))
    kind = "skipped" if verdict.status in (NOT_ASSESSED, UNTOUCHED) else "failure"
    points = f"{verdict.earned:g} / {verdict.check.points}"
    ElementTree.SubElement(case, kind, type=verdict.status, message=points).text = said
    return case


def _clean(text: str) -> str:
    return _NEVER.sub("\N{REPLACEMENT CHARACTER}", plain(text))
