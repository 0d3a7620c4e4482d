"""The course as data: Lab, Exercise, Check and its Kind. `onekernel.labs` reads it from labs/*/lab.toml."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from onekernel import comments
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, language

OTHER_LADDER = "gemm_"  # how the names of the matrix product's rungs begin, among the softmax's
ASKED, IN_FILE = "asked", "in-file"  # where the answers to a check's questions are committed to


@dataclass(frozen=True)
class Text:
    """A phrase in each language."""

    en: str
    es: str

    def __str__(self) -> str:
        return self.es if language() == "es" else self.en


@dataclass(frozen=True)
class Kind:
    """A kind of check: what a lab.toml may say of it, and what grading must know before it loads the judge.

    `package` holds it (see `onekernel.checks`). Its module `judge` has `judge`, `plan` where it plans calls of a
    launcher, and what is asked where it predicts; it is imported when a check is graded or asked, never before.
    """

    package: str
    options: Mapping[str, Any]  # name -> onekernel.checks.options.Option
    agree: Callable[[Mapping[str, Any]], None] = lambda options: None  # raises options.Mistake where two do not
    operators: tuple[str, ...] = ()  # those that it suits, or ANY; with none, exercises that have no operator
    plans: bool = False
    compares: bool = False  # with what the course's own answer was counted to do
    counted: bool = False  # its calls are counted: the simulator makes them on every machine
    by_code: bool = False  # by NVIDIA's machine code from the start, where its compiler is; else as it is written
    shows_right: bool = False  # it says whether a kernel is right
    needs_right: bool = False  # how fast or frugal a wrong kernel is means nothing
    on_gpu: bool = False  # it calls no launcher, and yet a GPU takes part in it where there is one
    needs_gpu: bool = False  # without one it is not assessed, whatever else is wrong
    runs_code: bool = True  # the file is run, and not only read
    of: str = ""  # the option that names the exercise of the same lab whose operator the other options are about
    predicts: str = ""  # a learner commits to answers before they are judged: ASKED one by one, or IN_FILE

    @property
    def name(self) -> str:
        return self.package.rsplit(".", 1)[-1]

    def plan(self, submission: Any, check: Check) -> list[Any]:
        """The calls that the check needs: grading.buffers.Call."""
        calls: list[Any] = self._judge.plan(submission, check) if self.plans else []
        return calls

    def judge(self, submission: Any, check: Check, ran: Any, before: Any) -> Any:
        """The check's grading.verdicts.Verdict, from its calls with what came of them and the verdicts before it."""
        return self._judge.judge(submission, check, ran, before)


    def asked(self, options: Mapping[str, Any]) -> Any:
        """Of a kind that `predicts`: its questions, each an onekernel.checks.Question, in order."""
        return self._judge.asked(options)

    def in_file(self, text: str) -> Any:
        """Of one whose answers stand IN_FILE: by the question's id the answer in that text, None where it is open."""
        return self._judge.in_file(text)

    @property
    def _judge(self) -> Any:
        return import_module(f"{self.package}.judge")


ANY = ("*",)


@dataclass(frozen=True)
class Check:
    """One graded item of an exercise. `options` holds what its kind asks for."""

    id: str
    kind: Kind
    points: int
    title: Text
    chapter: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Exercise:
    """One file that a learner writes. `slug` joins starter, solution, score, profile and roofline point."""

    slug: str
    file: str
    lab: str
    title: Text
    operator: str | None
    dtypes: tuple[str, ...]
    checks: tuple[Check, ...]
    home: Path | None = None  # the folder of an exercise that has one of its own: practice
    made: Any = None  # the ops.Operator that such a folder describes
    before: str = ""  # the lab that it comes before
    minutes: int = 0  # what it takes, about
    arch: str = ""  # the card that it needs: it is simulated wherever it is graded
    broken: bool = False  # its starter is a kernel with a fault, which is graded as it stands
    meant: Mapping[str, str] = field(default_factory=dict)  # by output, an expression of what its answer computes
    seconds: int = 120  # of their own that the processes of a file may take in all (sandbox.own_time)

    @property
    def points(self) -> int:
        return sum(c.points for c in self.checks)

    @property
    def uses_gpu(self) -> bool:
        """Whether a GPU takes part in grading it, where there is one."""
        if self.operator is None:
            return any(c.kind.on_gpu for c in self.checks)
        return not self.arch

    @property
    def counted_sizes(self) -> Mapping[str, int] | None:
        """The sizes at which its memory behaviour is counted: the first such check's, else its prediction's."""
        found = sorted((c for c in self.checks if "sizes" in c.options), key=lambda c: bool(c.kind.predicts))
        return found[0].options["sizes"] if found else None


@dataclass(frozen=True)
class Lab:
    """One lab: a folder of `labs/` with its statement, its hints and its exercises."""

    name: str
    folder: Path
    title: Text
    elective: bool
    chapters: tuple[str, ...]
    exercises: tuple[Exercise, ...]


@dataclass(frozen=True)
class Course:
    """The whole course, and where it lies."""

    root: Path
    labs: tuple[Lab, ...]

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        return {e.slug: e for lab in self.labs for e in lab.exercises}

    @cached_property
    def practice(self) -> tuple[Exercise, ...]:
        """The small exercises between the labs, in the order in which they are suggested."""
        return tuple(e for e in self.exercises.values() if e.home)

    def solution(self, exercise: Exercise) -> Path:
        """What a learner could have written after the chapter."""
        if exercise.home:
            return exercise.home / f"answer{Path(exercise.file).suffix}"
        return self.root / "solutions" / exercise.file

    def record(self, exercise: Exercise) -> Path:
        """What was made to be fast at every shape, to be read; the solution where there is no such file."""
        return self.solution(exercise) if exercise.home else fastest(self.root, exercise.file)

    def starter(self, exercise: Exercise) -> Path:
        if exercise.home:
            return exercise.home / f"starter{Path(exercise.file).suffix}"
        return self.root / "kernels" / exercise.file

    def starters(self, exercise: Exercise) -> dict[str, str]:
        """The starter's text in each language; {} where there is none."""
        path = self.starter(exercise)
        return self.told(exercise, path.read_text(encoding="utf-8")) if path.is_file() else {}

    def untouched(self, exercise: Exercise, path: Path) -> bool:
        """Whether the file at `path` is still the starter, in any language and with whatever line ends an editor or
        git gave it. Raises OSError for one that cannot be read."""
        begun = self.starters(exercise).values()
        if not begun or not path.is_file():
            return False
        with path.open(encoding="utf-8-sig", errors="replace") as file:  # as much of it as shows that it is longer
            return file.read(max(map(len, begun)) + 1) in begun

    def told(self, exercise: Exercise, text: str) -> dict[str, str]:
        """A file of the exercise in each language; English where the course has no translation of a line."""
        words = {lang: comments.table(self.words(exercise, lang)) for lang in LANGUAGES if lang != "en"}
        suffix = Path(exercise.file).suffix
        return {"en": text, **{lang: comments.translated(text, suffix, table) for lang, table in words.items()}}

    def words(self, exercise: Exercise, lang: str) -> Path:
        """The file that has the comments of its starter and its solution in another language."""
        if exercise.home:
            return exercise.home / f"answer.{lang}.txt"
        return self.root / "solutions" / f"starters.{lang}.txt"

    def select(self, name: str | None) -> tuple[Exercise, ...]:
        """The exercises of a lab or of one exercise, by name ("1", "01", "01-naive-kernel", "softmax_naive"); all for
        None.

        Raises KeyError where nothing has that name.
        """
        if name is None:
            return tuple(self.exercises.values())
        stem = Path(name).stem if name.endswith((".cu", ".py", ".md")) else name.strip("/")
        stem = stem.rsplit("/", 1)[-1]
        if stem in self.exercises:
            return (self.exercises[stem],)
        for lab in self.labs:
            number = lab.name.split("-", 1)[0]
            if stem in (lab.name, number) or (stem.isdecimal() and number.isdecimal() and int(stem) == int(number)):
                return lab.exercises
        raise KeyError(name)


def fastest(root: Path, file: str) -> Path:
    """The course's fastest file of that name: of solutions/record, else of solutions."""
    record = root / "solutions" / "record" / file
    return record if record.is_file() else root / "solutions" / file


def find_root(start: Path | None = None) -> Path:
    """The repository's root: ONEKERNEL_ROOT, else the nearest folder upwards with labs/ and solutions/, else the
    checkout that this package was installed from. Raises UserError where there is none."""
    candidates = [Path(os.environ["ONEKERNEL_ROOT"])] if "ONEKERNEL_ROOT" in os.environ else []
    here = (start or Path.cwd()).resolve()
    candidates += [here, *here.parents, Path(__file__).resolve().parents[2]]
    for folder in candidates:
        if (folder / "labs").is_dir() and (folder / "solutions").is_dir():
            return folder
    raise mistaken("no-course", here)


def rungs(root: Path) -> dict[str, Path]:
    """The softmax's ladder by the names under which it is benched: "ladder/1_row_per_thread" -> its file."""
    found = sorted((root / "solutions" / "ladder").glob("*.*"), key=lambda path: rung_order(path.stem))
    mine = (path for path in found if path.suffix in (".cu", ".py") and not path.stem.startswith(OTHER_LADDER))
    return {f"ladder/{path.stem}": path for path in mine}


def rung_order(stem: str) -> tuple[float, str]:
    """Sorts rungs with a number in its order, 9 before 10; those of Triton, without one, after them."""
    number, _, rest = stem.partition("_")
    return (int(number), rest) if number.isdecimal() else (math.inf, stem)


def mistaken(mistake: str, place: object, /, **values: object) -> UserError:
    """A mistake in the course's own data, a message of course.toml: file, line and what to do about it."""
    return UserError(Message(f"course.{mistake}", {"place": str(place), **values}))
