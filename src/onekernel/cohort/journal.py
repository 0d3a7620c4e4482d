"""The results of a class as they are reached: a line of JSON each, on the disk before the next one is begun.

    class-journal.jsonl   a head with the seed, then a line for each graded file, in the order in which they ended
    results.jsonl         once everybody is graded: the same without times, sorted; equal for equal files and seed

A line that a crash tore is left out and its file graded again, and so is one with a sentence that this version cannot
say; of two lines for one file the later one counts.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

from onekernel.cohort import endless
from onekernel.cohort.keys import changed
from onekernel.course import Course
from onekernel.errors import UserError, naming
from onekernel.grading.judging import COPIED
from onekernel.grading.submission import ENDLESS
from onekernel.grading.verdicts import STATUSES, Failure, Result, Verdict
from onekernel.learners import write_parts
from onekernel.messages import LANGUAGES, Message

NAME, FINAL = "class-journal.jsonl", "results.jsonl"
FORMAT = 1
DAMAGED = "damaged"  # why a line is stale whose key is still right
_AFTER_IT = ("grading.stopped-before", "grading.not-run")
_HUNG = (
    "simulator.time-limit", "triton.time-limit", "grading.timed-out", "grading.total-time", "grading.import-timed-out",
    "grading.build-timed-out", *_AFTER_IT,
)  # fmt: skip
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{9,16}\b")  # of memory: a mask of 32 bits is none
_LOOP = "endless"  # the value that a stored sentence holds beside its own
_CHAPTER = "01-06-errors#errors"  # of what hung


class Kept(NamedTuple):
    """Where a journal has the line of a file: its key, its first byte, its bytes."""

    key: str
    at: int
    size: int


@dataclass
class Journal(Mapping[tuple[str, str], dict[str, Any]]):
    """An open journal: its seed, the file that it grows in, and where that has what. (student, exercise) gives a
    result, read from the file each time, so that a class of four hundred takes no more memory than one of twenty."""

    file: IO[bytes]
    head: dict[str, Any]
    kept: dict[tuple[str, str], Kept] = field(default_factory=dict)
    stale: Counter[str] = field(default_factory=Counter)  # by what has changed (keys.PARTS, or DAMAGED)
    others: list[tuple[str, str]] = field(default_factory=list)  # of whom, or of what, this run has no file

    @property
    def seed(self) -> int:
        return int(self.head["seed"])

    def add(self, student: str, exercise: str, key: str, result: Mapping[str, Any], took: float) -> None:
        """Writes a result down, for good."""
        line = {"student": student, "exercise": exercise, "key": key, "took": round(took, 3), "result": dict(result)}
        self.kept[student, exercise] = Kept(key, *_append(self.file, line))

    def only(self, keys: Mapping[tuple[str, str], str], course: Course) -> Journal:
        """The same journal without what is not of those keys: of a file that has changed, or is gone; and without what
        a disk or an editor has damaged. It tells which those were."""
        self.others = [of for of in self.kept if of not in keys]
        mine = {of: line for of, line in self.kept.items() if of in keys}
        why = {of: changed(line.key, keys[of]) for of, line in mine.items() if line.key != keys[of]}
        why |= {of: DAMAGED for of in mine.keys() - why.keys() if not self._whole(of, course)}
        self.stale = Counter(why.values())
        self.kept = {of: line for of, line in mine.items() if of not in why}
        return self

    def _whole(self, of: tuple[str, str], course: Course) -> bool:
        try:
            found = self[of]
            _say_all(found)
            restored(found, course, Path())
            return True
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return False

    def __getitem__(self, of: tuple[str, str]) -> dict[str, Any]:
        line = self.kept[of]
        found: dict[str, Any] = json.loads(os.pread(self.file.fileno(), line.size, line.at))["result"]
        return found

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)


@contextmanager
def opened(out: Path, seed: int | None, fresh_seed: int) -> Iterator[Journal]:
    """The journal in `out`, begun if there is none. A `seed` that was asked for replaces that of the journal; else the
    journal's stays, so that everybody gets the same inputs. Raises UserError where another process writes there."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / NAME).open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(Message.of("cohort.busy", folder=out)) from None
        file.seek(0)
        heads, kept, whole = _read(file)
        file.truncate(whole)
        file.seek(0, os.SEEK_END)
        head = heads[-1] if heads else {}
        if not head or (seed is not None and seed != head["seed"]):
            head = {"class": FORMAT, "seed": fresh_seed if seed is None else seed}
            _append(file, head)
        yield Journal(file, head, kept)


def _append(file: IO[bytes], line: Mapping[str, Any]) -> tuple[int, int]:
    """Where the line begins, and its bytes."""
    raw = json.dumps(line).encode() + b"\n"  # in ASCII: what a student typed may be half a character
    with naming(file.name):  # without Python's buffer, which would try again what did not fit when it is closed
        left = memoryview(raw)
        while left:
            left = left[os.write(file.fileno(), left) :]
        os.fsync(file.fileno())
    return os.lseek(file.fileno(), 0, os.SEEK_END) - len(raw), len(raw)


def _read(file: IO[bytes]) -> tuple[list[dict[str, Any]], dict[tuple[str, str], Kept], int]:
    """The heads, where the last line of each file is, and the bytes up to the end of the last line that is whole."""
    heads: list[dict[str, Any]] = []
    kept: dict[tuple[str, str], Kept] = {}
    whole = 0
    for raw in file:
        if not raw.endswith(b"\n"):
            break
        whole += len(raw)
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            line = json.loads(raw)
            if line.get("class") == FORMAT and isinstance(line["seed"], int) and line["seed"] >= 0:
                heads.append(line)
            elif isinstance(line["key"], str) and isinstance(line["result"], dict) and float(line["took"]) >= 0:
                kept[line["student"], line["exercise"]] = Kept(line["key"], whole - len(raw), len(raw))
    return heads, kept, whole


def _say_all(value: Any) -> None:
    """Says every sentence of a result. Raises KeyError for one that has another name or other values by now: the words
    are no part of a task's key, because a better wording decides nothing."""
    if isinstance(value, list):
        for each in value:
            _say_all(each)
    elif isinstance(value, dict) and value.keys() == {"key", "values"}:
        for lang in LANGUAGES:
            Message.from_json(value).text(lang)
    elif isinstance(value, dict):
        _say_all(list(value.values()))


def stored(result: Result, home: Path) -> dict[str, Any]:
    """A result as JSON values, its sentences as keys and values, its paths from the student's folder. Where an object
    lay in memory, as Python has it in an error's text, is the run's, and left out. What hung has with it the loop of
    its file that cannot end (`endless`), if one is certain. Raises OSError where this machine cannot read the file."""
    if any(_hung(f) for v in result.verdicts for f in v.failures):
        loop = endless.head(home / result.exercise.file)
        verdicts = [replace(v, failures=tuple(_with_loop(f, loop) for f in v.failures)) for v in result.verdicts]
        result = replace(result, verdicts=tuple(verdicts))
    found: dict[str, Any] = _nowhere(_stored(result, home))
    return found


def _hung(failure: Failure) -> bool:
    return failure.message.key.startswith(_HUNG)


def _with_loop(failure: Failure, line: int | None) -> Failure:
    if line is None or not _hung(failure):
        return failure
    return replace(failure, message=replace(failure.message, values={**failure.message.values, _LOOP: line}))


def _nowhere(value: Any) -> Any:
    if isinstance(value, str):
        return _ADDRESS.sub("0x...", value)
    if isinstance(value, list):
        return [_nowhere(each) for each in value]
    return {key: _nowhere(each) for key, each in value.items()} if isinstance(value, dict) else value


def _stored(result: Result, home: Path) -> dict[str, Any]:
    return {
        "exercise": result.exercise.slug,
        "backend": result.backend,
        "ran_on": result.ran_on,
        "seed": result.seed,
        "seconds": round(result.seconds, 3),
        "open_walls": list(result.open_walls),
        "verdicts": [
            {
                "check": v.check.id,
                "status": v.status,
                "earned": v.earned,
                "failures": [_failure(f, home) for f in v.failures],
                "note": v.note.to_json() if v.note else None,
                "details": [d.to_json() for d in v.details],
                "groups": [list(g) for g in v.groups],
            }
            for v in result.verdicts
        ],
    }


def _failure(f: Failure, home: Path) -> dict[str, Any]:
    inside = f.file is not None and Path(f.file).is_relative_to(home)
    return {
        "message": f.message.to_json(),
        "chapter": f.chapter,
        "case": f.case,
        "about": f.about.to_json() if f.about else None,
        "file": str(Path(f.file).relative_to(home)) if f.file and inside else None,
        "line": f.line,
        "code": f.code,
        "see": f.see,
    }


def restored(data: Mapping[str, Any], course: Course, home: Path) -> Result:
    """The result that `stored` wrote. Raises KeyError or ValueError for one of another course."""
    exercise = course.exercises[data["exercise"]]
    checks = {c.id: c for c in exercise.checks}
    verdicts = []
    for v in data["verdicts"]:
        check = checks[v["check"]]
        if v["status"] not in STATUSES or not 0 <= v["earned"] <= check.points:
            raise ValueError(v["status"], v["earned"])
        failures = tuple(
            Failure(
                Message.from_json(f["message"]),
                f["chapter"],
                f["case"],
                Message.from_json(f["about"]) if f["about"] else None,
                str(home / f["file"]) if f["file"] else None,
                f["line"],
                f["code"],
                f["see"],
            )
            for f in v["failures"]
        )
        note = Message.from_json(v["note"]) if v["note"] else None
        details = tuple(Message.from_json(d) for d in v["details"])
        groups = tuple((str(n), int(failed), int(total)) for n, failed, total in v["groups"])
        verdicts.append(Verdict(check, v["status"], v["earned"], failures, note, details, groups))
    walls = tuple(data["open_walls"])
    return Result(exercise, tuple(verdicts), data["backend"], data["seed"], data["seconds"], data["ran_on"], walls)


def steady(result: Result) -> Result:
    """The result as every run of the class tells it: what hung without where it was when its time was over, which
    depends on the machine, and by which watch it was stopped, but with the loop that cannot end; and what was computed
    from scrambled bytes without the numbers that came of it."""
    verdicts = (replace(v, failures=tuple(map(_steady, v.failures))) for v in result.verdicts)
    return replace(result, verdicts=tuple(verdicts))


def _steady(failure: Failure) -> Failure:
    key, values = failure.message.key, failure.message.values
    if failure.code == COPIED and "symptom" in values:
        wrong = {**values, "symptom": Message("cohort.page-values")}
        return replace(failure, message=replace(failure.message, values=wrong))
    if not _hung(failure):
        return failure
    if key.startswith(_AFTER_IT):
        return replace(failure, message=Message("grading.not-run"), line=None, file=None, see=None, code="ended")
    line = values.get(_LOOP)
    told = Message("cohort.hung-in", {"line": line}) if line else Message("cohort.hung")
    return replace(failure, message=told, line=line, file=None, see=None, code=ENDLESS, chapter=_CHAPTER)


def _why(failure: Mapping[str, Any]) -> dict[str, Any]:
    """A failure without what another run could tell differently. A file that hangs is stopped by its processor time or,
    on a busy machine, by the clock: that is the machine's, and so is where it was then."""
    sentence = failure["message"]["key"]
    if sentence.startswith(_HUNG):
        return {"code": "hung"}
    return {"code": failure["code"], "sentence": sentence, "case": failure["case"], "line": failure["line"]}


def write_final(out: Path, seed: int, results: Mapping[tuple[str, str], Mapping[str, Any]]) -> Path:
    """Writes `results.jsonl`: what was decided and why, in order, without anything that another run could tell
    differently: times, machines, and the values that a sentence holds of them."""
    path = out / FINAL
    write_parts(path, _final(seed, results))
    return path


def _final(seed: int, results: Mapping[tuple[str, str], Mapping[str, Any]]) -> Iterator[bytes]:
    yield _line({"class": FORMAT, "seed": seed})
    for student, exercise in sorted(results):
        data = results[student, exercise]
        verdicts = [
            {
                "check": v["check"],
                "status": v["status"],
                "earned": v["earned"],
                "groups": v["groups"],
                "why": [_why(f) for f in v["failures"]],
            }
            for v in data["verdicts"]
        ]
        earned = round(sum(v["earned"] for v in verdicts), 4)
        yield _line({"student": student, "exercise": exercise, "earned": earned, "verdicts": verdicts})


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, sort_keys=True).encode() + b"\n"
