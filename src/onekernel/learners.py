"""Learners: one folder each under learners/, with their profile, their copies of the starters, their scores.

    learners/.current              the name of the learner at work in this checkout
    learners/NAME/profile.md       who they are, in their own words
    learners/NAME/<exercise file>  what they edit; the small exercises between the labs in practice/
    learners/NAME/scores.json      best and last result of each exercise
    learners/NAME/predictions.json what they committed to before a count was shown, and when
    learners/NAME/hints.json       how many hints of each exercise they have read
    learners/NAME/kept/            files that `onekernel reset` replaced

Every JSON file is replaced whole or not at all, so that a full disk or Ctrl-C loses nothing.
"""

from __future__ import annotations

import datetime
import errno
import json
import os
import re
import shutil
import stat
import tempfile
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.grading import verdicts
from onekernel.grading.verdicts import place
from onekernel.messages import Message, quoted, say, written

EXAMPLE = "borja"  # the worked example: his folder comes with the course, and git knows its files
_JSON_BYTES = 1 << 20
# A letter, a digit or "_", then up to 39 of those or "-": no path, no option, no hidden file.
_NAME = re.compile(r"\w[\w-]{0,39}")
OPEN, CLOSE = "<!-- evidence -->", "<!-- /evidence -->"


@dataclass(frozen=True)
class Learner:
    """A learner of the course at `root`."""

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        return self.root / "learners" / self.name

    def path(self, file: str) -> Path:
        """Their copy of an exercise's file."""
        return self.folder / file

    def predictions(self, slug: str) -> dict[str, str]:
        """What they committed to for an exercise: question -> text; empty where they did not."""
        return read_predictions(self.folder).get(slug, {})

    def prediction_date(self, slug: str) -> str:
        """The day of that commitment, YYYY-MM-DD."""
        return str(_entry(_read(self.folder / "predictions.json"), slug).get("date", ""))[:10]

    def commit_prediction(self, slug: str, answers: Mapping[str, str]) -> None:
        """Writes a prediction down, once. Raises UserError where there is one already."""
        if self.predictions(slug):
            raise UserError(Message.of("cli.predict-again", slug=slug, date=self.prediction_date(slug)))
        data = _read(self.folder / "predictions.json")
        data[slug] = {"date": today(), "answers": dict(answers)}
        write_json(self.folder / "predictions.json", data)

    def scores(self) -> dict[str, Any]:
        """Exercise -> {"best": record, "last": record}; see `record`. Raises UserError where one is no record."""
        path = self.folder / "scores.json"
        scores = _read(path).get("exercises", {})
        of_exercise = scores.items() if isinstance(scores, dict) else [("exercises", scores)]
        for slug, kept in of_exercise:
            if not (isinstance(kept, dict) and all(map(_is_record, kept.values()))):
                raise UserError(Message.of("cli.damaged", path=path, why=slug))
        return dict(scores)

    def solved(self, slug: str) -> bool:
        """Whether the exercise was done once. A prediction that was off stays off, and does not keep it open."""
        return bool(_entry(_entry(self.scores(), slug), "best").get("solved"))

    def in_part(self, slug: str) -> bool:
        """Whether it is done and lost points for good: a prediction was off."""
        return self.solved(slug) and _entry(_entry(self.scores(), slug), "best").get("status") != verdicts.PASSED

    def record(self, slug: str, result: Mapping[str, Any]) -> None:
        """Writes a result down as the last one, and as the best one where none earned as much; of two that earned the
        same, the best one is that of the checks which the course has now."""
        scores = self.scores()
        best = _entry(_entry(scores, slug), "best")
        same = _entry(best, "checks").keys() == _entry(result, "checks").keys()
        keep = best if _rank(best) > _rank(result) or (same and _rank(best) == _rank(result)) else dict(result)
        scores[slug] = {"best": keep, "last": dict(result)}
        write_json(self.folder / "scores.json", {"exercises": scores})

    def hints_read(self, slug: str) -> int:
        level = _read(self.folder / "hints.json").get(slug, 0)
        return max(level, 0) if isinstance(level, int) else 0

    def read_hint(self, slug: str, level: int) -> None:
        write_json(self.folder / "hints.json", {**_read(self.folder / "hints.json"), slug: level})

    def add_starters(self, starters: Mapping[str, str]) -> list[str]:
        """Writes the starters, file name -> text, that they do not have yet; returns their file names."""
        added = [file for file in starters if not self.path(file).exists()]
        for file in added:
            self.path(file).parent.mkdir(exist_ok=True)
            write_bytes(self.path(file), starters[file].encode())
        return added

    def reset(self, file: str, starter: str) -> Path | None:
        """Puts the starter's text in place of their `file` and returns where that one is kept, or None.

        What is no plain file, a folder or a link to nowhere, is moved there as it is.
        """
        mine = self.path(file)
        mine.parent.mkdir(exist_ok=True)
        kept = None
        if os.path.lexists(mine):
            stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S-%f")
            kept = self.folder / "kept" / f"{mine.stem}.{stamp}{mine.suffix}"
            kept.parent.mkdir(exist_ok=True)
            if mine.is_file():
                shutil.copy2(mine, kept)
            else:
                mine.rename(kept)
        write_bytes(mine, starter.encode())
        return kept


def named(root: Path, name: str) -> Learner:
    """The learner of that name, whether or not the folder is there. Raises UserError for a name that is none."""
    clean = unicodedata.normalize("NFC", name)
    if not _NAME.fullmatch(clean):
        raise UserError(Message.of("cli.bad-name", name=name))
    return Learner(root, clean)


def existing(root: Path, name: str) -> Learner:
    """The learner of that name. Raises UserError for one who has not started."""
    learner = named(root, name)
    if not learner.folder.is_dir():
        raise UserError(Message.of("cli.no-such-learner", name=learner.name))
    return learner


def current(root: Path) -> Learner:
    """The learner at work: ONEKERNEL_LEARNER, else the last one who started. Raises UserError for nobody."""
    name = os.environ.get("ONEKERNEL_LEARNER", "")
    remembered = root / "learners" / ".current"
    if not name and remembered.is_file():
        name = remembered.read_text(encoding="utf-8", errors="replace").strip()
    if not name:
        raise UserError(Message.of("cli.nobody"))
    return existing(root, name)


def chosen(root: Path, name: str | None) -> Learner:
    """The learner of that name; without one, the learner at work. Raises UserError as `existing` and `current` do."""
    return existing(root, name) if name else current(root)


def start(root: Path, name: str, starters: Mapping[str, str]) -> tuple[Learner, list[str]]:
    """Makes the learner's folder, or completes it, and remembers who is at work. Returns the files that are new."""
    learner = named(root, name)
    learner.folder.mkdir(parents=True, exist_ok=True)
    profile = learner.path("profile.md")
    if not profile.exists():
        write_bytes(profile, (say("cli.profile", name=learner.name, date=today()[:10]) + "\n").encode())
    added = learner.add_starters(starters)
    write_bytes(root / "learners" / ".current", f"{learner.name}\n".encode())
    return learner, added


def read_predictions(folder: Path) -> dict[str, dict[str, str]]:
    """The predictions.json of a folder of answers, a learner's or the solutions': exercise -> question -> text."""
    data = _read(folder / "predictions.json")
    return {slug: {k: quoted(str(v)) for k, v in _entry(_entry(data, slug), "answers").items()} for slug in data}


def today() -> str:
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


def expect_to_write(path: Path) -> None:
    """Raises the OSError that writing `path` would end in, where that can be known before."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    opened = path if _stays(path) else path.parent
    if not os.access(opened, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(opened))


def write_report(path: Path, data: object) -> None:
    """As `write_json`, where somebody named the file: what they name may be a device or a pipe, into which it goes."""
    if not _stays(path):
        write_json(path, data)
        return
    with path.open("ab") as file:
        file.write(_json(data))


def _stays(path: Path) -> bool:
    """Whether it is no file that a new one may take the place of: a device, a pipe, or the system's name of something
    that is open, such as /dev/stdout. Any other link may be somebody else's, and is replaced, not followed."""
    if not os.path.lexists(path):
        return False
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return path.parent.resolve().parts[:2] in (("/", "dev"), ("/", "proc"))
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def write_json(path: Path, data: object) -> None:
    """Replaces `path` by `data` as JSON, whole or not at all."""
    write_bytes(path, _json(data))


def _json(data: object) -> bytes:
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "replace")  # half a character may have been typed, which no file takes


def write_bytes(path: Path, data: bytes) -> None:
    """Replaces `path` whole or not at all. Raises OSError, which names `path`."""
    write_parts(path, (data,))


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """As `write_bytes`, of what is made a part after the other and need not be in memory at once."""
    try:
        _replace(path, parts)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(path: Path, parts: Iterable[bytes]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_record(kept: object) -> bool:
    """Whether it has the fields that are read again, each of its type."""
    types = {"status": str, "solved": bool, "earned": int | float, "date": str, "device": str, "version": str}
    if not isinstance(kept, dict) or not all(isinstance(kept.get(name), type_) for name, type_ in types.items()):
        return False
    return kept["status"] in verdicts.STATUSES


def _rank(record: Mapping[str, Any]) -> tuple[bool, float]:
    return bool(record.get("solved")), float(record.get("earned", -1))


def _read(path: Path) -> dict[str, Any]:
    """A JSON object; empty where the file is missing. Raises UserError where it is damaged."""
    if not path.is_file():  # a device or a pipe under that name is not read either
        return {}
    try:
        if path.is_symlink():  # somebody else's
            raise UserError(Message.of("cli.damaged", path=path, why=Message("cli.damaged-link")))
        if path.stat().st_size > _JSON_BYTES:
            raise UserError(Message.of("cli.damaged", path=path, why=Message("cli.damaged-large")))
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError(Message.of("cli.damaged", path=path, why=error)) from None
    if not isinstance(data, dict):
        raise UserError(Message.of("cli.damaged", path=path, why=Message("cli.damaged-no-object")))
    return data


def _entry(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    return value if isinstance(value, Mapping) else {}


def write_evidence(course: Course, learner: Learner) -> None:
    """Writes the best scores between the markers of profile.md; a profile without them is left as it is."""
    path = learner.path("profile.md")
    if not path.is_file():
        return
    old = path.read_bytes()
    try:
        before, opening, rest = old.decode("utf-8").partition(OPEN)
    except UnicodeDecodeError:
        return  # theirs, whatever it is
    _, closing, after = rest.partition(CLOSE)
    if not (opening and closing):
        return
    new = f"{before}{OPEN}\n{_evidence(course, learner)}\n{CLOSE}{after}".encode()
    if new != old:
        write_bytes(path, new)


def _evidence(course: Course, learner: Learner) -> str:
    scores = learner.scores()
    lines = [say("cli.evidence-head"), "|---|---|---|---|---|"]
    for slug, exercise in course.exercises.items():
        best = scores.get(slug, {}).get("best")
        if best:
            points = f"{written(best['earned'], 'g')} / {exercise.points}"
            lines.append(f"| {slug} | {points} | {place(best['device'])} | {best['version']} | {best['date'][:10]} |")
    return "\n".join(lines)
