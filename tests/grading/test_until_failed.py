"""A file that is graded as far as the first check that fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.grading import grader
from onekernel.grading.grader import grade, grade_until_failed
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, UNTOUCHED, Failure, Result, Verdict
from onekernel.messages import Message
from onekernel.sandbox import own_time
from support.course import COURSE, ROOT

EXERCISE = COURSE.exercises["vector_add"]
SOLUTION = Submission(COURSE, EXERCISE, COURSE.solution(EXERCISE), "simulator", 7)


@pytest.mark.slow
def test_what_is_right_is_graded_as_a_whole() -> None:
    every, whole = grade_until_failed(SOLUTION), grade(SOLUTION)
    assert replace(every, seconds=0.0) == replace(whole, seconds=0.0) and not every.not_graded
    assert not every.fails and every.solved


@pytest.mark.slow
def test_what_is_wrong_is_graded_as_far_as_that() -> None:
    """Whole blocks come out right without a guard; what any size shows is all that is said."""
    wrong = replace(SOLUTION, path=ROOT / "tests" / "wrong" / "add_bounds_off_by_one.cu")
    whole, first = grade(wrong), grade_until_failed(wrong)
    fails = [v.status != PASSED for v in whole.verdicts].index(True)
    assert fails and [v.status for v in first.verdicts] == [PASSED] * fails + [FAILED]
    assert first.verdicts[-1].failures[0].code == whole.verdicts[fails].failures[0].code
    assert first.not_graded == EXERCISE.checks[fails + 1 :] != () and first.fails and not first.solved


@pytest.mark.slow
def test_what_comes_out_right_check_by_check_is_wrong_where_all_of_them_together_are(tmp_path: Path) -> None:
    """It does nothing from its 17th call on: no check makes so many."""
    text = SOLUTION.path.read_text(encoding="utf-8")
    begins = text.index("{", text.index("vector_add", text.index('extern "C"'))) + 1
    path = tmp_path / "vector_add.cu"
    runs_out = "\n    static int calls = 0;\n    if (++calls > 16) return cudaSuccess;\n"
    path.write_text(text[:begins] + runs_out + text[begins:], encoding="utf-8")
    wrong = replace(SOLUTION, path=path)
    assert grade_until_failed(wrong).earned == grade(wrong).earned < EXERCISE.points


@pytest.mark.parametrize(
    ("status", "code", "stops"),
    [(PASSED, "", False), (UNTOUCHED, "", False), (NOT_ASSESSED, "", False), (FAILED, "values", True),
     (PARTIAL, "memory", True), (FAILED, "prediction", False)],
)  # fmt: skip
def test_it_stops_where_there_is_something_to_mend(
    status: str, code: str, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def judged(submission: Submission) -> Result:
        asked.append(tuple(check.id for check in submission.exercise.checks))
        why = (Failure(Message("grading.no-programs"), "", code=code),) if code else ()
        verdicts = tuple(Verdict(check, status, failures=why) for check in submission.exercise.checks)
        return Result(
            submission.exercise, verdicts, submission.backend, submission.seed, 1.0, submission.ran_on, ("gpu",)
        )

    monkeypatch.setattr(grader, "grade", judged)
    result = grade_until_failed(SOLUTION)
    every = tuple(c.id for c in EXERCISE.checks)
    assert asked == ([every[:1]] if stops else [*((c,) for c in every), every])
    assert tuple(v.check.id for v in result.verdicts) == every[: 1 if stops else None]
    assert (result.exercise, result.seconds, result.open_walls) == (EXERCISE, len(asked), ("gpu",))


def test_the_checks_one_by_one_share_the_seconds_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """What each spends is missing to the next, and all together have theirs once more."""
    seen: list[float] = []

    def spends(submission: Submission) -> list[Verdict]:
        mine = own_time.allowance(submission.path)
        assert mine is not None and mine.seconds == EXERCISE.seconds
        seen.append(mine.spent)
        mine.spent += 10
        return [Verdict(c, PASSED, c.points) for c in submission.exercise.checks]

    monkeypatch.setattr(grader, "refusals", spends)
    path = ROOT / "tests" / "right" / "add_double_ceil.cu"
    grade_until_failed(replace(SOLUTION, path=path))
    assert seen == [*(10.0 * n for n in range(len(EXERCISE.checks))), 0.0]
