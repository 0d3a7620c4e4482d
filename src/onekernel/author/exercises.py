"""What is missing from an exercise, of a lab or a small one. Each function asks one thing, and says nothing where it is
in order."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from onekernel import comments, gaps, learners
from onekernel.course import Course, Exercise
from onekernel.grading import buffers, calling
from onekernel.grading.calling import run
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.untried import UNTRIED
from onekernel.grading.verdicts import FAILED, Failure, Result
from onekernel.labs import declared
from onekernel.labs.practice import FILE
from onekernel.labs.statements import hints_of, parts_of, statement
from onekernel.messages import Message, each_language

WORDS = (40, 260)  # of a small exercise's statement, without its hint
LINES = (1, 15)  # that a small exercise leaves to write
HINTS = 3  # of a lab's exercise, and the most of a small one
# Made for speed at every shape, and long: what their starters do not hold is told in English alone.
RECORDS = {"gemm_tensorcore", "gemm_skinny"}
_TOLERANCE = 1e-5
# What ends a file before any of it is graded.
_STOPPED = {"compile-error", "refused", "ended", "missing-export", "syntax"}


def missing(course: Course, exercise: Exercise) -> Iterator[Message]:
    """Everything that is missing from it, by what its files say and by what they do."""
    yield from told_in_both(course, exercise)
    yield from untold(course, exercise)
    yield from left_over(course, course.words(exercise, "es"))
    yield from starter(course, exercise)
    yield from solution(course, exercise)
    if exercise.home:
        yield from to_write(course, exercise)
        yield from meant(course, exercise)
        yield from wrong(course, exercise)
    else:
        yield from mistaken(course, exercise)


def told_in_both(course: Course, exercise: Exercise) -> Iterator[Message]:
    """Its statement and its hints, in each language."""
    for _ in each_language():
        page = statement(course, exercise)
        hints = len([hint for hint in hints_of(course, exercise) if hint.strip()])
        if exercise.home:
            count = len(parts_of(course, exercise)[0].split())
            if not WORDS[0] <= count <= WORDS[1]:
                yield Message.of("author.words", page=page, count=count, least=WORDS[0], most=WORDS[1])
            if not 1 <= hints <= HINTS:
                yield Message.of("author.paragraphs", page=page, count=hints, most=HINTS)
            continue
        if exercise.slug not in (course.root / page).read_text(encoding="utf-8"):
            yield Message.of("author.no-statement", page=page, name=exercise.slug)
        if hints != HINTS:
            beside = page.replace("README", "hints")
            yield Message.of("author.hints", page=beside, name=exercise.slug, count=hints, wanted=HINTS)


def untold(course: Course, exercise: Exercise) -> list[Message]:
    """The comments of its starter and its solution that are not in Spanish; of a record, those of its starter."""
    words = course.words(exercise, "es")
    known = comments.table(words)
    said = _comments(course, exercise, solved=exercise.slug not in RECORDS)
    lines = dict.fromkeys(line for line in said if line not in known)
    file, to = _shown(course, course.solution(exercise)), _shown(course, words)
    return [Message.of("author.untold", file=file, line=line, words=to) for line in lines]


def left_over(course: Course, words: Path) -> list[Message]:
    """What a file of Spanish comments translates, and no exercise of it says."""
    mine = [e for e in course.exercises.values() if course.words(e, "es") == words]
    told = {line for e in mine for line in _comments(course, e)}
    left = [line for line in comments.table(words) if line not in told]
    return [Message.of("author.left-over", words=_shown(course, words), line=line) for line in left]


def to_write(course: Course, exercise: Exercise) -> list[Message]:
    """The lines of a small exercise that a learner writes: few."""
    path = course.solution(exercise)
    mark, text = gaps.COMMENT[path.suffix], path.read_text(encoding="utf-8")
    found = re.findall(rf"{mark} <gap>\n(.*?){mark} </gap>", text, re.DOTALL)
    lines = [line.strip() for gap in found for line in gap.split("\n")]
    count = sum(bool(line) and not line.startswith(f"{mark}|") for line in lines)
    if LINES[0] <= count <= LINES[1]:
        return []
    return [Message.of("author.lines", file=_shown(course, path), count=count, least=LINES[0], most=LINES[1])]


def starter(course: Course, exercise: Exercise, device: str = "simulator", seed: int = 7) -> list[Message]:
    """Its starter runs far enough to be graded, and earns nothing."""
    path = course.solution(exercise)
    # One line more than the starter: as it is, it is not graded at all.
    text = gaps.starter(path.read_text(encoding="utf-8"), path) + "\n"
    result = _graded(course, exercise, text, device, seed)
    file = _shown(course, path)
    if stopped := [f for f in _failures(result) if f.code in _STOPPED]:
        return [Message.of("author.starter-stops", file=file, why=stopped[0].message)]
    if result.earned or result.status != FAILED:
        return [Message.of("author.starter-earns", file=file, earned=result.earned, points=exercise.points)]
    return []


def solution(course: Course, exercise: Exercise, device: str = "simulator", seed: int = 7) -> list[Message]:
    """Its solution earns every point that can be had on this device, and inputs launch each of its kernels; those of a
    record may be for other cards, or for sizes that a simulator does not wait for."""
    path = course.solution(exercise)
    predictions = learners.read_predictions(course.root / "solutions").get(exercise.slug, {})
    result = grade(Submission(course, exercise, path, device, seed, predictions))
    points = exercise.points if exercise.home else result.assessed
    if result.earned == points > 0:
        untried = [d for v in result.verdicts for d in v.details if d.key == UNTRIED and exercise.slug not in RECORDS]
        return [Message.of("author.untried", file=_shown(course, path), kernels=d.values["kernels"]) for d in untried]
    why = [f.message for f in _failures(result)] + [v.note for v in result.verdicts if v.note]
    values = {"file": _shown(course, path), "earned": result.earned, "points": points, "why": why[0] if why else "-"}
    return [Message("author.solution-loses", values)]


def meant(course: Course, exercise: Exercise, seed: int = 5) -> list[Message]:
    """What a small exercise's answer computes is what its `meant` says."""
    if not exercise.meant:
        return []
    answer = Submission(course, exercise, course.solution(exercise), "simulator", seed)
    calls = [buffers.make(answer.operator, exercise.slug, case, "float32", seed) for case in answer.operator.cases]
    if calling.fill_from_answer(answer, calls, run(answer, calls, (), counted=False)):
        return []  # it does not run: `solution` says why
    place = _shown(course, (exercise.home or Path()) / FILE)
    for call in calls:
        try:
            wanted = declared.meant(exercise.meant, call.inputs, call.case.sizes)
            same = [np.allclose(call.expected[name], w, _TOLERANCE, _TOLERANCE) for name, w in wanted.items()]
        except Exception as error:
            return [Message.of("author.meant-fails", place=place, why=f"{type(error).__name__}: {error}")]
        if not all(same):
            name = list(wanted)[same.index(False)]
            return [Message.of("author.meant-differs", place=place, name=name, input=call.case.about)]
    return []


def wrong(course: Course, exercise: Exercise) -> list[Message]:
    """Each [[wrong]] of a small exercise is refused with the cause that it names."""
    path, home = course.solution(exercise), exercise.home or Path()
    text, told = path.read_text(encoding="utf-8"), []
    for each in tomllib.loads((home / FILE).read_text(encoding="utf-8"))["wrong"]:
        result = _graded(course, exercise, text.replace(each["change"], each["to"], 1), "simulator", 7)
        codes = {f.code for f in _failures(result)}
        if result.earned == exercise.points or each["caught"] not in codes:
            values = {"place": _shown(course, home / FILE), "change": each["change"], "to": each["to"]}
            values |= {"caught": each["caught"], "codes": ", ".join(sorted(codes)) or "-"}
            told.append(Message("author.wrong-passes", values))
    return told


def mistaken(course: Course, exercise: Exercise) -> list[Message]:
    """Of an exercise of a lab with an operator somebody has written a wrong solution."""
    header = re.compile(rf"^(?://|#) exercise: {exercise.slug}$", re.MULTILINE)
    files = (course.root / "tests" / "wrong").glob(f"*{Path(exercise.file).suffix}")
    if not exercise.operator or any(header.search(path.read_text(encoding="utf-8")) for path in files):
        return []
    return [Message.of("author.no-wrong", name=exercise.slug)]


def _comments(course: Course, exercise: Exercise, *, solved: bool = True) -> list[str]:
    """What a reader of the starter, and of the solution if `solved`, reads as sentences; prose is left out."""
    path = course.solution(exercise)
    text, suffix = path.read_text(encoding="utf-8"), path.suffix
    told = comments.told(gaps.starter(text, path), suffix)
    return told + comments.told(gaps.solved(text, path), suffix) if solved and suffix != ".md" else told


def _graded(course: Course, exercise: Exercise, text: str, device: str, seed: int) -> Result:
    """A file with that text, graded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(exercise.file).name
        path.write_text(text, encoding="utf-8")
        return grade(Submission(course, exercise, path, device, seed))


def _failures(result: Result) -> list[Failure]:
    return [f for v in result.verdicts for f in v.failures]


def _shown(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()
