"""What the pytest plugin does once somebody is to be graded, or starters are to be shown: whom this run grades and
on what device, its collectors and items, the points below the tests and the files for other programs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onekernel import doctor, gaps, learners
from onekernel.course import Check, Course, Exercise
from onekernel.errors import TRY_AGAIN, UserError, status_of, why
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, UNTOUCHED, Result, Scorecard, Verdict, place
from onekernel.labs.reader import load
from onekernel.messages import Message, say, written
from onekernel.report import classroom, gradescope, text
from onekernel.sandbox import confinement, machine
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.process import end_on_signals

SEED = "onekernel-seed"
WHOSE = ("learner", "submission", "submissions")
YOURS = ("onekernel", "yours to solve")  # the property of a report that is neither passed nor failed


class Run:
    """What this run grades, with what, and what came of it. Raises UserError for a command line that cannot be."""

    def __init__(self, config: pytest.Config, root: Path) -> None:
        self.config, self.root = config, root
        self.results: dict[str, list[Result]] = {}
        self.stopped: Message | None = None  # why this machine could not grade all of it
        given_on = getattr(config, "workerinput", {}).get(SEED)  # by the process that started this one: xdist
        self.seed: int | None = config.getoption("--grading-seed", None) if given_on is None else given_on
        given = {w: config.getoption(f"--{w}", None) for w in WHOSE}
        if sum(v is not None for v in given.values()) > 1:
            raise UserError(Message.of("plugin.choose-one"))
        self.students = self._students(given)
        for export in ("gradescope", "classroom"):
            if config.getoption(f"--{export}", None) and len(self.students) != 1:
                raise UserError(Message.of("plugin.one-student", export=export))
            if config.getoption(f"--{export}", None) and config.getoption("numprocesses", None):
                raise UserError(Message.of("plugin.one-process", export=export))
        unset = [v for v in classroom.VARIABLES if not os.environ.get(v)]
        if config.getoption("--classroom", None) and unset:
            raise UserError(Message.of("plugin.classroom-unset", names=", ".join(unset)))

    def _students(self, given: dict[str, str | None]) -> dict[str, Path]:
        """Name -> folder; empty where nobody is graded."""
        if given["learner"]:
            learner = learners.existing(self.root, given["learner"])
            return {learner.name: learner.folder}
        folder = Path(given["submission"] or given["submissions"] or ".").absolute()
        if not folder.is_dir():
            raise UserError(Message.of("plugin.no-folder", folder=folder))
        if given["submission"]:
            return {folder.name: folder}
        if given["submissions"]:
            found = {p.name: p for p in sorted(folder.iterdir()) if p.is_dir() and not p.name.startswith(".")}
            odd = [name for name in found if not name.isprintable()]
            if odd:
                raise UserError(Message.of("plugin.odd-name", folder=folder, name=repr(odd[0])))
            if not found:
                raise UserError(Message.of("plugin.no-students", folder=folder))
            return found
        return {}

    def prepare(self) -> None:
        """Reads the course and settles the device. Raises UserError where a backend cannot be trusted."""
        end_on_signals()
        if self.config.getoption("--require-sandbox", False):
            confinement.require()
        self.course: Course = load(self.root)
        asked = self.config.getoption("--device", "auto")
        self.device, _ = doctor.settle(self.course, self.course.exercises.values(), asked)
        self.seed = fresh_seed() if self.seed is None else self.seed

    def grade(self, student: str, exercise: Exercise) -> Result:
        folder = self.students[student]
        try:
            predictions = learners.read_predictions(folder).get(exercise.slug, {})
        except (UserError, PermissionError):
            predictions = {}
        assert self.seed is not None
        path = folder / exercise.file
        of_class = self.config.getoption("--submissions", None)  # a folder that was named by itself may be a link
        unread = Message("grading.link", {"path": folder}) if of_class and folder.is_symlink() else None
        result = grade(Submission(self.course, exercise, path, self.device, self.seed, predictions, unread=unread))
        self.results.setdefault(student, []).append(result)
        return result

    def replay(self, student: str, exercise: Exercise) -> str:
        """The command that grades that student's exercise again, on the same inputs."""
        whose = next(w for w in WHOSE if self.config.getoption(f"--{w}"))
        given = self.config.getoption(f"--{whose}")
        if whose == "submissions":
            whose, given = "submission", str(Path(given) / student)
        return f"pytest {shlex.quote(f'--{whose}={given}')} -k {exercise.slug} --grading-seed {self.seed}"


class StarterFile(pytest.File):
    """A starter in kernels/ of the course at `root`."""

    def __init__(self, *, root: Path, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.root = root

    def collect(self) -> Iterator[pytest.Item]:
        yield StarterItem.from_parent(self, name=self.path.stem)


class Told(Exception):
    """A failure whose text is all there is to say: no traceback."""


class _PlainItem(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, (Told, UserError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def yours(self) -> None:
        """Ends the item as neither passed nor failed."""
        self.user_properties.append(YOURS)
        pytest.skip(say("grading.status-untouched"))


class StarterItem(_PlainItem):
    """An unsolved starter: neither passed nor failed. One that was edited in place is a failure."""

    def runtest(self) -> None:
        assert isinstance(self.parent, StarterFile)
        solution = self.parent.root / "solutions" / self.path.name
        if not solution.is_file() or self.path.read_bytes() != gaps.starter(solution.read_text(), solution).encode():
            raise Told(say("plugin.edited-starter", file=self.path.name))
        self.yours()

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


class LabFile(pytest.File):
    """A lab: its exercises, once for each student."""

    def __init__(self, *, run: Run, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.run = run

    def collect(self) -> Iterator[pytest.Collector]:
        lab = next(lab for lab in self.run.course.labs if lab.folder == self.path.parent)
        for student in self.run.students:
            for exercise in lab.exercises:
                if lab.elective and not self._begun(student, exercise):
                    continue  # nobody loses points that nobody asked for
                name = f"{student}.{exercise.slug}" if len(self.run.students) > 1 else exercise.slug
                yield ExerciseCollector.from_parent(
                    self, name=name, run=self.run, student=student, exercise=exercise
                )


    def _begun(self, student: str, exercise: Exercise) -> bool:
        """Whether a student handed in the exercise, and not its starter as it stands."""
        path = self.run.students[student] / exercise.file
        try:
            if not path.is_file():
                return os.path.lexists(path)  # to be refused, in words
            return not self.run.course.untouched(exercise, path)
        except OSError:  # told in words, too
            return True


class ExerciseCollector(pytest.Collector):
    """One file of one student, graded once, when the first of its checks is asked for."""

    def __init__(self, *, run: Run, student: str, exercise: Exercise, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.run, self.student, self.exercise = run, student, exercise
        self._result: Result | None = None

    def collect(self) -> Iterator[pytest.Item]:
        for check in self.exercise.checks:
            yield CheckItem.from_parent(self, name=check.id.split(".", 1)[1], check=check)

    def result(self) -> Result:
        if self._result is None:
            self._result = self.run.grade(self.student, self.exercise)
        return self._result


class CheckItem(_PlainItem):
    """One check: passed, failed with its verdict's text, or skipped where it was not assessed."""

    def __init__(self, *, check: Check, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        assert isinstance(self.parent, ExerciseCollector)
        try:
            result = self.parent.result()
        except (MachineFault, OSError, MemoryError) as error:
            fault = error if isinstance(error, MachineFault) else machine.of_error(error)
            self.parent.run.stopped = fault.message
            self.session.shouldstop = str(fault)
            pytest.skip(str(fault))
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
            *([("open_walls", " ".join(result.open_walls))] if result.open_walls else []),
        ]
        if verdict.status == UNTOUCHED:
            self.yours()
        if verdict.status == NOT_ASSESSED:
            pytest.skip(str(text.why_not_assessed(verdict)))
        if verdict.status != PASSED:
            raise Told(self._text(self.parent.run, result, verdict))

    def _text(self, run: Run, result: Result, verdict: Verdict) -> str:
        head = f"{self.check.title}: {written(verdict.earned, 'g')} / {self.check.points}"
        head += f" ({place(result.ran_on)})" if result.ran_on != "-" else ""
        assert isinstance(self.parent, ExerciseCollector)
        again = run.replay(self.parent.student, result.exercise)
        return "\n".join([head, *text.lines(verdict, run.course, again)])

    def reportinfo(self) -> tuple[Path, None, str]:
        assert isinstance(self.parent, ExerciseCollector)
        return self.path, None, f"{self.parent.name}: {self.check.title}"


def summary(terminalreporter: Any) -> None:
    """Writes what is yours to solve, and the points."""
    yours = say("grading.status-untouched")
    starters = [r.nodeid.split("::")[-1] for r in terminalreporter.stats.get(yours, ()) if "kernels/" in r.nodeid]
    if starters:
        terminalreporter.section(yours, sep="-", cyan=True)
        terminalreporter.line(", ".join(starters))
        terminalreporter.line(say("plugin.begin"))
    points = _points(terminalreporter)
    if points:
        terminalreporter.section(say("plugin.points"), sep="-", cyan=True)
        for student, (earned, assessed, rest, places) in points.items():
            where = f" ({', '.join(sorted(map(place, places)))})" if places else ""
            more = "  " + say("plugin.points-rest", rest=rest) if rest else ""
            terminalreporter.line(f"{student}: {written(earned, 'g')} / {written(assessed, 'g')}{where}{more}")
        if told := confinement.told(_open_walls(terminalreporter)):
            terminalreporter.line(str(told), yellow=True)


def _open_walls(terminalreporter: Any) -> list[str]:
    """The walls of the sandbox that did not stand around something that was graded; from the reports, as the points."""
    told = (dict(getattr(r, "user_properties", ())) for reports in terminalreporter.stats.values() for r in reports)
    found = {wall for properties in told for wall in properties.get("open_walls", "").split()}
    return [wall for wall in confinement.WALLS if wall in found]


def _points(terminalreporter: Any) -> dict[str, tuple[float, float, float, frozenset[str]]]:
    """Student -> points earned, assessed and not assessed, and what ran their files; from the reports, so that -n gives
    the same."""
    found: dict[str, tuple[float, float, float, frozenset[str]]] = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        told = dict(getattr(report, "user_properties", ()))
        if "points" not in told or getattr(report, "when", "") != "call":
            continue
        earned, assessed, rest, places = found.get(told["learner"], (0.0, 0.0, 0.0, frozenset()))
        here, points = told["status"] != "not-assessed", float(told["points"])
        places |= {told["device"]} - {"-"} if told["status"] != UNTOUCHED else frozenset()
        found[told["learner"]] = (
            earned + float(told["earned"]), assessed + points * here, rest + points * (not here), places
        )  # fmt: skip
    return found


def export(session: pytest.Session, run: Run) -> None:
    """Writes the files that were asked for; one that cannot be written is told, and makes the run a failed one."""
    if run.stopped:  # half a result would be uploaded as the whole
        session.exitstatus = TRY_AGAIN
        return
    card = Scorecard.of(next(iter(run.results.values())))
    for option, system in (("gradescope", gradescope), ("classroom", classroom)):
        target = session.config.getoption(f"--{option}", None)
        if target:
            try:
                learners.write_report(Path(target), system.results(card, run.course))
            except OSError as error:
                reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
                told = say("plugin.not-written", option=option, target=target, why=why(error))
                reporter.write_line("\n" + told, red=True)
                machines = status_of(error) == TRY_AGAIN
                session.exitstatus = TRY_AGAIN if machines else pytest.ExitCode.USAGE_ERROR
