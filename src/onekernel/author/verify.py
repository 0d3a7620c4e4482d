"""What is missing from a piece of the course, all of it at once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from onekernel import checks
from onekernel.author import SORTS, exercises, findings, generated, new
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.messages import Message, language

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


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
    """What is not as it is generated, by the command that writes it; a page is stamped as it ends. Raises UserError."""
    found = {"onekernel author starters": _named(root, generated.PARTS["starters"](root, True)),
             "python -m audits.book tables": _stale_pages(root),
             "onekernel author stamp": _named(root, generated.PARTS["stamp"](root, True))}  # fmt: skip
    return [Message.of("author.stale", command=by, files=", ".join(files)) for by, files in found.items() if files]


def _named(root: Path, paths: list[Path]) -> list[str]:
    return [str(path.relative_to(root)) for path in paths]


def _stale_pages(root: Path) -> list[str]:
    """The pages whose tables are stale, as the checkout's `audits.book` says, which is no part of the package."""
    if not (root / "audits" / "book").is_dir():
        return []
    asked = [sys.executable, "-m", "audits.book", "tables", "--check"]
    environment = os.environ | {"ONEKERNEL_ROOT": str(root), "ONEKERNEL_LANG": language()}
    done = subprocess.run(asked, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise UserError(Message.of("author.unmade-pages", said=done.stderr.strip()))
    return done.stdout.splitlines()[:-1]


def _of(course: Course, sort: str, name: str) -> list[Message]:
    if sort == "kind":
        return missing_kind(course, name)
    if sort == "finding":
        return list(findings.missing(course, name))
    if sort == "checker":
        return findings.missing_checker(name.replace("-", "_"))
    if name not in course.exercises:
        return [Message.of("author.no-entry", name=name)]
    return list(exercises.missing(course, course.exercises[name]))


def missing_kind(course: Course, name: str) -> list[Message]:
    """Everything that is missing from it."""
    return [*judged(name), *used(course, name)]


def judged(name: str) -> list[Message]:
    """It has a judge, and a plan where it says so."""
    kind = checks.named(name)
    module = import_module(f"{kind.package}.judge")
    told = []
    if not callable(getattr(module, "judge", None)):
        told.append(Message.of("author.no-judge", name=name))
    if hasattr(module, "plan") != kind.plans:
        told.append(Message.of("author.unplanned" if kind.plans else "author.plans", name=name))
    if kind.counted and not kind.plans:
        told.append(Message.of("author.counts-nothing", name=name))
    return told


def used(course: Course, name: str) -> list[Message]:
    """An exercise has a check of it."""
    kinds = {check.kind.name for exercise in course.exercises.values() for check in exercise.checks}
    return [] if name in kinds else [Message.of("author.unused", name=name)]
