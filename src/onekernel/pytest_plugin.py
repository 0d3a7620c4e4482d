"""The instructor's pytest: a check is a test, its points are properties, its verdict is the failure's text.

    pytest                     the graders' own tests; starters in kernels/ are shown as "yours to solve"
    pytest --learner NAME      grades learners/NAME
    pytest --submission=DIR    grades the files of one folder
    pytest --submissions=DIR   grades every folder in DIR, a student each

Write the "=": before plugins are loaded, pytest takes a folder that stands alone for a test path, and reads the
pytest.ini in it. A submission's configuration must not be read, so a run that did is refused.

Outside of a course this plugin adds no option, collects nothing and imports nothing but pytest. What is graded runs in
processes of its own (`onekernel.grading`), never in this one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from onekernel.course import Check, Course, Exercise
    from onekernel.grading.verdicts import Result, Verdict

YOURS = "yours to solve"
_WHOSE = ("learner", "submission", "submissions")
_STATE: pytest.StashKey[_Grading] = pytest.StashKey()


def course_root(start: Path) -> Path | None:
    """The course that a folder lies in; None where it lies in none."""
    for folder in (start, *start.parents):
        if (folder / "solutions").is_dir() and any((folder / "labs").glob("*/lab.toml")):
            return folder
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    if course_root(Path.cwd()) is None:
        return
    group = parser.getgroup("onekernel", "OneKernel: grading")
    group.addoption("--learner", metavar="NAME", help="grade learners/NAME, a test for each check")
    group.addoption("--submission", metavar="DIR", help="grade the files of one folder")
    group.addoption("--submissions", metavar="DIR", help="grade every folder in DIR, a student each")
    group.addoption(
        "--device",
        choices=("auto", "cuda", "simulator"),
        default="auto",
        help="what runs a .cu: the GPU, the simulator, or the GPU where there is one (auto)",
    )
    group.addoption("--grading-seed", metavar="N", type=int, help="draw the same inputs again")
    group.addoption("--gradescope", metavar="FILE", help="write Gradescope's results.json")
    group.addoption("--classroom", metavar="FILE", help="write Classroom 50's result.json")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Refuses a configuration that is not the course's before a conftest.py that it names is run."""
    ini = early_config.inipath
    if ini is None or ini.parent != course_root(Path.cwd()):
        _refuse_to_grade(early_config.known_args_namespace, ini or early_config.rootpath)


def _refuse_to_grade(options: object, taken: Path) -> None:
    """Raises UsageError where somebody is to be graded."""
    for whose in _WHOSE if course_root(Path.cwd()) else ():
        value = getattr(options, whose, None)
        if value:
            raise pytest.UsageError(
                f"pytest took {taken} for the course's; write --{whose}={value}, with '=', in the course's folder"
            )


def pytest_configure(config: pytest.Config) -> None:
    root = course_root(config.rootpath)
    if root is None or config.rootpath != root:
        _refuse_to_grade(config.option, config.rootpath)
        return
    _count_as_known(YOURS)
    state = _Grading(config, root)
    config.stash[_STATE] = state
    if state.students and config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args[:] = [str(root / "labs")]


def _count_as_known(category: str) -> None:
    """Lets the last line stay green: to pytest a category that it does not know is a warning. (No public way.)"""
    from _pytest import terminal

    known = getattr(terminal, "KNOWN_TYPES", None)
    if isinstance(known, tuple) and category not in known:
        terminal.KNOWN_TYPES = (*known, category)  # type: ignore[misc]


class _Grading:
    """What this run grades, with what, and what came of it."""

    def __init__(self, config: pytest.Config, root: Path) -> None:
        from onekernel.grading import exports

        self.config, self.root = config, root
        self.results: dict[str, list[Result]] = {}
        self.seed: int | None = config.getoption("--grading-seed", None)
        given = {w: config.getoption(f"--{w}", None) for w in _WHOSE}
        if sum(v is not None for v in given.values()) > 1:
            raise pytest.UsageError("--learner, --submission and --submissions: choose one")
        self.students = self._students(given)
        for export in ("gradescope", "classroom"):
            if config.getoption(f"--{export}", None) and len(self.students) != 1:
                raise pytest.UsageError(f"--{export} takes one student: add --submission DIR or --learner NAME")
            if config.getoption(f"--{export}", None) and config.getoption("numprocesses", None):
                raise pytest.UsageError(f"--{export} needs one process: leave out -n")
        unset = [v for v in exports.CLASSROOM_VARIABLES if not os.environ.get(v)]
        if config.getoption("--classroom", None) and unset:
            raise pytest.UsageError(f"--classroom: not set by Classroom 50's runner: {', '.join(unset)}")

    def _students(self, given: dict[str, str | None]) -> dict[str, Path]:
        """Name -> folder; empty where nobody is graded."""
        from onekernel import learners

        if given["learner"]:
            try:
                learner = learners.existing(self.root, given["learner"])
            except learners.LearnerError as error:
                raise pytest.UsageError(str(error)) from None
            return {learner.name: learner.folder}
        folder = Path(given["submission"] or given["submissions"] or ".").absolute()
        if not folder.is_dir():
            raise pytest.UsageError(f"{folder}: not a folder")
        if given["submission"]:
            return {folder.name: folder}
        if given["submissions"]:
            found = {p.name: p for p in sorted(folder.iterdir()) if p.is_dir() and not p.name.startswith(".")}
            odd = [name for name in found if not name.isprintable()]
            if odd:
                raise pytest.UsageError(f"{folder}: {odd[0]!r} is no name of a student; rename the folder")
            if not found:
                raise pytest.UsageError(f"{folder}: no folder in it; a folder is a student")
            return found
        return {}

    def prepare(self) -> None:
        """Reads the course and settles the device. Raises UsageError where a backend cannot be trusted."""
        from onekernel import course, doctor
        from onekernel.backends.base import Unavailable
        from onekernel.grading.grader import fresh_seed

        try:
            self.course: Course = course.load(self.root)
        except course.CourseError as error:
            raise pytest.UsageError(str(error)) from None
        self.seed = fresh_seed() if self.seed is None else self.seed
        asked = self.config.getoption("--device", "auto")
        try:
            self.device, _ = doctor.settle(self.course, self.course.exercises.values(), asked)
        except Unavailable as error:
            raise pytest.UsageError(str(error)) from None

    def grade(self, student: str, exercise: Exercise) -> Result:
        from onekernel import learners
        from onekernel.grading.grader import grade
        from onekernel.grading.submission import Submission

        folder = self.students[student]
        try:
            predictions = learners.read_predictions(folder).get(exercise.slug, {})
        except learners.LearnerError:
            predictions = {}
        assert self.seed is not None
        path = folder / exercise.file
        result = grade(Submission(self.course, exercise, path, self.device, self.seed, predictions))
        self.results.setdefault(student, []).append(result)
        return result

    def replay(self, exercise: Exercise) -> str:
        whose = next(f"--{w}={self.config.getoption(f'--{w}')}" for w in _WHOSE if self.config.getoption(f"--{w}"))
        return f"pytest {whose} -k {exercise.slug} --grading-seed {self.seed}"


def pytest_sessionstart(session: pytest.Session) -> None:
    state = session.config.stash.get(_STATE, None)
    if state is not None and state.students:
        state.prepare()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    state = parent.config.stash.get(_STATE, None)
    if state is None:
        return None
    if file_path.parent == state.root / "kernels" and file_path.suffix in (".cu", ".py", ".md") and not state.students:
        return StarterFile.from_parent(parent, path=file_path)
    if file_path.name == "lab.toml" and file_path.parent.parent == state.root / "labs" and state.students:
        return LabFile.from_parent(parent, path=file_path)
    return None


class StarterFile(pytest.File):
    """A starter in kernels/."""

    def collect(self) -> Iterator[pytest.Item]:
        yield StarterItem.from_parent(self, name=self.path.stem)


class Told(Exception):
    """A failure whose text is all there is to say: no traceback."""


class _PlainItem(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Told):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class StarterItem(_PlainItem):
    """An unsolved starter: neither passed nor failed. One that was edited in place is a failure."""

    def runtest(self) -> None:
        from onekernel import gaps

        solution = self.config.stash[_STATE].root / "solutions" / self.path.name
        if not solution.is_file() or self.path.read_bytes() != gaps.starter(solution.read_text(), solution).encode():
            raise Told(
                f"kernels/{self.path.name} is generated and was changed here. Your work belongs in learners/: "
                "`onekernel start YOURNAME`. As an author, edit solutions/ and run `onekernel author starters`."
            )
        self.user_properties.append(("onekernel", YOURS))
        pytest.skip(YOURS)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


class LabFile(pytest.File):
    """A lab: its exercises, once for each student."""

    def collect(self) -> Iterator[pytest.Collector]:
        state = self.config.stash[_STATE]
        lab = next(lab for lab in state.course.labs if lab.folder == self.path.parent)
        for student in state.students:
            for exercise in lab.exercises:
                name = f"{student}.{exercise.slug}" if len(state.students) > 1 else exercise.slug
                yield ExerciseCollector.from_parent(self, name=name, student=student, exercise=exercise)


class ExerciseCollector(pytest.Collector):
    """One file of one student, graded once, when the first of its checks is asked for."""

    def __init__(self, *, student: str, exercise: Exercise, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.student, self.exercise = student, exercise
        self._result: Result | None = None

    def collect(self) -> Iterator[pytest.Item]:
        for check in self.exercise.checks:
            yield CheckItem.from_parent(self, name=check.id.split(".", 1)[1], check=check)

    def result(self) -> Result:
        if self._result is None:
            self._result = self.config.stash[_STATE].grade(self.student, self.exercise)
        return self._result


class CheckItem(_PlainItem):
    """One check: passed, failed with its verdict's text, or skipped where it was not assessed."""

    def __init__(self, *, check: Check, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        from onekernel.grading import exports
        from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, UNTOUCHED

        assert isinstance(self.parent, ExerciseCollector)
        result = self.parent.result()
        verdict = next(v for v in result.verdicts if v.check.id == self.check.id)
        self.user_properties += [
            ("learner", self.parent.student),
            ("exercise", result.exercise.slug),
            ("check", str(self.check.title)),
            ("status", verdict.status),
            ("earned", f"{verdict.earned:g}"),
            ("points", str(self.check.points)),
            ("backend", result.backend),
            ("device", result.ran_on),
            ("seed", str(result.seed)),
        ]
        if verdict.status == UNTOUCHED:
            self.user_properties.append(("onekernel", YOURS))
            pytest.skip(YOURS)
        if verdict.status == NOT_ASSESSED:
            pytest.skip(str(exports.why_not_assessed(verdict)))
        if verdict.status != PASSED:
            raise Told(self._text(result, verdict))

    def _text(self, result: Result, verdict: Verdict) -> str:
        from onekernel.grading import exports

        state = self.config.stash[_STATE]
        head = f"{self.check.title}: {verdict.earned:g} / {self.check.points}"
        return "\n".join([head, *exports.lines(verdict, state.course, state.replay(result.exercise))])

    def reportinfo(self) -> tuple[Path, None, str]:
        assert isinstance(self.parent, ExerciseCollector)
        return self.path, None, f"{self.parent.name}: {self.check.title}"


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    if getattr(report, "skipped", False) and ("onekernel", YOURS) in getattr(report, "user_properties", ()):
        return YOURS, "y", YOURS.upper()
    return None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    state = config.stash.get(_STATE, None)
    if state is None:
        return
    starters = [r.nodeid.split("::")[-1] for r in terminalreporter.stats.get(YOURS, ()) if "kernels/" in r.nodeid]
    if starters:
        terminalreporter.section(YOURS, sep="-", cyan=True)
        terminalreporter.line(", ".join(starters))
        terminalreporter.line("Begin: onekernel start YOURNAME")
    points = _points(terminalreporter)
    if points:
        terminalreporter.section("points", sep="-", cyan=True)
        for student, (earned, assessed, rest) in points.items():
            more = f"  (+ {rest:g} not assessed here)" if rest else ""
            terminalreporter.line(f"{student}: {earned:g} / {assessed:g}{more}")


def _points(terminalreporter: Any) -> dict[str, tuple[float, float, float]]:
    """Student -> points earned, assessed and not assessed; from the reports, so that -n gives the same."""
    found: dict[str, tuple[float, float, float]] = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        told = dict(getattr(report, "user_properties", ()))
        if "points" not in told or getattr(report, "when", "") != "call":
            continue
        earned, assessed, rest = found.get(told["learner"], (0.0, 0.0, 0.0))
        here, points = told["status"] != "not-assessed", float(told["points"])
        found[told["learner"]] = (earned + float(told["earned"]), assessed + points * here, rest + points * (not here))
    return found


def pytest_sessionfinish(session: pytest.Session) -> None:
    state = session.config.stash.get(_STATE, None)
    if state is None or not state.results:
        return
    from onekernel import learners
    from onekernel.grading import exports
    from onekernel.grading.verdicts import Scorecard

    card = Scorecard.of(next(iter(state.results.values())))
    for option, export in (("gradescope", exports.gradescope), ("classroom", exports.classroom)):
        target = session.config.getoption(f"--{option}", None)
        if target:
            try:
                learners.write_json(Path(target), export(card, state.course))
            except OSError as error:
                reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
                reporter.write_line(f"\n--{option}: {target}: {error.strerror}; nothing was written there", red=True)
                session.exitstatus = pytest.ExitCode.USAGE_ERROR
