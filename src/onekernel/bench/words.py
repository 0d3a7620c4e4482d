"""The bench's sentences in a language that is not the one in force: tables and figures are made in both at once."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from onekernel.messages import LANGUAGES, Message, localized, say
from onekernel.numerals import number


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
