"""Starters: each is its solution minus the gaps, compiles, earns nothing; each solution earns everything it can."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel import course, gaps
from onekernel.author import exercises
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import UNTOUCHED
from support.course import COURSE, ROOT
from support.courses import make_course
from support.patience import HUNG_SECONDS

# The small ones between the labs: test_practice.py.
LABS = [e for e in COURSE.exercises.values() if not e.home]
EXERCISES = pytest.mark.parametrize("exercise", LABS, ids=lambda e: e.slug)
SOLUTIONS = sorted(p for p in (ROOT / "solutions").iterdir() if p.suffix in gaps.COMMENT)
STARTERS = [p for p in SOLUTIONS if gaps.has_gaps(p.read_text(encoding="utf-8"))]
TEXT = "a\n  // <gap>\n  //| // TODO\n  //| x = 0;\n  //|\n  x = 1;\n  // </gap>\nb\n"


def test_a_gap_becomes_its_own_lines_at_their_indentation() -> None:
    assert gaps.starter(TEXT, Path("k.cu")) == "a\n  // TODO\n  x = 0;\n\nb\n"
    assert gaps.solved(TEXT, Path("k.cu")) == "a\n  x = 1;\nb\n"


def test_each_extension_has_its_own_marks() -> None:
    assert gaps.starter("# <gap>\n#| x = 0\nx = 1\n# </gap>\n", Path("k.py")) == "x = 0\n"
    assert gaps.starter("<!-- <gap> -->\n<!--| Why? -->\nBecause.\n<!-- </gap> -->\n", Path("k.md")) == "Why?\n"
    assert gaps.solved("<!-- <gap> -->\n<!--| Why? -->\nBecause.\n<!-- </gap> -->\n", Path("k.md")) == "Because.\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("// <gap>\nx\n", "k.cu:1"),
        ("x\n// </gap>\n", "k.cu:2"),
        ("// <gap>\n// <gap>\n// </gap>\n", "k.cu:2"),
    ],
)
def test_marks_that_do_not_pair_are_refused_with_their_line(text: str, place: str) -> None:
    with pytest.raises(UserError, match=place) as refused:
        gaps.starter(text, Path("k.cu"))
    assert place in refused.value.message.text("es") and "hueco" in refused.value.message.text("es")


def test_stale_and_stray_starters_are_found_then_mended(tmp_path: Path) -> None:
    make_course(tmp_path)
    (tmp_path / "kernels" / "quiz.py").write_text("edited")
    (tmp_path / "kernels" / "stray.cu").write_text("")
    wrong = {tmp_path / "kernels" / "quiz.py", tmp_path / "kernels" / "stray.cu"}
    assert set(gaps.write_starters(tmp_path, check=True)) == wrong
    assert (tmp_path / "kernels" / "quiz.py").read_text() == "edited"
    assert set(gaps.write_starters(tmp_path)) == wrong
    assert gaps.write_starters(tmp_path, check=True) == []
    assert not (tmp_path / "kernels" / "stray.cu").exists()


@pytest.mark.parametrize("solution", STARTERS, ids=lambda p: p.name)
def test_the_starter_is_the_solution_minus_its_gaps(solution: Path) -> None:
    starter = (ROOT / "kernels" / solution.name).read_text(encoding="utf-8")
    assert starter == gaps.starter(solution.read_text(encoding="utf-8"), solution)
    assert "gap>" not in starter
    assert "TODO" in starter


def test_no_starter_is_without_a_solution() -> None:
    assert {p.name for p in (ROOT / "kernels").iterdir()} == {p.name for p in STARTERS}


@EXERCISES
def test_the_starter_as_it_is_is_yours_to_solve(exercise: course.Exercise, device: str) -> None:
    result = grade(Submission(COURSE, exercise, COURSE.starter(exercise), device, fresh_seed()))
    assert {v.status for v in result.verdicts} == {UNTOUCHED}
    assert result.earned == 0


@EXERCISES
@pytest.mark.slow
@pytest.mark.sample(every=3)
def test_the_starter_compiles_and_earns_nothing(exercise: course.Exercise, device: str) -> None:
    seed = fresh_seed()
    assert exercises.starter(COURSE, exercise, device, seed) == [], f"seed {seed}"


@EXERCISES
@pytest.mark.slow
@pytest.mark.sample(every=3)
def test_the_solution_earns_every_point_that_can_be_assessed(exercise: course.Exercise, device: str) -> None:
    seed = fresh_seed()
    assert exercises.solution(COURSE, exercise, device, seed) == [], f"seed {seed}"


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc, the CUDA compiler")
@pytest.mark.parametrize("folder", ["kernels", "solutions"])
@pytest.mark.parametrize("name", [p.name for p in STARTERS if p.suffix == ".cu"])
@pytest.mark.slow
@pytest.mark.sample(every=3)
def test_nvcc_compiles_it_alone(folder: str, name: str, tmp_path: Path) -> None:
    argv = ["nvcc", "-std=c++17", "-arch=sm_80", "-c", str(ROOT / folder / name), "-o", str(tmp_path / "out.o")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=HUNG_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
