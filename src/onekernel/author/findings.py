"""What is missing from a finding of the simulator: of each there is one record, and a call in the runtime makes it; and
from a checker, a file of the runtime that notices mistakes."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onekernel.course import Course
from onekernel.messages import LANGUAGES, Message, area
from onekernel.simulator.paths import RUNTIME
from onekernel.simulator.read.forms import GIVEN, OF_THE_READER
from onekernel.simulator.read.races import QUOTED
from onekernel.simulator.read.records import Record, records

_SHOWN = ("tests/simulator/kernels", "tests/programs")  # files whose comments say what is found, `// <- race-shared`
_MARKED = re.compile(r"// <- (.+)")
_CALL = re.compile(r"\b(?:Finding(?: f)?|library_finding)\(")
_CODE = re.compile(r'"([a-z-]+)"')
_FACT = re.compile(r'\.(?:text|array|number|hex|sentence|block|thread)\("(\w+)"')
CHECKERS = RUNTIME / "checkers"
_STRUCT = re.compile(r"^struct (\w+Checker)\b.*: Checker<", re.MULTILINE)
_STATED = re.compile(r"^// Tells: .*(?:\n//  .*)*\n// Tests: .*$", re.MULTILINE)


@dataclass(frozen=True)
class Made:
    """A call of the runtime that makes a finding: its codes, and the facts that it gives."""

    codes: frozenset[str]
    facts: frozenset[str]


def missing(course: Course, name: str) -> Iterator[Message]:
    """Everything that is missing from the finding, or the record, of that name."""
    for record in records():
        if name == record.name or name in record.codes:
            yield from unmade(record)
            yield from ungiven(record)
            yield from forms_untold(record)
            yield from untaught(course, record)
            yield from unshown(course, record)


def unmade(record: Record) -> list[Message]:
    """A call of the runtime makes each of its codes."""
    made = {code for call in calls() for code in call.codes}
    return [Message.of("author.unmade", code=code) for code in record.codes if code not in made]


def ungiven(record: Record) -> list[Message]:
    """Each value of its sentences is a fact that the calls give, or the reader."""
    given = {fact for call in calls() if call.codes & set(record.codes) for fact in call.facts} | set(GIVEN)
    given |= {QUOTED, "here", "there"} if QUOTED in record.forms else set()
    told = []
    for form in sorted(record.forms):
        text = area("simulator")[record.says(form, {}).key.partition(".")[2]]["en"]
        varies = {value for _, value, _, _ in string.Formatter().parse(text) if value}
        told += [Message.of("author.ungiven", code=record.name, value=value) for value in sorted(varies - given)]
    return told


def forms_untold(record: Record) -> list[Message]:
    """The runtime tells each of its forms, or the reader does."""
    texts = _texts()
    forms = sorted(record.forms - {*OF_THE_READER, QUOTED, ""})
    untold = [f for f in forms if f'"{f}"' not in texts and not all(f'"{p}"' in texts for p in f.split("-", 1))]
    return [Message.of("author.form-untold", code=record.name, form=form) for form in untold]


def untaught(course: Course, record: Record) -> list[Message]:
    """It has a row of the table, its own or another's, and a chapter teaches it in each language."""
    if record.chapter is None:
        return []
    told = [] if bool(record.means) != bool(record.row) else [Message.of("author.no-row", code=record.name)]
    page, _, anchor = record.chapter.partition("#")
    if not anchor:
        return [*told, Message.of("author.no-lesson", code=record.name)]
    for lang in LANGUAGES:
        path = course.root / "docs" / lang / f"{page}.md"
        if not path.is_file() or f'<a id="{anchor}"></a>' not in path.read_text(encoding="utf-8"):
            told.append(Message.of("author.untaught", code=record.name, page=f"docs/{lang}/{page}.md", anchor=anchor))
    return told


def unshown(course: Course, record: Record) -> list[Message]:
    """A kernel of the tests makes the mistake, and names the line; what none can is in another test."""
    kernels = examples(course.root, course.root / "README.md")
    others = [p.read_text(encoding="utf-8") for p in (course.root / "tests").rglob("test_*.py")]
    shown = [code in kernels or any(f'"{code}"' in text for text in others) for code in record.codes]
    return [Message.of("author.unshown", code=c) for c, there in zip(record.codes, shown, strict=True) if not there]


def examples(root: Path, page: Path) -> dict[str, str]:
    """For each code of a finding a link to the file of the tests that shows it with the fewest lines."""
    texts = {p: p.read_text(encoding="utf-8") for f in _SHOWN for p in sorted((root / f).glob("*.cu"))}
    links = {}
    for path, text in sorted(texts.items(), key=lambda item: item[1].count("\n"), reverse=True):
        for marks in _MARKED.findall(text):
            for code in re.findall(r"[a-z][a-z-]+", marks):
                links[code] = f"[{path.stem}]({os.path.relpath(path, page.parent)})"
    return links


@cache
def calls() -> tuple[Made, ...]:
    """Every call of the runtime that makes a finding."""
    found = []
    for text in _sources().values():
        for match in _CALL.finditer(text):
            end = next(k for k in range(match.end(), len(text)) if _balanced(text[match.end() - 1 : k + 1]))
            codes = frozenset(_CODE.findall(text[match.end() : end]))
            chain = text[end : text.index(".add()", end)] if codes else ""
            facts = set(_FACT.findall(chain))
            facts |= {"block", "thread"} if ".here()" in chain or ".where()" in chain else set()
            facts |= {"variable", "index"} if "variable(" in chain else set()  # race_report.cpp gives both
            facts |= {"function", "name"} if match[0].startswith("library") else set()
            found += [Made(codes, frozenset(facts))] if codes else []
    return tuple(found)


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")")


@cache
def _sources() -> Mapping[Path, str]:
    files = [*RUNTIME.rglob("*.cpp"), *(RUNTIME / "checkers").glob("*.h")]
    return {p: p.read_text(encoding="utf-8") for p in sorted(files)}


@cache
def _texts() -> str:
    """The runtime, with its headers: what a library's call refuses stands there."""
    return "\n".join([*_sources().values(), *(p.read_text(encoding="utf-8") for p in sorted(RUNTIME.rglob("*.h")))])


def checkers() -> list[str]:
    """Every checker, by its file."""
    return sorted(path.stem for path in CHECKERS.glob("*.h") if _STRUCT.search(path.read_text(encoding="utf-8")))


def missing_checker(name: str) -> list[Message]:
    """Everything that is missing from the checker in that file."""
    text = (CHECKERS / f"{name}.h").read_text(encoding="utf-8")
    return [*_unlisted(name, text), *_unstated(name, text), *_unbuilt(name)]


def _unlisted(name: str, text: str) -> list[Message]:
    """It is told of events where list.h includes it and names it."""
    listed = (CHECKERS / "list.h").read_text(encoding="utf-8")
    lines = [f'#include "{name}.h"', *(f"    {struct}" for struct in _STRUCT.findall(text))]
    absent = [line.strip() for line in lines if not re.search(f"^{line}", listed, re.MULTILINE)]
    return [Message.of("author.unlisted", line=line) for line in absent]


def _unstated(name: str, text: str) -> list[Message]:
    """It says what it tells, and where it is tested: beside its declaration or in the file of its functions."""
    beside = CHECKERS / f"{name}.cpp"
    texts = [text, *([beside.read_text(encoding="utf-8")] if beside.is_file() else [])]
    return [] if any(map(_STATED.search, texts)) else [Message.of("author.unstated", file=f"checkers/{name}.h")]


def _unbuilt(name: str) -> list[Message]:
    """A translation unit of the runtime includes the file of its functions, where it has one."""
    line = f'#include "checkers/{name}.cpp"'
    built = not Path(CHECKERS / f"{name}.cpp").is_file() or any(
        line in unit.read_text(encoding="utf-8") for unit in RUNTIME.glob("each_*.cpp")
    )
    return [] if built else [Message.of("author.unbuilt", line=line)]
