"""Reads labs/*/SLUG/exercise.toml: a small exercise that is one folder, and nothing else.

    exercise.toml     title, chapter, what it comes before, and one of: tensors with `meant`, questions, calls
    answer.cu|.py     the answer, with the gap that makes the starter of it
    answer.es.txt     the comments of both in Spanish: `comments.table`
    README.md         what to do, and a part `## Hint`; README.es.md likewise
    shown.cu          the kernel that questions are about

Its checks follow from what it holds, a point each.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel import checks
from onekernel.backends.occupancy import LIMITS as ARCHITECTURES
from onekernel.checks.options import About, Mistake, Number, Sizes, keys_of, nearest, one_of, wanted, whole
from onekernel.checks.tallies import TALLIES
from onekernel.course import Check, Exercise, Text, mistaken
from onekernel.errors import UserError
from onekernel.labs import declared
from onekernel.labs.lines import Lines
from onekernel.messages import LANGUAGES, Message
from onekernel.ops import Operator
from onekernel.simulator.arch import ARCHITECTURES as simulated_cards

FILE = "exercise.toml"
_FOLDER = re.compile(r"[a-z][a-z0-9_]*")
_KEYS = ("title", "chapter", "before", "minutes", "broken", "arch", "inputs", "tolerance", "meant", "tensors", "limits",
         "wrong", "question", "call")  # fmt: skip
_WRONG_KEYS = ("change", "to", "caught")
_OCCUPANCY_KEYS = ("arch", "registers", "warps", "shared")
_TRUTHS = ("count", "occupancy", "value", "word")
_PAGES = ("README.md", "README.es.md")


def exercises(root: Path, lab: Path, chapter_of: Callable[[Any], str]) -> list[Exercise]:
    """The exercises of a lab that are folders of it, in order. `chapter_of` reads the name of a chapter.

    Raises UserError with file, line and what would be right.
    """
    folders = sorted(path.parent for path in lab.glob(f"*/{FILE}"))
    labs = [p.name for p in sorted((root / "labs").iterdir()) if (p / "lab.toml").is_file() and p != lab]
    known = [*labs, *(folder.name for folder in folders)]
    return _in_order([_Reader(root, folder, chapter_of, known).exercise() for folder in folders], labs)


def _in_order(found: list[Exercise], labs: list[str]) -> list[Exercise]:
    """Each exercise before what it names: a lab, or another exercise. Of several that come before the same thing, the
    one with the fewest before it comes last: a new one stands right there, whatever else is said to. Raises UserError.
    """

    def until(name: str) -> list[Exercise]:
        """What comes before `name`, directly or through others."""
        chains = [[*until(e.slug), e] for e in found if e.before == name]
        return [e for chain in sorted(chains, key=len, reverse=True) for e in chain]

    ordered = [replace(e, before=lab) for lab in labs for e in until(lab)]
    reached = {e.slug for e in ordered}
    for e in found:
        if e.slug not in reached:
            raise mistaken("before-itself", (e.home or Path()) / FILE, slug=e.slug, before=e.before)
    return ordered


class _Reader:
    """Reads one exercise.toml."""

    def __init__(self, root: Path, folder: Path, chapter_of: Callable[[Any], str], known: list[str]) -> None:
        """`known`: what it may come before."""
        self.root, self.folder, self.chapter_of, self.known = root, folder, chapter_of, known
        self.path = folder / FILE
        self.key = ""
        if not _FOLDER.fullmatch(folder.name):
            raise mistaken("folder-name", folder, name=folder.name)
        self.slug = folder.name
        try:
            text = self.path.read_text(encoding="utf-8")
            self.lines = Lines(text)
            self.data = tomllib.loads(text)
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise mistaken("not-toml", self.path, why=str(error)) from None

    def exercise(self) -> Exercise:
        """The exercise. Raises UserError."""
        for name in _PAGES:
            if not (self.folder / name).is_file():
                raise mistaken("no-page", self.folder / name)
        try:
            return self._exercise()
        except Mistake as mistake:
            raise self._told(mistake) from None

    def _at(self, key: str) -> str:
        """Moves to `key`, and returns it."""
        self.key = key
        return key

    def _told(self, mistake: Mistake) -> UserError:
        """The mistake with its place: in the key's own tables the first line that holds it, else the key's line."""
        named = [t for t in self.lines.tables if self.key in (t.name, t.name.rsplit(".", 1)[-1])]
        inside = [n for t in named for n, text in enumerate(t.body, t.line + 1) if str(mistake.wrong) in text]
        line = next(iter([*inside, *(t.line for t in named)]), self.lines.at("", 0, self.key, mistake.wrong))
        return mistaken(mistake.key, f"{self.path}:{line}", **mistake.values)

    def _exercise(self) -> Exercise:
        for key in self.data:
            keys_of(FILE, {self._at(key): None}, _KEYS)
        suffix = self._suffix()
        title = self._title()
        chapter = self.chapter_of(self.data.get(self._at("chapter")))
        before = one_of(self._at("before"), self.data.get("before"), self.known)
        minutes = whole(self._at("minutes"), self.data.get("minutes"), 1, 60)
        broken = self.data.get(self._at("broken"), False)
        if not isinstance(broken, bool):
            raise wanted("broken", broken, "truth")
        arch = self.data.get(self._at("arch"), "")
        if arch:
            one_of("arch", arch, simulated_cards)
        made = declared.operator(self.slug, self.data, self._at) if "tensors" in self.data else None
        found = self._checks(made, chapter)
        self._wrong(suffix)
        runs = None if any(c.kind.name == "puzzle" for c in found) or made is None else self.slug
        meant = self._meant(made) if made and runs else {}
        file = f"{self.folder.parent.name}/{self.slug}{suffix}"
        return Exercise(
            self.slug, file, self.folder.parent.name, title, runs, ("float32",), found, self.folder, made, before,
            minutes, arch, broken, meant,
        )  # fmt: skip

    def _suffix(self) -> str:
        found = [s for s in (".cu", ".py") if (self.folder / f"answer{s}").is_file()]
        if len(found) != 1:
            raise mistaken("no-answer", self.folder)
        return found[0]

    def _title(self) -> Text:
        title = self.data.get(self._at("title"))
        if not isinstance(title, dict) or set(title) != set(LANGUAGES):
            raise Mistake("one-language", None)
        if not all(isinstance(text, str) and text.strip() for text in title.values()):
            raise Mistake("one-language", None)
        return Text(**title)

    def _meant(self, made: Operator) -> Mapping[str, str]:
        """What the answer computes, said a second time: an expression for each output (`declared.meant`)."""
        told = self.data.get(self._at("meant"))
        outputs = [p.name for p in made.outputs()]
        if isinstance(told, str) and len(outputs) == 1:
            told = {outputs[0]: told}
        if not isinstance(told, dict) or list(told) != outputs or not all(map(declared.is_expression, told.values())):
            raise wanted("meant", self.data.get("meant"), "list-of-expressions", outputs=", ".join(outputs))
        return told

    def _checks(self, made: Operator | None, chapter: str) -> tuple[Check, ...]:
        """What is graded, by what the folder holds: kind and options, in order."""
        asked: list[tuple[str, Mapping[str, Any]]] = []
        if "question" in self.data:
            asked.append(("puzzle", {"questions": self._questions(made)}))
        elif "call" in self.data:
            asked.append(("returns", {"calls": self._calls()}))
        elif made is not None and not (self.data.get("broken") and "limits" in self.data):  # right before it is begun
            asked.append(("correct", {"groups": [declared.GROUP]}))
        elif made is None:
            raise Mistake("nothing-to-grade", None)
        if "limits" in self.data:
            asked.append(("limits", self._limits(made)))
        return tuple(
            Check(f"{self.slug}.{n}-{kind}", checks.named(kind), 1, _titled(kind), chapter, options)
            for n, (kind, options) in enumerate(asked, 1)
        )

    def _limits(self, made: Operator | None) -> Mapping[str, Any]:
        """Factors by count, and the sizes at which they are counted: the largest input's, unless `sizes` says, and
        those that are in `also`."""
        limits = dict(self.data[self._at("limits")])
        if made is None:
            raise Mistake("limits-without-tensors", None)
        largest = max((c.sizes for c in made.cases), key=lambda s: sum(s.values()))
        sizes = limits.pop("sizes", dict(largest))
        also = {"also": limits.pop("also")} if "also" in limits else {}
        kind = checks.named("limits")
        about = About(self.root, self.slug, made)
        kind.options["limits"].read("limits", limits, about)
        Sizes().read("sizes", sizes, about)
        for more in also.values():
            kind.options["also"].read("also", more, about)
        return {"limits": limits, "sizes": sizes, **also}

    def _questions(self, made: Operator | None) -> list[Mapping[str, Any]]:
        every = self.data[self._at("question")]
        if not isinstance(every, list) or not all(isinstance(q, dict) for q in every):
            raise wanted("question", every, "list-of-tables")
        for question in every:
            name = question.get("name")
            if not isinstance(name, str) or not name.isidentifier() or not name.isupper():
                raise wanted("name", name, "name-in-capitals")
            truths = [t for t in _TRUTHS if t in question]
            if len(truths) != 1:
                raise Mistake("one-truth", name, name=name, known=", ".join(_TRUTHS))
            self._truth(question, truths[0], made)
        return every

    def _truth(self, question: Mapping[str, Any], truth: str, made: Operator | None) -> None:
        about = About(self.root, self.slug, made)
        if truth == "count":
            keys_of("question", question, ("name", "count", "sizes", "launcher"))
            one_of("count", question["count"], TALLIES)
            if made is None or not (self.folder / "shown.cu").is_file():
                raise Mistake("count-of-nothing", None)
            declared.sizes("sizes", question.get("sizes"), made.sizes)
        elif truth == "occupancy":
            keys_of("question", question, ("name", "occupancy", "of"))
            keys_of("occupancy", question["occupancy"], _OCCUPANCY_KEYS)
            one_of("arch", question["occupancy"].get("arch"), ARCHITECTURES)
            one_of("of", question.get("of"), ("programs", "warps", "percent", "limit"))
            for key in _OCCUPANCY_KEYS[1:]:
                whole(key, question["occupancy"].get(key), 0 if key == "shared" else 1, 1 << 20)
        elif truth == "value":
            keys_of("question", question, ("name", "value", "within"))
            Number().read("value", question["value"], about)
            Number().read("within", question.get("within", 0), about)
        else:
            keys_of("question", question, ("name", "word"))

    def _calls(self) -> list[Mapping[str, Any]]:
        every = self.data[self._at("call")]
        if not isinstance(every, list) or not all(isinstance(c, dict) for c in every):
            raise wanted("call", every, "list-of-tables")
        text = (self.folder / "answer.py").read_text(encoding="utf-8") if self._suffix() == ".py" else ""
        functions = re.findall(r"^def (\w+)", text, re.MULTILINE)
        for call in every:
            keys_of("call", call, ("function", "shapes", "given", "strides"))
            one_of("function", call.get("function"), functions)
            for dims in call.get("shapes", []):
                if not isinstance(dims, list) or not all(isinstance(d, int) and 0 <= d <= 64 for d in dims):
                    raise wanted("shapes", dims, "list-of-shapes")
        return every

    def _wrong(self, suffix: str) -> None:
        """The mistakes that are tried on the answer: each changes something that stands in it once."""
        text = (self.folder / f"answer{suffix}").read_text(encoding="utf-8")
        every = self.data.get(self._at("wrong"))
        if not isinstance(every, list) or not every or not all(isinstance(w, dict) for w in every):
            raise Mistake("no-wrong", None)
        for wrong in every:
            keys_of("wrong", wrong, _WRONG_KEYS)
            if any(not isinstance(wrong.get(key), str) for key in _WRONG_KEYS) or text.count(wrong["change"]) != 1:
                near = nearest(wrong.get("change"), [line.strip() for line in text.splitlines()])
                raise Mistake("wrong-not-once", wrong.get("change"), change=repr(wrong.get("change")), near=repr(near))


def _titled(kind: str) -> Text:
    told = Message(f"practice.check-{kind}")
    return Text(told.text("en"), told.text("es"))
