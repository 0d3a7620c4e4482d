"""Files that are not run: each check says why, or where to read it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from onekernel import learners
from onekernel.checks.port.judge import own_kernel
from onekernel.cohort import tasks
from onekernel.cohort.submissions import Student
from onekernel.errors import UserError
from onekernel.grading import grader
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, UNTOUCHED
from onekernel.messages import LANGUAGES
from onekernel.pytest_run import LabFile
from onekernel.report import text as reports
from support.course import COURSE


def test_every_check_of_a_file_that_does_not_build_has_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    path.write_text("this is no C++\n")
    result = grade(Submission(COURSE, COURSE.exercises["vector_add"], path, "simulator", 1))
    first, *others = result.verdicts
    assert first.status == "failed" and first.failures[0].line == 1
    assert others and all([f.code for f in v.failures] == ["told-at-first"] for v in others)
    told = ["\n".join(reports.lines(v, COURSE, "again")) for v in result.verdicts]
    assert all(text.strip() for text in told)
    assert "the first check of this file says why" in told[1]


def test_each_check_of_a_file_that_is_missing_fails_and_says_so(tmp_path: Path) -> None:
    result = grade(Submission(COURSE, COURSE.exercises["vector_add"], tmp_path / "vector_add.cu", "simulator", 1))
    assert result.earned == 0 and len(result.verdicts) > 1
    first, *others = ([f.code for f in v.failures] for v in result.verdicts if v.status == FAILED)
    assert first == ["refused"] and "vector_add.cu" in str(result.verdicts[0].failures[0].message)
    assert others == [["told-at-first"]] * (len(result.verdicts) - 1)



def test_no_input_of_an_empty_file_is_counted_as_right(tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    path.write_text("")
    first = grade(Submission(COURSE, COURSE.exercises["vector_add"], path, "simulator", 1)).verdicts[0]
    assert first.note is not None and first.note.values["right"] == 0
    assert {n == of for _, n, of in first.groups} == {True}


def test_a_link_to_the_solution_or_to_somebody_elses_file_is_refused(tmp_path: Path) -> None:
    exercise = COURSE.exercises["softmax_naive"]
    path = tmp_path / exercise.file
    path.symlink_to(COURSE.solution(exercise))
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert result.earned == 0
    assert "is a link to another file" in str(result.verdicts[0].failures[0].message)


def test_a_file_in_a_linked_folder_is_refused(tmp_path: Path) -> None:
    guard = COURSE.exercises["guard"]
    (theirs := tmp_path / "bo" / guard.file).parent.mkdir(parents=True)
    theirs.write_bytes(COURSE.solution(guard).read_bytes())
    (mine := tmp_path / "ada" / guard.file).parent.parent.mkdir()
    mine.parent.symlink_to(theirs.parent)
    result = grade(Submission(COURSE, guard, mine, "simulator", 1))
    assert result.earned == 0
    assert "is a link to another file" in str(result.verdicts[0].failures[0].message)


def test_of_a_file_as_much_is_compared_with_the_starter_as_shows_that_it_is_longer(tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    path.touch()
    os.truncate(path, 1 << 40)
    assert not COURSE.untouched(COURSE.exercises["vector_add"], path)


def test_of_a_long_answer_and_a_long_line_a_sentence_quotes_the_beginning(tmp_path: Path) -> None:
    roofline, long = COURSE.exercises["roofline_challenge"], "x" * 500_000
    answers = tmp_path / roofline.file
    answers.write_text(f'FLOPS = "{long}"\nCARD = "{long}"\n')
    verdicts = [*grade(Submission(COURSE, roofline, answers, "simulator", 1)).verdicts]
    add = COURSE.exercises["vector_add"]
    (line := tmp_path / add.file).write_text(f"int f() {{ return undeclared; }}  // {long}\n")
    verdicts += grade(Submission(COURSE, add, line, "simulator", 1)).verdicts
    (tmp_path / "predictions.json").write_text(f'{{"quiz": {{"answers": {{"reads": ["{long}"]}}}}}}')
    told = ["\n".join(reports.lines(v, COURSE, "again")) for v in verdicts]
    assert any("xxx..." in text for text in told) and max(map(len, told)) < 20_000
    assert learners.read_predictions(tmp_path)["quiz"]["reads"].endswith("xxx...")


def test_linked_predictions_and_a_linked_kernel_for_the_port_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "predictions.json").symlink_to(COURSE.root / "solutions" / "predictions.json")
    with pytest.raises(UserError, match="link"):
        learners.read_predictions(tmp_path)
    port = Submission(COURSE, COURSE.exercises["torch_minigpt"], tmp_path / "torch_minigpt.py", "simulator", 1)
    (tmp_path / "softmax_tuned.cu").symlink_to(COURSE.root / "solutions" / "softmax_tuned.cu")
    assert own_kernel(port) is None


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_starter_is_nobodys_work_in_any_language_and_with_any_line_ends(lang: str, ends: str, tmp_path: Path) -> None:
    softmax = COURSE.exercises["softmax_tuned"]
    path = tmp_path / softmax.file
    path.write_bytes(COURSE.starters(softmax)[lang].replace("\n", ends).encode())
    port = Submission(COURSE, COURSE.exercises["torch_minigpt"], tmp_path / "torch_minigpt.py", "simulator", 1)
    assert own_kernel(port) is None
    result = grade(Submission(COURSE, softmax, path, "simulator", 1))
    assert {v.status for v in result.verdicts} == {UNTOUCHED}
    student = Student("ada", "Ada", tmp_path, (softmax.file,))
    in_pytest = SimpleNamespace(run=SimpleNamespace(course=COURSE, students={"ada": tmp_path}))
    assert not tasks.begun(COURSE, student, softmax) and not LabFile._begun(in_pytest, "ada", softmax)
    path.write_bytes(path.read_bytes() + b"// mine" + ends.encode())
    assert own_kernel(port) == path and tasks.begun(COURSE, student, softmax)
    path.unlink()
    path.mkdir()
    assert own_kernel(port) is None and LabFile._begun(in_pytest, "ada", softmax), "a folder is refused in words"


def test_whatever_a_file_leads_to_is_a_named_zero_of_all_its_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raises(submission: Submission) -> None:
        raise LookupError(submission.exercise.slug)

    monkeypatch.setattr(grader, "_everywhere", raises)
    path = tmp_path / "vector_add.cu"
    path.write_text("int x;\n")
    result = grade(Submission(COURSE, COURSE.exercises["vector_add"], path, "simulator", 1))
    assert (result.earned, result.assessed) == (0, COURSE.exercises["vector_add"].points)
    assert all("LookupError" in str(v.failures[0].message) for v in result.verdicts)


@pytest.mark.parametrize("encoding", ["utf-7", "utf-16", "latin-1"])
def test_a_python_file_that_python_would_read_in_another_encoding_is_refused(tmp_path: Path, encoding: str) -> None:
    """In UTF-7 the second line is an import, and a comment for whoever reads the file as UTF-8."""
    path = tmp_path / "torch_minigpt.py"
    path.write_text(f"# -*- coding: {encoding} -*-\n# +AAo-import numpy\n", encoding="utf-8")
    first = grade(Submission(COURSE, COURSE.exercises["torch_minigpt"], path, "simulator", 1)).verdicts[0]
    assert (first.status, first.failures[0].message.key) == ("failed", "grading.other-encoding")
    assert first.failures[0].line == 1


@pytest.mark.parametrize(
    "begin", ["# -*- coding: UTF-8 -*-\n", "#!/usr/bin/python\n# vim: set fileencoding=ascii :\n", "\ufeff"]
)
def test_a_python_file_may_say_that_it_is_utf8(tmp_path: Path, begin: str) -> None:
    exercise = COURSE.exercises["roofline_challenge"]
    path = tmp_path / exercise.file
    path.write_text(begin + COURSE.solution(exercise).read_text(encoding="utf-8"), encoding="utf-8")
    assert grade(Submission(COURSE, exercise, path, "simulator", 1)).earned == exercise.points
