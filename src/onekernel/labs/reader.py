"""Reads labs/*/lab.toml. Whatever is wrong in one is a sentence with its file, its line and the nearest valid name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel import checks
from onekernel.checks.options import About, Mistake, dtypes, keys_of, nearest, one_of, wanted, whole
from onekernel.course import ANY, Check, Course, Exercise, Kind, Lab, Text, mistaken
from onekernel.errors import UserError
from onekernel.labs import practice
from onekernel.labs.lines import Lines
from onekernel.messages import LANGUAGES
from onekernel.ops import OPERATORS, Operator

_LAB_KEYS = ("title", "elective", "chapters", "exercise")
_EXERCISE_KEYS = ("file", "operator", "title", "dtypes", "seconds", "check")
_SECONDS = (1, 3600)
_CHECK_KEYS = ("kind", "points", "title", "chapter")
_TABLES = ("exercise", "exercise.check")
_STATEMENTS = ("README.md", "README.es.md")
_PAGES = (*_STATEMENTS, "hints.md", "hints.es.md")
_MOST_POINTS = 100


def load(root: Path) -> Course:
    """Reads every lab. Raises UserError with file, line and what would be right."""
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


class _Place:
    """Where the reader is: a table of the file and, while a key of it is read, that key."""

    def __init__(self, table: str = "", nth: int = 0) -> None:
        self.table, self.nth, self.key = table, nth, ""

    def on(self, key: str) -> str:
        """Moves to `key`, and returns it."""
        self.key = key
        return key


class _Reader:
    """Reads one lab.toml."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder
        self.path = folder / "lab.toml"
        if not self.path.is_file():
            raise mistaken("no-toml", self.path)
        try:
            text = self.path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise mistaken("not-toml", self.path, why=str(error)) from None
        self.lines = Lines(text)
        for table in self.lines.tables[1:]:
            if table.name not in _TABLES:
                raise self._table(table.name, table.line)
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise mistaken("not-toml", self.path, why=str(error)) from None

    def _table(self, name: str, line: int) -> UserError:
        known = ", ".join(f"[[{t}]]" for t in _TABLES)
        values = {"name": repr(name), "near": f"[[{nearest(name, _TABLES)}]]", "known": known}
        return mistaken("unknown-table", f"{self.path}:{line}", **values)

    def _told(self, mistake: Mistake, place: _Place) -> UserError:
        line = self.lines.at(place.table, place.nth, place.key, mistake.wrong)
        return mistaken(mistake.key, f"{self.path}:{line}", **mistake.values)

    def lab(self) -> Lab:
        place = _Place()
        try:
            self._keys(self.data, _LAB_KEYS, place)
            title = _text(self.data, place)
            elective = self.data.get(place.on("elective"), False)
            if not isinstance(elective, bool):
                raise wanted("elective", elective, "truth")
            chapters = tuple(self._chapter(c) for c in _list(self.data.get(place.on("chapters"), []), "chapters"))
            entries = _tables(self.data.get(place.on("exercise"), []), "exercise")
            # Behind the lab's own lines: those of its folders may rest on other labs.
            folders = practice.exercises(self.root, self.folder, self._chapter)
            if not entries and not folders:
                raise Mistake("no-exercise", None)
        except Mistake as mistake:
            raise self._told(mistake, place) from None
        for name in _PAGES if entries or not folders else _STATEMENTS:
            if not (self.folder / name).is_file():
                raise mistaken("no-page", self.folder / name)
        before = 0
        exercises = []
        for nth, entry in enumerate(entries):
            exercises.append(self._exercise(entry, nth, before))
            before += len(exercises[-1].checks)
        return Lab(self.folder.name, self.folder, title, elective, chapters, (*exercises, *folders))

    def _keys(self, data: Mapping[str, Any], known: tuple[str, ...], place: _Place) -> None:
        for key in data:
            keys_of(place.table or "lab.toml", {place.on(key): None}, known)

    def _chapter(self, chapter: Any) -> str:
        """`page#anchor`, where docs/en has that page and the page that anchor. Raises Mistake."""
        page, _, anchor = str(chapter).partition("#")
        folder = self.root / "docs" / "en"
        path = folder / f"{page}.md"
        if not isinstance(chapter, str) or "/" in page or not path.is_file():
            near = nearest(page, sorted(p.stem for p in folder.glob("*.md")))
            raise Mistake("no-chapter", page, page=repr(page), near=near)
        known = re.findall(r'<a id="([^"]+)">', path.read_text(encoding="utf-8"))
        if anchor and anchor not in known:
            raise Mistake("no-anchor", anchor, page=path.name, anchor=anchor, near=nearest(anchor, known))
        return chapter

    def _exercise(self, data: Mapping[str, Any], nth: int, before: int) -> Exercise:
        """The nth exercise of the lab; `before` checks stand above it in the file."""
        place = _Place("exercise", nth)
        try:
            self._keys(data, _EXERCISE_KEYS, place)
            file = data.get(place.on("file"), "")
            written = sorted(p.name for p in (self.root / "solutions").iterdir() if p.is_file())
            if not isinstance(file, str) or file not in written:
                raise Mistake("no-solution", file, file=repr(file), near=nearest(file, written))
            title = _text(data, place)
            operator = data.get(place.on("operator"))
            if operator is not None:
                one_of("operator", operator, OPERATORS)
            types = _list(data.get(place.on("dtypes"), ["float32"]), "dtypes")
            for dtype in types:
                one_of("dtypes", dtype, dtypes(About(self.root, "", None)))
            if not types:
                raise wanted("dtypes", types, "list")
            seconds = whole("seconds", data.get(place.on("seconds"), Exercise.seconds), *_SECONDS)
            entries = _tables(data.get(place.on("check"), []), "check")
            if not entries:
                raise Mistake("no-check", None, file=file)
        except Mistake as mistake:
            raise self._told(mistake, place) from None
        about = About(self.root, Path(file).stem, OPERATORS[operator] if operator else None, self._operators())
        listed = tuple(self._check(entry, before + i, i, about) for i, entry in enumerate(entries))
        return Exercise(about.slug, file, self.folder.name, title, operator, tuple(types), listed,
                        seconds=seconds)  # fmt: skip

    def _operators(self) -> dict[str, Operator]:
        """The operators of the lab's exercises, by slug."""
        named = ((Path(str(entry.get("file"))).stem, entry.get("operator")) for entry in self.data["exercise"])
        return {slug: OPERATORS[name] for slug, name in named if isinstance(name, str) and name in OPERATORS}

    def _check(self, data: Mapping[str, Any], nth: int, index: int, about: About) -> Check:
        """A check: the nth of the file, number `index` of its exercise."""
        place = _Place("exercise.check", nth)
        try:
            if "kind" not in data:
                self._keys(data, (*_CHECK_KEYS, *_every_option()), place)
                raise Mistake("check-without-kind", None, known=", ".join(checks.names()))
            name = one_of(place.on("kind"), data["kind"], checks.names(), "unknown-kind")
            kind = checks.named(name)
            self._keys(data, (*_CHECK_KEYS, *kind.options), place)
            _suits(kind, about, place)
            if kind.of:
                about = replace(about, operator=about.neighbours.get(str(data.get(kind.of))))
            options = _options(kind, data, about, place)
            points = whole(place.on("points"), data.get("points"), 1, _MOST_POINTS)
            title = _text(data, place)
            if "chapter" not in data:
                place.on("kind")
                raise Mistake("check-without-chapter", None)
            place.on("chapter")
            chapter = self._chapter(data["chapter"])
        except Mistake as mistake:
            raise self._told(mistake, place) from None
        return Check(f"{about.slug}.{index + 1}-{name}", kind, points, title, chapter, options)


def _every_option() -> Iterator[str]:
    for name in checks.names():
        yield from checks.named(name).options


def _suits(kind: Kind, about: About, place: _Place) -> None:
    """Raises Mistake for a kind that the exercise's operator, or that it has none, does not suit."""
    place.on("kind")
    known = tuple(OPERATORS) if kind.operators == ANY else kind.operators
    if about.operator is None and known:
        raise Mistake("kind-needs-operator", kind.name, kind=repr(kind.name), known=", ".join(known))
    if about.operator is not None and about.operator.name not in known:
        values = {"kind": repr(kind.name), "operator": about.operator.name}
        raise Mistake("kind-not-for-operator", kind.name, known=", ".join(known) or "-", **values)


def _options(kind: Kind, data: Mapping[str, Any], about: About, place: _Place) -> Mapping[str, Any]:
    """The options of a check of that kind. Raises Mistake."""
    for name, option in kind.options.items():
        if name in data:
            option.read(place.on(name), data[name], about)
        elif option.required:
            place.on("kind")
            raise Mistake("missing-option", None, kind=repr(kind.name), key=repr(name))
    options = {name: data[name] for name in kind.options if name in data}
    try:
        kind.agree(options)
    except Mistake as mistake:
        place.on(str(mistake.values["key"]))
        raise
    return options


def _text(data: Mapping[str, Any], place: _Place) -> Text:
    """The title, in each language. Raises Mistake."""
    title = data.get(place.on("title"))
    if isinstance(title, dict):
        keys_of("title", title, LANGUAGES)
    if not isinstance(title, dict) or set(title) != set(LANGUAGES):
        raise Mistake("one-language", None)
    for language in LANGUAGES:
        if not isinstance(title[language], str) or not title[language].strip():
            raise Mistake("one-language", None)
    return Text(**title)


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise wanted(key, value, "list")
    return value


def _tables(value: Any, key: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise wanted(key, value, "list-of-tables")
    return value
