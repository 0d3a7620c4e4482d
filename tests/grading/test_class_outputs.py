"""What goes out of a class: no word of a student's is obeyed, hidden inputs stay hidden, the formats are right."""

from __future__ import annotations

import csv
import datetime
import gc
import io
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar
from weakref import WeakSet

import pytest

from onekernel.cohort import similarity
from onekernel.cohort.submissions import Student, lateness
from onekernel.course import Course
from onekernel.grading.grader import grade
from onekernel.grading.submission import SOURCE_BYTES, Submission
from onekernel.grading.verdicts import FAILED, PASSED, UNTOUCHED, Failure, Result, Scorecard, Verdict
from onekernel.messages import Message, area, speaking
from onekernel.ops import OPERATORS
from onekernel.report import class_page, disclosure, gradebook, gradescope, html, lessons, student_page
from onekernel.report.gradebook import Row
from support.course import COURSE

NASTY = "<script>alert(1)</script>\"'=&"
SIZE = 8191  # of a hidden input, which nobody must read anywhere


@pytest.fixture(scope="module")
def course() -> Course:
    return COURSE


@pytest.fixture
def row(course: Course, tmp_path: Path) -> Row:
    """Somebody with a nasty name and a file with an index out of bounds at a nasty line, found on hidden inputs."""
    path = tmp_path / "vector_add.cu"
    path.write_text(f"a\n{NASTY}\n")
    exercise = course.exercises["vector_add"]
    values = {"kernel": NASTY, "variable": "x", "index": SIZE, "distance": 1, "size": SIZE, "block": 0, "thread": 3,
              "advice": NASTY}  # fmt: skip
    bounds = Failure(Message("simulator.out-of-bounds-read-after", {**values, "also": ""}), exercise.checks[0].chapter,
                     f"n={SIZE}", Message("grading.inputs", {"right": SIZE, "total": SIZE}), str(path), 2,
                     "out-of-bounds-read")  # fmt: skip
    wrong = Failure(Message("grading.inputs", {"right": SIZE, "total": SIZE}), exercise.checks[0].chapter,
                    f"n={SIZE}", code="values")  # fmt: skip
    groups = (("empty", 0, 2), ("tails", 2, 7))
    verdicts = [Verdict(exercise.checks[0], FAILED, failures=(bounds, wrong), groups=groups),
                Verdict(exercise.checks[1], PASSED, 4, groups=(("shapes", 0, 3),)),
                Verdict(exercise.checks[2], UNTOUCHED)]  # fmt: skip
    card = Scorecard.of([Result(exercise, tuple(verdicts), "simulator", 12345678)])
    notes = (Message("cohort.note-near", {"file": NASTY, "exercise": "vector_add.cu"}),)
    return Row("ada", NASTY, {"canvas": "17", "moodle": "4711"}, "2026-11-22T20:00:00", False, notes, card, tmp_path)


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("lang", ["en", "es"])
def test_pages_obey_nothing_load_nothing_and_tell_no_hidden_input(course: Course, row: Row, lang: str) -> None:
    about = student_page.About(row.name, row.notes, row.date)
    pair = class_page.Pair("vector_add", (NASTY, "bo"), 0.8, False, (NASTY, "x\ny"), (frozenset({1}), frozenset()))
    with speaking(lang):
        mine = student_page.html(about, row.card, course)
        everybody = class_page.html([row], list(course.exercises.values()), course, [pair], 0.5)
    for text in (mine, everybody):
        tags = Tags(text)
        assert not tags.seen & {"script", "iframe", "link", "object", "form"}
        assert not any(name.startswith("on") for name in tags.attributes)
        assert NASTY not in text and "&lt;script&gt;" in text
        assert not re.search(r'(?:src|href)="(?!data:|students/)', text)
        assert str(SIZE) not in text and "12345678" not in text
    assert ("2 of 9 hidden inputs failed, in: a last block that is not full" in mine) == (lang == "en")


@pytest.mark.parametrize(("lang", "ran_on", "said"), [
    ("en", "interpreter", " · interpreter<"), ("es", "interpreter", " · intérprete<"), ("es", "cuda", " · cuda<"),
    ("en", "-", ""),
])  # fmt: skip
def test_each_exercise_of_a_page_says_what_ran_it(
    course: Course, row: Row, lang: str, ran_on: str, said: str
) -> None:
    card = Scorecard.of([replace(result, ran_on=ran_on) for result in row.card.results])
    with speaking(lang):
        page = student_page.html(student_page.About(row.name), card, course)
    (heading,) = re.findall(r"<h3>[^\n]*\n?[^\n]*<code[^\n]*</h3>", page)
    assert heading.count(" · ") == bool(said) and said in heading


def test_what_is_told_of_hidden_inputs(row: Row, course: Course) -> None:
    verdict = row.card.results[0].verdicts[0]
    assert str(disclosure.summary(verdict)) == "2 of 9 hidden inputs failed, in: a last block that is not full"
    text = disclosure.text(verdict)
    assert str(SIZE) not in text and "  2: <script>" in text and "01-03-launch.md" in text


@pytest.mark.parametrize("key", ["grading.stopped-before", "grading.stopped-before-line"])
def test_the_input_that_stopped_a_file_stays_hidden(row: Row, key: str) -> None:
    failure = Failure(Message(key, {"input": f"{SIZE} elements", "line": 3}), "01-04-bounds")
    verdict = replace(row.card.results[0].verdicts[0], failures=(failure,))
    ((_, sentence),) = disclosure.told(verdict)
    assert str(SIZE) not in sentence and "earlier input" in sentence


TELLS = """
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <unistd.h>
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 1000) {
        fprintf(stderr, "told:%lld ", (long long)n);
        _exit(3);
    }
    if (n > 0) add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_what_a_file_prints_of_its_inputs_reaches_no_page_of_a_student(course: Course, tmp_path: Path) -> None:
    (tmp_path / "vector_add.cu").write_text(TELLS)
    exercise = course.exercises["vector_add"]
    result = grade(Submission(course, exercise, tmp_path / "vector_add.cu", "simulator", 5))
    card = Scorecard.of([result])
    assert any("told:" in str(f.message) for v in result.verdicts for f in v.failures)  # an instructor reads it
    exported = gradescope.of_student(card, course, tmp_path)
    seen = [test for test in exported["tests"] if test["visibility"] != gradescope.HIDDEN]
    mine = Row("ada", "Ada", {}, "2026-11-22T20:00:00", False, (), card, tmp_path)
    for text in (
        json.dumps([exported["output"], seen]),
        student_page.html(student_page.About("Ada"), card, course),
        class_page.html([mine], [exercise], course, [], 0.5),
    ):
        assert "told:" not in text


@pytest.mark.parametrize("key", ["simulator.out-of-bounds-read-after", "simulator.trap"])
def test_what_a_process_reports_in_the_place_of_a_name_is_not_told(row: Row, key: str) -> None:
    """Its report is what the submission's process wrote: a sentence of ours, filled in with what it likes."""
    bounds = row.card.results[0].verdicts[0].failures[0]
    forged = Message("grading.advice-own-memory", dict.fromkeys(("variable", "other_line", "size"), f"n_{SIZE}"))
    values = dict.fromkeys((*bounds.message.values, "what", "thread", "block"), forged)
    failure = replace(bounds, message=Message(key, values), code="trap" if key.endswith("trap") else bounds.code)
    ((_, sentence),) = disclosure.told(replace(row.card.results[0].verdicts[0], failures=(failure,)))
    assert str(SIZE) not in sentence and sentence


def test_a_lesson_is_its_sections_words_with_its_picture(course: Course) -> None:
    found = lessons.lesson(course.root, "01-03-launch#launch", "en")
    assert found and "kernel<<<" in found.text and found.picture.startswith("data:image/")
    assert "<sup>" not in found.text and lessons.lesson(course.root, "01-03-launch#no", "en") is None


def test_groups_of_inputs_have_words() -> None:
    groups = {case.group for name in ("vector_add", "softmax", "gelu", "rmsnorm") for case in OPERATORS[name].cases}
    assert {g for g in groups if f"group-{g}" not in area("cohort")} == set()
    assert disclosure.group_name("not-yet") == "not-yet"


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_gradebooks_have_the_systems_columns_and_no_formula(course: Course, row: Row) -> None:
    notes = (Message("cohort.note-link", {"file": "@SUM(1)"}),)
    bad = Row("b", '=HYPERLINK("http://x")', {}, "", True, notes, row.card, row.home)
    exercises = [course.exercises["vector_add"]]
    found = gradebook.files([row, bad], exercises)
    # Excel takes UTF-8 for an old code page without the mark; the systems' readers want the first column's plain name.
    assert [name for name, text in found.items() if text.startswith("\ufeff")] == ["gradebook.csv"]
    canvas = cells(found["canvas.csv"])
    assert canvas[0] == ["Student", "ID", "SIS Login ID", "Section", "vector_add"]
    assert [c.strip() for c in canvas[1]] == ["Points Possible", "", "", "", "10"]
    assert [r[1] for r in canvas[2:]] == ["17"] and canvas[2][4] == "4"
    moodle = cells(found["moodle.csv"])
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(moodle[0])  # what Moodle looks for
    assert moodle[1][moodle[0].index("Identifier")] == "Participant 4711"
    every = [cell for text in found.values() for line in cells(text) for cell in line]
    assert not [c for c in every if c.lstrip()[:1] in ("=", "+", "@") or re.match(r"\s*-(?!\d)", c)]


@pytest.mark.parametrize("name", ["ada;=1+1", "ada; +1", "ada;\u200b@SUM(1)", "\ufeff=1+1", "\u200b =1+1", "a\t-1+1"])
def test_no_formula_hides_behind_what_is_not_seen_or_what_parts_cells_in_spain(
    course: Course, row: Row, name: str
) -> None:
    """Where numbers have commas a spreadsheet takes a semicolon for the end of a cell."""
    text = gradebook.files([replace(row, name=name)], [course.exercises["vector_add"]])["gradebook.csv"]
    every = [re.sub("[\\s\u200b\ufeff]", "", cell) for cell in re.split("[,;\t\n]", text)]
    assert not [c for c in every if re.match(r"[=+@]|-(?!\d)", c)]


def test_code_in_a_sentence_is_set_as_code_and_stays_text(course: Course, row: Row) -> None:
    assert html.prose("is its end `i < n`? <b>`") == "is its end <code>i &lt; n</code>? &lt;b&gt;`"
    mine = student_page.html(student_page.About(row.name, row.notes, row.date), row.card, course)
    assert "<code>onekernel check vector_add</code>" in mine


def test_a_file_that_was_not_handed_in_is_not_counted_as_graded(course: Course, row: Row) -> None:
    exercise = course.exercises["softmax_naive"]
    none = Failure(Message("grading.no-file", {"path": "softmax_naive.cu", "slug": exercise.slug}), "")
    missing = Result(exercise, tuple(Verdict(c, FAILED, failures=(none,)) for c in exercise.checks), "simulator", 1)
    both = replace(row, card=Scorecard.of([*row.card.results, missing]))
    assert "1 file graded" in class_page.html([both], list(course.exercises.values()), course, [], 0.5)


def test_the_page_of_the_class_names_what_is_nobodys(course: Course, row: Row) -> None:
    nobodys = Message("cohort.note-nobodys", {"count": 1, "names": "<b>loose.cu"})
    assert "&lt;b&gt;loose.cu" in class_page.html([row], list(course.exercises.values()), course, [], 0.5, [nobodys])


def test_a_name_that_no_file_takes_costs_nobody_their_marks(course: Course, row: Row) -> None:
    """A folder's name may be any bytes; a fullwidth sign of equality is one for some spreadsheets."""
    odd = [Row("a", os.fsdecode(b"ada\xff"), {"canvas": "1"}, "", False, (), row.card, row.home),
           Row("c", "\uff1dcmd", {"canvas": "2"}, "", False, (), row.card, row.home)]  # fmt: skip
    found = gradebook.files(odd, [course.exercises["vector_add"]])
    assert all(text.encode() for text in found.values())
    assert [line[1] for line in cells(found["gradebook.csv"])[1:]] == ["ada\N{REPLACEMENT CHARACTER}", "'\uff1dcmd"]
    assert student_page.html(student_page.About(odd[0].name, (), "", False), row.card, course).encode()


def test_gradescope_tells_students_and_instructors_apart(course: Course, row: Row) -> None:
    found = gradescope.of_student(row.card, course, row.home, row.notes, gradescope.AFTER_DUE)
    assert {t["visibility"] for t in found["tests"]} == {"after_due_date", "hidden"}
    shown = json.dumps([t for t in found["tests"] if t["visibility"] != "hidden"])
    assert str(SIZE) not in shown and "2 of 9 hidden inputs" in shown
    assert sum(t.get("score", 0) for t in found["tests"]) == found["score"] == 4


def test_files_that_are_alike_are_found_through_names_layout_and_comments(course: Course) -> None:
    exercise = course.exercises["softmax_block"]
    right = course.solution(exercise).read_text(encoding="utf-8")
    renamed = re.sub(r"\bx_row\b", "my_row", re.sub(r"//[^\n]*", "", right)).replace("    ", "\t")
    other = (course.root / "solutions" / "ladder" / "4_online.cu").read_text(encoding="utf-8")
    starter = course.starter(exercise).read_text(encoding="utf-8")
    files = {"ada": right, "bo": renamed, "carl": other, "dan": starter, "eva": starter}
    (found,) = similarity.alike("softmax_block", files, course.starters(exercise).values())
    assert (found.one, found.other, found.equal, found.share) == ("ada", "bo", True, 1.0)
    assert found.lines[0]


def test_what_a_whole_class_wrote_is_no_copy(course: Course) -> None:
    right = course.solution(course.exercises["softmax_block"]).read_text(encoding="utf-8")
    assert not similarity.alike("softmax_block", {f"s{n}": right for n in range(9)}, ())


class Text(str):
    """A text that is counted while it is in memory."""

    alive: ClassVar[WeakSet[Text]] = WeakSet()

    def __init__(self, text: str) -> None:
        Text.alive.add(self)

    def __hash__(self) -> int:
        return id(self)


@pytest.mark.parametrize("text", ["/* ", '"', *(pytest.param(text, marks=pytest.mark.slow) for text in (
    '"\\', "'\\", "/*", "'", "//", "#", "a+", "."))])  # fmt: skip
def test_files_of_what_is_never_closed_are_compared_soon(text: str) -> None:
    files = {who: f"int {who};\n" + text * (SOURCE_BYTES // len(text)) for who in ("ada", "bo")}
    began = time.process_time()
    similarity.alike("softmax_block", files, ())
    assert time.process_time() - began < 5  # hours, where each quote looked for its end


@pytest.mark.slow
def test_a_class_is_never_in_memory_at_once(course: Course, row: Row) -> None:
    right = (course.root / "solutions" / "softmax_block.cu").read_text()

    class Files(dict[str, str]):
        def items(self) -> Iterator[tuple[str, str]]:  # type: ignore[override]
            return ((who, self[who]) for who in self)

        def __getitem__(self, who: str) -> str:
            gc.collect()
            assert len(Text.alive) <= 2
            return Text(super().__getitem__(who))

    files = Files({f"s{n}": right if n < 2 else "int nothing;" for n in range(30)})
    assert [a.lines[0] == a.lines[1] != frozenset() for a in similarity.alike("softmax_block", files, ())] == [True]
    assert not similarity.alike("softmax_block", files, (), most=0)

    asked = []
    parts = gradebook.junit((asked.append(n) or row for n in range(3)), course)  # type: ignore[func-returns-value]
    next(parts), next(parts)
    assert asked == [0]


def test_how_late_is_a_column() -> None:
    due = datetime.datetime.fromisoformat("2026-11-22T18:00:00+00:00")
    dated = {"2026-11-22T18:00:00+00:00": "", "2026-11-22T20:30:00+01:00": "2 h late", "": "", "no date": ""}
    dated |= {"9999-12-31T23:59:59-12:00": "", "0001-01-01T00:00:00+12:00": ""}
    for date, words in dated.items():
        assert lateness(Student("a", "a", Path(), (), date=date), due) == words
    assert lateness(Student("a", "a", Path(), (), late=True), None) == "late"


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_most_common_failures_are_named_in_words_and_told_apart_by_their_lesson(
    course: Course, row: Row, lang: str
) -> None:
    exercise = course.exercises["softmax_block"]
    check = exercise.checks[0]

    def student(key: str, code: str, chapter: str) -> Row:
        why = Message("compile.uninitialised", {"name": "sum"})
        failed = Verdict(check, FAILED, failures=(Failure(why, chapter, code=code),))
        return replace(row, key=key, card=Scorecard.of([Result(exercise, (failed,), "simulator", 1)]))

    loops, launches = "01-04-bounds#bounds", "01-03-launch#launch"
    rows = [student("a", "warning", loops), student("b", "uninitialised", loops), student("c", "warning", launches)]
    with speaking(lang):
        text = class_page.html(rows, [exercise], course, [], 0.8)
        title = str(check.title)
        known = [found.title for page in (loops, launches) if (found := lessons.lesson(course.root, page, lang))]
    counts = re.findall(rf'<td>{re.escape(title)}</td><td class="n">(\d+)</td>\n?<td>([^<]*)<', text)
    assert counts == [("2", known[0]), ("1", known[1])]
    assert "warning" not in text and "uninitialised" not in text
