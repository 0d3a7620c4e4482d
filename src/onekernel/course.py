"""The course as data: labs/*/lab.toml -> Lab, Exercise, Check. Nothing is registered anywhere else.

Each mistake in a lab.toml is refused with its file, its line and the mend.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, language

# What a check of each kind may say, beside kind, points, title and chapter: (required, optional).
CHECK_KINDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "correct": (frozenset({"groups"}), frozenset({"dtypes"})),
    "memory": (frozenset({"measure", "full", "zero", "sizes"}), frozenset({"after", "long"})),
    "prediction": (frozenset({"questions", "sizes"}), frozenset()),
    "speed": (frozenset(), frozenset()),
    "answers": (frozenset({"names"}), frozenset()),
    "log": (frozenset(), frozenset()),
    "port": (frozenset({"part"}), frozenset()),
    "probe": (frozenset(), frozenset()),
}
_LAB_KEYS = frozenset({"title", "elective", "chapters", "exercise"})
_EXERCISE_KEYS = frozenset({"file", "operator", "title", "dtypes", "check"})
_CHECK_KEYS = frozenset({"kind", "points", "title", "chapter"})


@dataclass(frozen=True)
class Text:
    """A phrase in each language."""

    en: str
    es: str

    def __str__(self) -> str:
        return self.es if language() == "es" else self.en


@dataclass(frozen=True)
class Check:
    """One graded item of an exercise. `options` holds what its kind asks for."""

    id: str
    kind: str
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

    @property
    def points(self) -> int:
        return sum(c.points for c in self.checks)

    @property
    def counted_sizes(self) -> Mapping[str, int] | None:
        """The sizes at which its memory behaviour is counted: the first such check's, else its prediction's."""
        found = sorted((c for c in self.checks if "sizes" in c.options), key=lambda c: c.kind != "memory")
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

    def solution(self, exercise: Exercise) -> Path:
        return self.root / "solutions" / exercise.file

    def starter(self, exercise: Exercise) -> Path:
        return self.root / "kernels" / exercise.file

    def select(self, name: str | None) -> tuple[Exercise, ...]:
        """The exercises of a lab or of one exercise, by name ("01", "01-naive-kernel", "softmax_naive"); all for None.

        Raises KeyError where nothing has that name.
        """
        if name is None:
            return tuple(self.exercises.values())
        stem = Path(name).stem if name.endswith((".cu", ".py", ".md")) else name.strip("/")
        stem = stem.rsplit("/", 1)[-1]
        if stem in self.exercises:
            return (self.exercises[stem],)
        for lab in self.labs:
            if stem == lab.name or stem == lab.name.split("-", 1)[0]:
                return lab.exercises
        raise KeyError(name)


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


def load(root: Path) -> Course:
    """Reads every labs/*/lab.toml. Raises UserError with file, line and mend."""
    labs: list[Lab] = []
    seen: dict[str, str] = {}
    for folder in sorted(p for p in (root / "labs").iterdir() if p.is_dir() and any(p.iterdir())):
        lab = _Reader(root, folder).lab()
        for exercise in lab.exercises:
            if exercise.slug in seen:
                raise mistaken("twice", folder / "lab.toml", slug=exercise.slug, other=seen[exercise.slug])
            seen[exercise.slug] = lab.name
        labs.append(lab)
    if not labs:
        raise mistaken("no-lab", root / "labs")
    return Course(root, tuple(labs))


def mistaken(mistake: str, place: object, /, **values: object) -> UserError:
    """A mistake in the course's own data, a message of course.toml: file, line and what to do about it."""
    return UserError(Message(f"course.{mistake}", {"place": str(place), **values}))


class _Reader:
    """Reads one lab.toml, and knows the line of each key."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder
        self.path = folder / "lab.toml"
        if not self.path.is_file():
            raise mistaken("no-toml", self.path)
        self.text = self.path.read_text(encoding="utf-8")
        try:
            self.data = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise mistaken("not-toml", self.path, why=str(error)) from None

    def fail(self, mistake: str, table: str, nth: int = 0, at: str | None = None, /, **values: object) -> UserError:
        """A message of course.toml, at the line of key `at`."""
        return mistaken(mistake, f"{self.path}:{self.line(table, nth, at)}", **values)

    def line(self, table: str, nth: int, key: str | None) -> int:
        """The line of `key` in the nth table of that name (exercise, exercise.check), or of the table's header."""
        count, found = -1, 1
        inside = table == ""
        for number, raw in enumerate(self.text.splitlines(), 1):
            line = raw.strip()
            if line.startswith("["):
                inside = line.strip("[]") == table
                count += inside
                if inside and count == nth:
                    found = number
            elif inside and (table == "" or count == nth) and key and line.split("=")[0].strip().split(".")[0] == key:
                return number
        return found

    def keys(self, data: Mapping[str, Any], allowed: frozenset[str], table: str, nth: int = 0) -> None:
        for key in data:
            if key not in allowed:
                raise self.fail("unknown-key", table, nth, key, key=repr(key), known=", ".join(sorted(allowed)))

    def text_of(self, data: Mapping[str, Any], table: str, nth: int = 0) -> Text:
        title = data.get("title")
        if not isinstance(title, dict) or set(title) != set(LANGUAGES) or not all(title.values()):
            raise self.fail("one-language", table, nth, "title")
        return Text(**title)

    def lab(self) -> Lab:
        self.keys(self.data, _LAB_KEYS, "")
        for name in ("README.md", "README.es.md", "hints.md", "hints.es.md"):
            if not (self.folder / name).is_file():
                raise mistaken("no-page", self.folder / name)
        chapters = tuple(self.data.get("chapters", ()))
        for chapter in chapters:
            self.chapter(chapter, "", 0, "chapters")
        counter = iter(range(10**6))
        entries = self.data.get("exercise", [])
        if not entries:
            raise self.fail("no-exercise", "")
        return Lab(
            self.folder.name,
            self.folder,
            self.text_of(self.data, ""),
            bool(self.data.get("elective", False)),
            chapters,
            tuple(self.exercise(e, i, counter) for i, e in enumerate(entries)),
        )

    def chapter(self, chapter: str, table: str, nth: int, key: str) -> str:
        page, _, anchor = chapter.partition("#")
        path = self.root / "docs" / "en" / f"{page}.md"
        if not path.is_file():
            raise self.fail("no-chapter", table, nth, key, page=repr(page))
        if anchor and f'id="{anchor}"' not in path.read_text(encoding="utf-8"):
            raise self.fail("no-anchor", table, nth, key, page=path.name, anchor=anchor)
        return chapter

    def exercise(self, data: Mapping[str, Any], nth: int, counter: Any) -> Exercise:
        self.keys(data, _EXERCISE_KEYS, "exercise", nth)
        name = data.get("file", "")
        if not (self.root / "solutions" / name).is_file() or "/" in name or not name:
            raise self.fail("no-solution", "exercise", nth, "file", file=repr(name))
        checks = tuple(self.check(c, next(counter), Path(name).stem, i) for i, c in enumerate(data.get("check", ())))
        if not checks:
            raise self.fail("no-check", "exercise", nth, file=name)
        return Exercise(
            Path(name).stem,
            name,
            self.folder.name,
            self.text_of(data, "exercise", nth),
            data.get("operator"),
            tuple(data.get("dtypes", ("float32",))),
            checks,
        )

    def check(self, data: Mapping[str, Any], nth: int, slug: str, index: int) -> Check:
        table = "exercise.check"
        kind = data.get("kind")
        if kind not in CHECK_KINDS:
            raise self.fail("unknown-kind", table, nth, "kind", kind=repr(kind), known=", ".join(CHECK_KINDS))
        required, optional = CHECK_KINDS[kind]
        self.keys(data, _CHECK_KEYS | required | optional, table, nth)
        for key in sorted(required - set(data)):
            raise self.fail("missing-option", table, nth, "kind", kind=repr(kind), key=repr(key))
        points = data.get("points")
        if not isinstance(points, int) or isinstance(points, bool) or not 1 <= points <= 100:
            raise self.fail("points", table, nth, "points", points=repr(points))
        if "chapter" not in data:
            raise self.fail("check-without-chapter", table, nth, "kind")
        return Check(
            f"{slug}.{index + 1}-{kind}",
            kind,
            points,
            self.text_of(data, table, nth),
            self.chapter(data["chapter"], table, nth, "chapter"),
            {k: v for k, v in data.items() if k not in _CHECK_KEYS},
        )
