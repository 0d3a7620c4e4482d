"""What benches and audits write for readers: sentences in each language, tables in Markdown. Result files and figures
are made in both languages at once, whichever is in force."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from onekernel.messages import LANGUAGES, Message, localized, say
from onekernel.numerals import number

_NUMBER = re.compile(r"(?:de )?[*~<>≤≥±+-]*\s?\d|[-–]?$")  # how a number begins, or a span; a dash stands for one


def words(key: str, lang: str, **values: object) -> str:
    """The sentence bench.`key` in `lang`."""
    return Message(f"bench.{key}", values).text(lang)


def in_each(key: str, **values: object) -> dict[str, str]:
    """The same in each language, as a cell of a result file's table holds it."""
    return {lang: words(key, lang, **values) for lang in LANGUAGES}


def in_numbers(template: str, *values: float) -> str | dict[str, str]:
    """A cell of numbers, "{:,} / {:,}", in each language; one text where both write it alike."""
    cells = {lang: "".join(_filled(template, values, lang)) for lang in LANGUAGES}
    return cells if len(set(cells.values())) > 1 else cells["en"]


def _filled(template: str, values: Sequence[float], lang: str) -> Iterator[str]:
    left = iter(values)
    for literal, field, spec, _ in string.Formatter().parse(template):
        yield literal
        if field is not None:
            yield number(next(left), spec or "", lang)


def measured_on(data: Mapping[str, Any], lang: str) -> str:
    """The line under a figure: date, driver, torch and command of a result file."""
    told = words("measured-on", lang, date=data["date"], driver=data["device"]["driver"],
                 torch=data["versions"].get("torch", "-"), command=data["command"])  # fmt: skip
    return told + _later(data, lang, "")


def caption(data: Mapping[str, Any], lang: str) -> str:
    """The line under a table: card and driver (or machine), versions, date, and the command that reproduces it."""
    if "device" not in data:  # measured on the CPU, where NumPy is what is measured
        versions = ", ".join(f"{name} {v}" for name, v in data["versions"].items())
        return words("table-caption-cpu", lang, name=data["machine"], versions=versions, date=data["date"],
                     command=data["command"])  # fmt: skip
    versions = ", ".join(f"{name} {v}" for name, v in data["versions"].items() if name not in ("python", "numpy"))
    told = words("table-caption", lang, name=data["device"]["name"], driver=data["device"]["driver"],
                 versions=versions, date=data["date"], command=data["command"])  # fmt: skip
    return told + _later(data, lang, "`")


def _later(data: Mapping[str, Any], lang: str, mark: str) -> str:
    """What a record says of the contenders that joined it after the others: when, and by which command."""
    return "".join(words("joined-later", lang, names=", ".join(told["ways"]), date=told["date"],
                         command=f"{mark}{told['command']}{mark}") for told in data.get("later", []))  # fmt: skip


def draw_in_each(folder: Path, stem: str, draw: Callable[[Path, str], Iterable[Path]]) -> None:
    """Has `draw` make a figure in each language, given its place without an ending, and says what was written."""
    for lang in LANGUAGES:
        for written in draw(folder / localized(stem, lang), lang):
            print(say("bench.written", path=written))


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table: the first column to the left, of the others those to the right that hold mostly numbers."""
    body = [list(row) for row in rows]
    head = f"| {' | '.join(columns)} |"
    sides = ["---:" if _numbers([row[at] for row in body]) else "---" for at in range(1, len(columns))]
    rule = "|" + "|".join(["---", *sides]) + "|"
    return [head, rule, *(f"| {' | '.join(row)} |" for row in body)]


def _numbers(cells: Sequence[str]) -> bool:
    return 2 * sum(1 for cell in cells if _NUMBER.match(cell)) >= len(cells)
