"""Every sentence that a user reads, in English and Spanish, side by side in `<area>.toml`.

A message is stored as its key and its values, so that a verdict made once prints in either language. Values are
numbers, and a template says how they are written: `{ratio:.2f}`, with the separators of the language; a Quantity knows
its unit. `{count:row|rows}` is what stands with 1, as it is printed, and what with any other number.

The language is `--lang`, else ONEKERNEL_LANG, else English.
"""

from __future__ import annotations

import math
import os
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from onekernel.numerals import Quantity, number

LANGUAGES = ("en", "es")
MOST_QUOTED = 400  # characters
# What a value could steer a terminal with: control characters but tab and newline, and marks that turn the direction.
# And halves of a character, which no file takes: a name on a disk may be any bytes.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Areas of which a part stands elsewhere, in records: a table `says`, one sentence or several by their form.
_RECORDS = {"simulator": "simulator/findings.toml"}
_chosen: str | None = None


def set_language(language: str) -> None:
    """Chooses the language of this process. Raises ValueError for one that the course does not speak."""
    global _chosen
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r}: choose one of {', '.join(LANGUAGES)}")
    _chosen = language


def each_language() -> Iterator[str]:
    """Each language in turn, in force while the caller has it; then the one before is again."""
    before = language()
    try:
        for lang in LANGUAGES:
            set_language(lang)
            yield lang
    finally:
        set_language(before)


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """`lang` in force, while the caller has it; then what was before."""
    global _chosen
    before = _chosen
    set_language(lang)
    try:
        yield
    finally:
        _chosen = before


def language() -> str:
    """The language in force: "en" or "es"."""
    if _chosen is not None:
        return _chosen
    asked = os.environ.get("ONEKERNEL_LANG", "")[:2].lower()
    return asked if asked in LANGUAGES else "en"


def localized(name: str, lang: str | None = None) -> str:
    """The name of a file in a language, or in the one in force: README.md is README.es.md in Spanish. English is
    without a mark, and a name without an ending has the mark at its end."""
    lang = lang or language()
    stem, dot, ending = name.rpartition(".")
    marked = f"{stem}.{lang}.{ending}" if dot else f"{name}.{lang}"
    return name if lang == LANGUAGES[0] else marked


def plain(text: str) -> str:
    """`text` with nothing in it that a terminal obeys: what a submission says is shown, never carried out."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def quoted(text: str) -> str:
    """As much of a text as a sentence quotes: no answer and no line is longer, unless somebody wants a page to be."""
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}..."


@cache
def areas() -> frozenset[str]:
    """The names of all areas."""
    return frozenset(p.stem for p in Path(__file__).parent.glob("*.toml"))


@cache
def area(name: str) -> dict[str, dict[str, str]]:
    """The messages of one area: key -> {"en": ..., "es": ...}."""
    found = _read(Path(__file__).with_name(f"{name}.toml"))
    if name in _RECORDS:
        for record, data in _read(Path(__file__).parents[1] / _RECORDS[name]).items():
            says = data["says"]
            found |= {record: says} if "en" in says else {f"{record}-{form}": says[form] for form in says}
    return found


def add(name: str, path: Path) -> None:
    """Adds to an area sentences that stand beside the package: those of the repository's audits."""
    area(name).update(_read(path))


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


Template = tuple[tuple[str, str | None, str], ...]
"""Pieces of a sentence: the text before a value, the value's name (None at the end), and how it is written."""


@cache
def _parsed(template: str) -> Template:
    return tuple((literal, name, spec or "") for literal, name, spec, _ in string.Formatter().parse(template))


def _written(value: Any, spec: str, lang: str) -> str:
    """A value in a sentence. A text stands as it is, whatever the template says of numbers: a verdict of an older
    version, or the word of a process that is not believed."""
    if isinstance(value, Message):
        return value.text(lang)
    if isinstance(value, Quantity):
        return value.text(lang, spec)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value, spec, lang)
    return plain(str(value))


def _stored(value: Any) -> Any:
    """A value in JSON, which has no NaN and no infinity."""
    if isinstance(value, Message | Quantity):
        return value.to_json()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Message:
    """A sentence by its key ("area.name") and its values: texts, numbers, quantities, and messages."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, key: str, /, **values: Any) -> Message:
        """The sentence `key` with these values."""
        return cls(key, values)

    def text(self, lang: str | None = None) -> str:
        """The sentence in `lang`, or in the language in force."""
        lang = lang or language()
        name, _, key = self.key.partition(".")
        text = "".join(self._parts(_parsed(area(name)[key][lang]), lang)).strip()
        return in_dialect(text, str(self.values[DIALECT]), lang) if DIALECT in self.values else text

    def in_dialect(self, name: str) -> Message:
        """The message, in whose sentences the functions are those of another language than CUDA C."""
        return Message(self.key, {**self.values, DIALECT: name})

    def _parts(self, template: Template, lang: str) -> Iterator[str]:
        specs = {name: spec for _, name, spec in reversed(template) if name and "|" not in spec}
        nothing = False  # behind a value that is empty, and behind which no second space is wanted
        for literal, name, spec in template:
            yield literal[1:] if nothing and literal.startswith(" ") else literal
            nothing = name is not None and literal.endswith(" ") and self.values.get(name) == ""
            if name and "|" in spec:
                one, _, several = spec.partition("|")
                yield one if _written(self.values[name], specs.get(name, ""), lang) == "1" else several
            elif name:
                yield _written(self.values[name], spec, lang)

    def to_json(self) -> dict[str, Any]:
        return {"key": self.key, "values": {k: _stored(v) for k, v in self.values.items()}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Reads what `to_json` wrote. Raises KeyError for a key that no area has."""
        name, _, key = str(data["key"]).partition(".")
        if name not in areas() or key not in area(name):
            raise KeyError(f"no message {data['key']!r}")
        return cls(str(data["key"]), {k: cls._value(v) for k, v in dict(data["values"]).items()})

    @classmethod
    def _value(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return Quantity.from_json(value) if "unit" in value else cls.from_json(value)

    def __str__(self) -> str:
        return self.text()


def written(value: float | Quantity, spec: str = "") -> str:
    """A number that stands alone, in the language in force."""
    return _written(value, spec, language())


def say(key: str, **values: Any) -> str:
    """The sentence `key` in the language in force."""
    return Message(key, values).text()


DIALECT = "dialect"  # the name of the value that says which

_FUNCTIONS = {
    "expf": "tl.exp", "exp2f": "tl.exp2", "logf": "tl.log", "log2f": "tl.log2", "sqrtf": "tl.sqrt",
    "rsqrtf": "tl.rsqrt",
    "erff": "tl.erf", "fabsf": "tl.abs", "fmaxf": "tl.maximum", "fminf": "tl.minimum", "tanhf": "tanh",
    "atomicAdd": "tl.atomic_add",
}  # fmt: skip
# A Triton kernel has programs where CUDA C's has threads.
_THREADS = {"en": (re.compile(r"\b([Tt])hread(s?)\b"), ("program", "Program")),
            "es": (re.compile(r"\b([Hh])ilo(s?)\b"), ("programa", "Programa"))}  # fmt: skip
_NAMED = re.compile(rf"(?<![\w.])({'|'.join(_FUNCTIONS)})\b")
_INFINITY = re.compile(r"(?<!\w)(-?)INFINITY\b")
_NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*)f\b")


def in_dialect(text: str, name: str, lang: str) -> str:
    """The sentence with Triton's functions, for `triton`; as it is for any other name."""
    if name != "triton":
        return text
    threads, (small, capital) = _THREADS[lang]
    text = threads.sub(lambda m: (capital if m[1].isupper() else small) + m[2], text)
    text = _NAMED.sub(lambda m: _FUNCTIONS[m[1]], text)
    return _NUMBER.sub(r"\1", _INFINITY.sub(r'\1float("inf")', text))
