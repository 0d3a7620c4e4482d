"""The grades of a class as JUnit XML: a suite per student, a case per check, the points as properties of the suite.

Source: the schema with which Jenkins validates, junit-10.xsd of github.com/jenkinsci/xunit-plugin. It knows properties
of suites and none of cases; times are optional, and left out so that equal results are equal files.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from dataclasses import replace

from onekernel.course import Course
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, UNTOUCHED, Result, Verdict
from onekernel.messages import plain
from onekernel.report.gradebook import Row
from onekernel.report.text import output

# What XML 1.0 has no way to write.
_NEVER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parts(rows: Iterable[Row], course: Course) -> Iterator[bytes]:
    """The document, a suite after the other: that of a whole class would take the most memory of it all."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="onekernel">'
    for row in rows:
        yield f"\n  {_written(_suite(row, course))}".encode()
    yield b"\n</testsuites>\n"


def _written(suite: ElementTree.Element) -> str:
    ElementTree.indent(suite, level=1)
    return ElementTree.tostring(suite, encoding="unicode")


def _suite(row: Row, course: Course) -> ElementTree.Element:
    cases = [_case(row, r, v, course) for r in row.card.results for v in r.verdicts]
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


def _case(row: Row, result: Result, verdict: Verdict, course: Course) -> ElementTree.Element:
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
