"""The pytest plugin, by running pytest inside pytest on a small course."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import pytest

from onekernel import learners, messages
from onekernel.pytest_run import summary
from onekernel.report import classroom
from support.courses import make_course, with_plugin

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]

CONFIG = '[tool.pytest.ini_options]\ntestpaths = ["tests", "labs", "kernels"]\naddopts = "-ra"\n'
CLASSROOM = {
    "CLASSROOM": "gpu", "ASSIGNMENT": "labs", "USERNAME": "ana", "SUBMISSION_TAG": "submit/2026-01-01T00-00-00Z-abc",
    "COMMIT_URL": "https://example.org/c", "RELEASE_URL": "https://example.org/r",
}  # fmt: skip


@pytest.fixture
def course(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A course with a test of its own, where pytest runs."""
    for variable in ("ONEKERNEL_ROOT", "ONEKERNEL_LEARNER", "ONEKERNEL_LANG", "PYTEST_ADDOPTS", *CLASSROOM):
        monkeypatch.delenv(variable, raising=False)
    make_course(pytester.path)
    (pytester.path / "pyproject.toml").write_text(CONFIG)
    (pytester.path / "tests").mkdir()
    (pytester.path / "tests" / "test_it.py").write_text("def test_it():\n    pass\n")
    return pytester


@pytest.fixture
def ana(course: pytest.Pytester) -> Path:
    """A learner who solved the first exercise, got one answer of the second wrong, and left a check open."""
    root = course.path
    folder = learners.start(root, "ana", {"quiz.py": (root / "kernels" / "quiz.py").read_text()})[0].folder
    shutil.copy(root / "solutions" / "quiz.py", folder)
    text = (root / "solutions" / "exam.py").read_text().replace("100.7 MB", "67.1 MB")
    (folder / "exam.py").write_text(text)
    return folder


def run(course: pytest.Pytester, *words: str) -> pytest.RunResult:
    return course.runpytest_subprocess(*with_plugin(), *words)


def test_a_fresh_clone_is_green_and_starters_are_yours_to_solve(course: pytest.Pytester) -> None:
    result = run(course)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*- yours to solve -*", "exam, quiz", "*1 passed, 2 yours to solve*"])
    assert "skipped" not in result.stdout.str()
    verbose = run(course, "-v", "kernels")
    verbose.stdout.fnmatch_lines(["kernels/exam.py::exam YOURS TO SOLVE*"])


def test_a_starter_that_was_edited_in_place_is_told(course: pytest.Pytester) -> None:
    (course.path / "kernels" / "quiz.py").write_text("FLOPS = 1\n")
    result = run(course, "kernels")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*Your work belongs in learners/*"])
    assert "Traceback" not in result.stdout.str()


def test_a_learner_is_graded_by_check_with_points(course: pytest.Pytester, ana: Path) -> None:
    result = run(course, "--learner", "ana", "-v")
    assert result.ret == 1
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines([
        "labs/00-first/lab.toml::quiz::1-answers PASSED*",
        "labs/01-second/lab.toml::exam::1-answers FAILED*",
        "*Work: 2 / 4*",
        "BYTES = 67.1 MB is 0.667 times what it should be.",
        "*read: *docs/en/00-motivation.md#roofline",
        "*again: pytest --learner=ana -k exam --grading-seed *",
        "ana: 10 / 12",
    ])  # fmt: skip
    for noise in ("Traceback", "pytest_plugin.py", "test_it"):
        assert noise not in result.stdout.str()


def test_pytest_ends_with_0_at_full_points_alone(course: pytest.Pytester, ana: Path) -> None:
    full = run(course, "--learner", "ana", "labs/00-first")
    full.assert_outcomes(passed=2)
    assert full.ret == 0
    assert run(course, "--learner", "ana", "labs/01-second").ret == 1


def test_an_untouched_file_is_yours_to_solve_and_a_lab_can_be_named(course: pytest.Pytester, ana: Path) -> None:
    shutil.copy(course.path / "kernels" / "quiz.py", ana)
    result = run(course, "--learner", "ana", "labs/00-first")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["ana: 0 / 6", "*2 yours to solve*"])


def test_a_seed_draws_the_same_again(course: pytest.Pytester, ana: Path) -> None:
    result = run(course, "--learner", "ana", "--grading-seed", "77")
    result.stdout.fnmatch_lines(["*--grading-seed 77"])


def test_the_verdict_speaks_spanish(course: pytest.Pytester, ana: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_LANG", "es")
    run(course, "--learner", "ana").stdout.fnmatch_lines(["*Trabajo: 2 / 4*", "*docs/es/00-motivation.md#roofline"])


def test_junit_carries_the_points(course: pytest.Pytester, ana: Path) -> None:
    run(course, "--learner", "ana", "--junitxml=out.xml")
    cases = ElementTree.parse(course.path / "out.xml").getroot().iter("testcase")
    told = [{p.get("name"): p.get("value") for p in case.iter("property")} for case in cases]
    assert [(t["exercise"], t["earned"], t["points"], t["status"]) for t in told] == [
        ("quiz", "4", "4", "passed"), ("quiz", "2", "2", "passed"),
        ("exam", "2", "4", "partial"), ("exam", "2", "2", "passed"),
    ]  # fmt: skip
    assert {t["learner"] for t in told} == {"ana"}


def test_points_say_what_ran_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(status: str, device: str) -> SimpleNamespace:
        found = {"learner": "ana", "earned": "2", "points": "3", "status": status, "device": device}
        return SimpleNamespace(when="call", user_properties=list(found.items()))

    lines: list[str] = []
    reports = [told("passed", "interpreter"), told("failed", "cuda"), told("untouched", "cpu"), told("passed", "-")]
    reporter = SimpleNamespace(stats={"": reports}, section=lambda *_, **__: None,
                               line=lambda text, **_: lines.append(text))  # fmt: skip
    for lang, said in (("en", "ana: 8 / 12 (cuda, interpreter)"), ("es", "ana: 8 / 12 (cuda, intérprete)")):
        monkeypatch.setattr(messages, "_chosen", lang)
        summary(reporter)
        assert lines.pop() == said and not lines


def test_a_folder_and_a_class_are_graded(course: pytest.Pytester, ana: Path, tmp_path: Path) -> None:
    (ana / "scores.json").write_text("{")  # a class is graded whatever one student's folder holds
    (ana / "predictions.json").write_text("{")
    students = tmp_path / "class"
    shutil.copytree(ana, students / "ana")
    (students / "eva").mkdir()
    one = run(course, f"--submission={students / 'ana'}")
    one.assert_outcomes(passed=3, failed=1)
    every = run(course, f"--submissions={students}", "-v")
    every.assert_outcomes(passed=3, failed=5)
    every.stdout.fnmatch_lines([
        "labs/00-first/lab.toml::ana.quiz::1-answers PASSED*", "labs/00-first/lab.toml::eva.quiz::1-answers FAILED*",
        f"*again: pytest --submission={students}/ana -k exam --grading-seed *",
        f"*again: pytest --submission={students}/eva -k exam --grading-seed *",
        "ana: 10 / 12", "eva: 0 / 12",
    ])  # fmt: skip


def test_a_folder_that_is_a_link_to_somebody_elses_earns_nothing(
    course: pytest.Pytester, ana: Path, tmp_path: Path
) -> None:
    students = tmp_path / "class"
    shutil.copytree(ana, students / "ana")
    (students / "eva").symlink_to("ana")
    every = run(course, f"--submissions={students}")
    every.stdout.fnmatch_lines([f"{students}/eva is a link to another file.*", "ana: 10 / 12", "eva: 0 / 12"])
    run(course, f"--submission={students / 'eva'}").stdout.fnmatch_lines(["eva: 10 / 12"])  # named by who grades


def test_what_one_student_keeps_closed_stops_no_class(course: pytest.Pytester, ana: Path, tmp_path: Path) -> None:
    course.makeconftest("""
        import errno
        from pathlib import Path

        opened = Path.open
        def closed(path, *words, **named):
            if path.parent.name == "eva":  # modes keep nobody out who grades as root
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return opened(path, *words, **named)
        Path.open = closed
    """)
    students = tmp_path / "class"
    shutil.copytree(ana, students / "ana")
    shutil.copytree(ana, students / "eva")
    (students / "eva" / "predictions.json").write_text("{}")
    lab = course.path / "labs" / "00-first" / "lab.toml"
    lab.write_text("elective = true\n" + lab.read_text())  # where it is asked before anything is graded, who has begun
    result = run(course, f"--submissions={students}")
    result.stdout.fnmatch_lines(["ana: 10 / 12", "eva: 0 / 0  (+ 12*"])


def test_processes_of_xdist_grade_each_exercise_once_and_with_one_seed(course: pytest.Pytester, ana: Path) -> None:
    pytest.importorskip("xdist")
    course.makeconftest("""
        from onekernel.pytest_run import Run

        grade = Run.grade
        def grades(run, student, exercise):
            with open("graded", "a") as file:
                print(exercise.slug, run.seed, file=file)
            return grade(run, student, exercise)
        Run.grade = grades
    """)
    result = run(course, "--learner", "ana", "-n", "2")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["ana: 10 / 12"])
    graded = sorted(line.split() for line in (course.path / "graded").read_text().splitlines())
    assert [slug for slug, _ in graded] == ["exam", "quiz"] and len({seed for _, seed in graded}) == 1


def test_a_hostile_folder_is_never_imported(course: pytest.Pytester, ana: Path) -> None:
    attack = "import os\nos._exit(0)\n"
    for name in ("conftest.py", "sitecustomize.py", "numpy.py", "pytest.py", "exam.py"):
        (ana / name).write_text(attack)
    (ana / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    result = run(course, f"--submission={ana}")
    assert result.ret == 1
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["ana: 6 / 12"])


def test_a_run_that_read_a_submissions_configuration_is_refused(course: pytest.Pytester, ana: Path) -> None:
    (ana / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    result = run(course, "--submission", str(ana))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--submission={ana}" in result.stderr.str()


def test_a_submissions_configuration_cannot_have_its_conftest_run(course: pytest.Pytester, ana: Path) -> None:
    trace = course.path / "conftest-ran"
    (ana / "conftest.py").write_text(f"open({str(trace)!r}, 'w')\n")
    (ana / "pytest.ini").write_text(f"[pytest]\naddopts = --rootdir={course.path} {ana}\n")
    result = run(course, "--submission", str(ana))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not trace.exists()


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (["learners/ana"], True),
        (["learners/ana/test_evil.py::test_evil"], True),
        (["--learner", "ana", "learners/ana"], True),
        (["--submission=handed-in/ana", "handed-in/ana"], True),
        (["--submissions=handed-in", "handed-in/ana/test_evil.py"], True),
        (["."], False),
        (["--learner", "ana", "."], False),
        (["--submission=handed-in/ana", "."], False),
        (["--submission", "handed-in/ana"], False),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_no_code_of_a_submission_is_collected(
    course: pytest.Pytester, ana: Path, words: list[str], refused: bool
) -> None:
    trace = course.path / "submission-ran"
    for name in ("conftest.py", "test_evil.py"):
        (ana / name).write_text(f"open({str(trace)!r}, 'w')\ndef test_evil():\n    pass\n")
    if any("handed-in" in word for word in words):  # and bare `pytest .` collects what the author of a course put there
        shutil.move(ana.parent, course.path / "handed-in")
        (course.path / "learners").mkdir()
    result = run(course, *words)
    assert not trace.exists()
    assert (result.ret == pytest.ExitCode.USAGE_ERROR) == refused, result.stdout.str()
    assert not refused or "--learner=NAME" in result.stderr.str()


def test_the_plugin_refuses_and_reports_in_spanish(
    course: pytest.Pytester, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONEKERNEL_LANG", "es")
    assert "elige una" in run(course, "--learner", "ana", "--submission", "labs").stderr.str()
    run(course, "--learner", "ana").stdout.fnmatch_lines(["*- puntos -*"])
    run(course).stdout.fnmatch_lines(["*1 passed, 2 por resolver*"])
    assert "evalúa learners/NOMBRE" in run(course, "--help").stdout.str()


def test_a_students_name_cannot_begin_a_line(course: pytest.Pytester, ana: Path) -> None:
    (ana.parent / "eva\nana: 12").mkdir()
    result = run(course, f"--submissions={ana.parent}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "rename" in result.stderr.str()


def test_a_folder_inside_the_course_may_stand_alone(course: pytest.Pytester, ana: Path) -> None:
    run(course, "--submission", str(ana)).assert_outcomes(passed=3, failed=1)


def test_gradescope_gets_its_file(course: pytest.Pytester, ana: Path) -> None:
    run(course, f"--submission={ana}", "--gradescope", "results.json")
    data = json.loads((course.path / "results.json").read_text())
    assert data["score"] == 10
    seen = [t for t in data["tests"] if t["visibility"] == "visible"]
    assert [(t["score"], t["max_score"], t["status"]) for t in seen] == [
        (4, 4, "passed"), (2, 2, "passed"), (2, 4, "failed"), (2, 2, "passed"),
    ]  # fmt: skip
    assert "0.667 times" in seen[2]["output"]
    assert [(t["visibility"], "score" in t) for t in data["tests"] if t not in seen] == [("hidden", False)]


def test_a_report_that_cannot_be_written_is_one_sentence_below_the_points(course: pytest.Pytester, ana: Path) -> None:
    done = run(course, f"--submission={ana}", "--gradescope", "nowhere/results.json")
    text = done.stdout.str() + done.stderr.str()
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "10 / 12" in text and "--gradescope: nowhere/results.json: " in text
    assert "Traceback" not in text


def test_classroom_gets_its_file(course: pytest.Pytester, ana: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CLASSROOM.items():
        monkeypatch.setenv(name, value)
    run(course, f"--submission={ana}", "--classroom", "result.json")
    data = json.loads((course.path / "result.json").read_text())
    assert set(data) == {
        "schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review",
        "datetime", "score", "max-score", "tests",
    }  # fmt: skip
    assert (data["schema"], data["owner"], data["score"], data["max-score"]) == ("classroom50/result/v1", "ana", 10, 12)
    assert [(t["passed"], t["score"], t["max-score"]) for t in data["tests"]] == [
        (True, 4, 4), (True, 2, 2), (False, 2, 4), (True, 2, 2),
    ]  # fmt: skip
    assert set(classroom.VARIABLES) == set(CLASSROOM)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--learner", "eva"], "onekernel start eva"),
        (["--learner", "../solutions"], "letters"),
        (["--submission", "nowhere"], "not a folder"),
        (["--submissions", "labs/00-first"], "each student needs one"),
        (["--learner", "ana", "--submission", "solutions"], "choose one"),
        (["--gradescope", "x.json"], "--submission DIR"),
        (["--submissions", "learners", "--submission", "learners"], "choose one"),
        (["--learner", "ana", "--classroom", "x.json"], "CLASSROOM"),
    ],
)
def test_what_cannot_be_graded_is_said_in_a_sentence(
    course: pytest.Pytester, ana: Path, words: list[str], said: str
) -> None:
    result = run(course, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_a_broken_lab_is_named(course: pytest.Pytester, ana: Path) -> None:
    (course.path / "labs" / "00-first" / "lab.toml").write_text("title = 3\n")
    result = run(course, "--learner", "ana")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "lab.toml:1" in result.stderr.str()


def test_another_project_does_not_notice_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        def pytest_addoption(parser):
            for name in ("--device", "--learner", "--submission"):
                parser.addoption(name, default="theirs")
    """)
    pytester.makepyfile(
        test_theirs="""
        import sys
        def test_theirs(request):
            assert request.config.getoption("--device") == "theirs"
            assert not [m for m in sys.modules if m.startswith("onekernel.") and m != "onekernel.pytest_plugin"]
    """
    )
    for folder in ("labs/x", "kernels", "solutions"):  # like a course, and none
        (pytester.path / folder).mkdir(parents=True)
    (pytester.path / "kernels" / "a.cu").write_text("")
    result = run(pytester)
    result.assert_outcomes(passed=1)
    assert "yours" not in result.stdout.str()
