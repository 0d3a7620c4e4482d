"""What other systems read of us, held to readers written from their own sources:

- Canvas: lib/gradebook_importer.rb of github.com/instructure/canvas-lms at 00b222d (header?, update_column_count,
  strip_non_assignment_columns, identify_delimiter, decimal_comma_to_period, check_for_non_student_row).
- Moodle: mod/assign/feedback/offline/importgradeslib.php of github.com/moodle/moodle at 452e36f (init, next).
- Classroom 50: schemas/result-v1.schema.json of github.com/foundation50/classroom50 at 6e593c7, and validate_result of
  its runner.py at 0c49903, which says what a schema cannot.
- Gradescope: "Autograder Specifications, Output format", gradescope-autograders.readthedocs.io/en/latest/specs.
- Jenkins: junit-10.xsd of github.com/jenkinsci/xunit-plugin at 0c37522.
"""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from onekernel.course import Course
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Result, Scorecard, Verdict
from onekernel.messages import Message
from onekernel.report import classroom, gradebook, gradescope
from onekernel.report.gradebook import Row
from support.course import COURSE

RUNNER = {
    "CLASSROOM": "gpu", "ASSIGNMENT": "labs", "USERNAME": "ana", "SUBMISSION_TAG": "submit/2026-01-01T00-00-00Z-abc",
    "COMMIT_URL": "https://example.org/c", "RELEASE_URL": "https://example.org/r",
}  # fmt: skip


@pytest.fixture(scope="module")
def course() -> Course:
    return COURSE


@pytest.fixture(scope="module")
def card(course: Course) -> Scorecard:
    """One exercise with a check of each kind of end, a part of a point among them; one that was not assessed."""
    wrong = Failure(Message("grading.plain", {"text": "a\x1b[2J\n=SUM(1)\ud800"}), "01-03-launch#launch", code="values")
    first, second = course.exercises["vector_add"], course.exercises["softmax_tuned"]
    ends = [(FAILED, 0.0), (PARTIAL, 1.8), (PASSED, float(first.checks[2].points)), (NOT_ASSESSED, 0.0)]
    assert len(first.checks) >= 4
    verdicts = [Verdict(c, status, earned, () if status == PASSED else (wrong,))
                for c, (status, earned) in zip(first.checks, ends, strict=False)]  # fmt: skip
    nothing = tuple(Verdict(c, NOT_ASSESSED) for c in second.checks)
    return Scorecard.of([Result(first, tuple(verdicts), "simulator", 7), Result(second, nothing, "simulator", 7)])


NAMES = ("Ada Lovelace", "Núñez, José; Mª", '=HYPERLINK("x")', 'O"Neil\nnewline', "1234", "-2+3", "\ufeffbom")


@pytest.fixture(scope="module")
def rows(card: Scorecard) -> list[Row]:
    return [Row(f"s{n}", name, {"canvas": str(100 + n), "moodle": str(900 + n)}, "", False, (), card, Path("/x"))
            for n, name in enumerate(NAMES)]  # fmt: skip


def canvas_reads(text: str) -> tuple[dict[str, str], dict[int, dict[str, str]]]:
    """The points possible of each assignment, and the grades by Canvas's number of a student."""

    def counts(separator: str) -> int:
        found = [len(next(csv.reader([line], delimiter=separator), [])) for line in text.splitlines()[:3]]
        return found[0] if len(set(found)) == 1 else 0

    delimiter = ";" if counts(";") > counts(",") else ","
    table = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if "".join(row).strip()]
    head, *others = table
    assert len(head) > 3 and "Student" in head[0] and "ID" in head[1], "Invalid header row"
    about = 3
    if re.search(r"SIS\s+Login\s+ID", head[2]):
        about = 4
    elif re.search(r"SIS\s+User\s+ID", head[2]) and re.search(r"SIS\s+Login\s+ID", head[3]):
        about = 5
    assert "Section" in head[about - 1], "Invalid header row"
    computed = r"Current Score|Current Points|Current Grade|Final Score|Final Points|Final Grade|Override"
    places = {name: n for n, name in enumerate(head) if n >= about and not re.search(computed, name)}
    possible, grades = dict[str, str](), dict[int, dict[str, str]]()
    for row in others:
        assert len(row) == len(head)
        cells = {name: _canvas_number(row[n]) for name, n in places.items()}
        if "Points Possible" in row[0]:
            possible = cells
            continue
        grades[int(row[1])] = cells
    return possible, grades


def _canvas_number(cell: str) -> str:
    if not re.fullmatch(r"-?[0-9.,]+%?", cell):
        return cell
    *front, last = re.split("[,.]", cell)
    return f"{''.join(front)}.{last}" if front else last


def test_canvas_reads_everybodys_points(course: Course, rows: list[Row]) -> None:
    exercises = [course.exercises["vector_add"], course.exercises["softmax_tuned"]]
    possible, grades = canvas_reads(gradebook.canvas(rows, exercises))
    assert possible == {e.slug: str(e.points) for e in exercises}
    earned = rows[0].card.results[0].earned
    assert set(grades) == {100 + n for n in range(len(NAMES))}
    for cells in grades.values():
        assert float(cells["vector_add"]) == pytest.approx(earned)
        assert cells["softmax_tuned"] == ""  # not assessed is no zero


def test_canvas_refuses_what_lacks_its_columns(course: Course, rows: list[Row]) -> None:
    text = gradebook.canvas(rows, [course.exercises["vector_add"]])
    with pytest.raises(AssertionError, match="Invalid header"):
        canvas_reads(text.replace("Section", "Group", 1))


def moodle_reads(text: str) -> dict[str, tuple[str, str]]:
    """Grade and comment by the number behind "Participant"."""
    head, *others = csv.reader(io.StringIO(text, newline=""))
    places = {name: head.index(name) for name in ("Grade", "Identifier", "Last modified (grade)")}
    comment = head.index("Feedback comments")
    found = {}
    for row in others:
        assert len(row) == len(head) and row[places["Identifier"]].startswith("Participant ")
        number = row[places["Identifier"]][len("Participant ") :]
        found[number] = row[places["Grade"]], row[comment]
    return found


def test_moodle_reads_everybodys_points(rows: list[Row]) -> None:
    found = moodle_reads(gradebook.moodle(rows))
    assert set(found) == {str(900 + n) for n in range(len(NAMES))}
    for n, (grade, comment) in enumerate(found[str(900 + n)] for n in range(len(NAMES))):
        assert float(grade) == pytest.approx(rows[0].card.earned)
        assert f"s{n}.html" in comment


_URL = {"type": str, "least": 1}
_POINTS = {"type": int, "least": 0}
_TIME = {"type": str, "pattern": r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"}
# classroom50/result/v1: field -> what it must be; no other field is allowed, and all of these are required.
RESULT_V1: dict[str, dict[str, Any]] = {
    "schema": {"type": str, "one of": {"classroom50/result/v1"}},
    "classroom": _URL, "assignment": _URL, "owner": _URL, "commit": _URL, "release": _URL, "review": _URL,
    "assignment_type": {"type": str, "one of": {"individual", "group", "team"}},
    "submission": {"type": str, "pattern": r"submit/.*"},
    "datetime": _TIME,
    "score": _POINTS, "max-score": _POINTS,
    "tests": {"type": list, "least": 0},
}  # fmt: skip
TEST_V1: dict[str, dict[str, Any]] = {
    "test-name": _URL, "passed": {"type": bool}, "score": _POINTS, "max-score": _POINTS,
}  # fmt: skip


def holds(value: Any, rule: dict[str, Any]) -> bool:
    """Whether a value is what a rule asks for; True is no integer."""
    if type(value) is not rule["type"]:
        return False
    size = value if isinstance(value, int) else len(value)
    return (
        size >= rule.get("least", 0)
        and value in rule.get("one of", (value,))
        and re.fullmatch(rule.get("pattern", r"(?s:.*)"), str(value)) is not None
    )


def is_result_v1(data: dict[str, Any]) -> bool:
    whole = set(data) == set(RESULT_V1) and all(holds(data[name], rule) for name, rule in RESULT_V1.items())
    parts = all(holds(test.get(name), rule) for test in data["tests"] for name, rule in TEST_V1.items())
    return whole and parts and all(part["score"] <= part["max-score"] for part in (data, *data["tests"]))


@pytest.mark.parametrize("more", [{}, {"ASSIGNMENT_TYPE": "group", "OWNER": "group-3", "REVIEW_URL": "https://e.org"}])
def test_classroom_50_takes_the_result(course: Course, card: Scorecard, more: dict[str, str]) -> None:
    data = classroom.results(card, course, RUNNER | more)
    assert is_result_v1(data)
    assert data["owner"] == more.get("OWNER", "ana") and data["review"] == more.get("REVIEW_URL", RUNNER["COMMIT_URL"])
    assert [t["score"] for t in data["tests"]][:2] == [0, 1]  # 1.8 is rounded down
    assert len(data["tests"]) == 3  # what was not assessed is neither won nor lost
    for spoilt in ({"graded": 1}, {"score": 1.8}, {"score": 99}, {"submission": "v1"}, {"tests": [{"score": 1}]}):
        assert not is_result_v1(data | spoilt)


VISIBILITIES = {"visible", "hidden", "after_due_date", "after_published"}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}
# Gradescope's results.json: field -> its types.
GRADESCOPE = {"score": (int, float), "execution_time": (int, float), "output": str, "output_format": str,
              "test_output_format": str, "test_name_format": str, "visibility": str, "stdout_visibility": str,
              "extra_data": dict, "tests": list, "leaderboard": list}  # fmt: skip
GRADESCOPE_TEST = {"score": (int, float), "max_score": (int, float), "status": str, "name": str, "name_format": str,
                   "number": str, "output": str, "output_format": str, "tags": list, "visibility": str,
                   "extra_data": dict}  # fmt: skip


@pytest.mark.parametrize("visibility", [None, *sorted(VISIBILITIES)])
def test_gradescope_takes_the_results(course: Course, card: Scorecard, visibility: str | None) -> None:
    if visibility is None:
        data = gradescope.results(card, course)
    else:
        data = gradescope.of_student(card, course, Path("/x"), (), visibility)
    for fields, part in ((GRADESCOPE, data), *((GRADESCOPE_TEST, test) for test in data["tests"])):
        assert all(isinstance(value, fields[name]) for name, value in part.items())  # type: ignore[arg-type]
        assert part.get("visibility", "visible") in VISIBILITIES
        assert part.get("status", "passed") in ("passed", "failed")
        assert part.get("stdout_visibility", "hidden") in VISIBILITIES and part.get("output_format", "text") in FORMATS
    assert "score" in data or all("score" in test for test in data["tests"])
    assert data["score"] == pytest.approx(sum(test.get("score", 0) for test in data["tests"]))
    without = {test["name"] for test in data["tests"] if "score" not in test and not test["name"].endswith("(+)")}
    open_ones = {f"{r.exercise.slug}: {v.check.title}" for r in card.results for v in r.verdicts
                 if v.status == NOT_ASSESSED}  # fmt: skip
    assert without == open_ones != set()


_ANY = {"name", "time", "tests", "failures", "disabled", "errors"}
_TOLD = ({"type", "message"}, set[str](), set[str]())
# junit-10.xsd: element -> (its attributes, the required ones among them, its children).
JENKINS = {
    "testsuites": (_ANY, set[str](), {"testsuite"}),
    "testsuite": (_ANY | {"skipped", "skips", "timestamp", "hostname", "id", "package", "assertions", "file", "skip",
                          "log", "url"}, {"tests"},
                  {"testsuite", "properties", "testcase", "system-out", "system-err"}),
    "properties": (set[str](), set[str](), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set[str]()),
    "testcase": ({"name", "assertions", "time", "timestamp", "classname", "status", "class", "file", "line", "log",
                  "group", "url"}, {"name"},
                 {"skipped", "error", "failure", "rerunFailure", "rerunError", "system-out", "system-err"}),
    "failure": _TOLD, "error": _TOLD, "skipped": _TOLD,
}  # fmt: skip


def test_junit_is_what_jenkins_validates(course: Course, rows: list[Row]) -> None:
    odd = Row("z", "\x00\ud800\uffff\x1b[2J", {}, "", False, (), rows[0].card, Path("/x"))
    root = ElementTree.fromstring(b"".join(gradebook.junit([*rows, odd], course)))
    for element in root.iter():
        allowed, required, children = JENKINS[element.tag]
        assert required <= set(element.attrib) <= allowed, element.tag
        assert {child.tag for child in element} <= children, element.tag
    assert [suite.get("name") for suite in root] == [*(row.key for row in rows), "z"]
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases)) == str(sum(len(r.verdicts) for r in rows[0].card.results))
        for kind in ("failure", "skipped"):
            told = suite.get({"failure": "failures"}.get(kind, kind))
            assert told == str(sum(case.find(kind) is not None for case in cases))
