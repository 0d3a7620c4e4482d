"""What is missing from a piece of the course, all of it at once."""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.author import SORTS, checkers, exercises, findings, generated, kinds, new
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.messages import Message

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_GENERATED = ("starters", "tables", "stamp")  # in the order in which they are written: a page is stamped as it ends


def missing(root: Path, name: str) -> list[Message]:
    """A sentence for each thing that is missing from what has that name. Raises UserError where nothing has it."""
    sorts = [sort for sort in SORTS if _NAME.fullmatch(name) and begun(root, sort, name)]
    if not sorts:
        raise UserError(Message.of("author.unknown", name=name))
    told = new.marks(root, sorted({path for sort in sorts for path in new.files(root, sort, name)}))
    try:
        course = load(root)
        told += [message for sort in sorts for message in _of(course, sort, name)]
        told += stale(root)
    except UserError as error:  # what else there is to say waits for it
        told.append(error.message)
    return told


def begun(root: Path, sort: str, name: str) -> bool:
    """Whether there is such a piece, however little of it."""
    if sort == "finding":
        header = re.compile(rf'^\[{re.escape(name)}\]$|^codes = .*"{re.escape(name)}"', re.MULTILINE)
        records = root / "src" / "onekernel" / "simulator" / "findings.toml"
        return records.is_file() and header.search(records.read_text(encoding="utf-8")) is not None
    where = {
        "exercise": f"solutions/{name}.*",
        "practice": f"labs/*/{name}/exercise.toml",
        "kind": f"src/onekernel/checks/{name}/__init__.py",
        "checker": f"src/onekernel/simulator/runtime/checkers/{name.replace('-', '_')}.h",
    }
    return any(root.glob(where[sort]))


def stale(root: Path) -> list[Message]:
    """What is not as it is generated, by the command that writes it."""
    found = {part: generated.refresh(part, root, check=True) for part in _GENERATED}
    named = {part: ", ".join(str(path.relative_to(root)) for path in paths) for part, paths in found.items() if paths}
    return [Message.of("author.stale", part=part, files=files) for part, files in named.items()]


def _of(course: Course, sort: str, name: str) -> list[Message]:
    if sort == "kind":
        return kinds.missing(course, name)
    if sort == "finding":
        return list(findings.missing(course, name))
    if sort == "checker":
        return checkers.missing(name.replace("-", "_"))
    if name not in course.exercises:
        return [Message.of("author.no-entry", name=name)]
    return list(exercises.missing(course, course.exercises[name]))
