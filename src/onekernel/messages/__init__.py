"""Every sentence that a user reads, in English and Spanish, side by side in `<area>.toml`.

A message is stored as its key and its values, so that a verdict made once prints in either language.
The language is `--lang`, else ONEKERNEL_LANG, else English.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "es")
# What a value could steer a terminal with: control characters but tab and newline, and marks that turn the direction.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# {count:row|rows}: what stands with 1, and what with any other number.
_NUMBERED = re.compile(r"\{(\w+):([^{}|]*)\|([^{}|]*)\}")
# Areas of which a part stands elsewhere, in records: a table `says`, one sentence or several by their form.
_RECORDS = {"simulator": "backends/simulator/findings.toml"}
_chosen: str | None = None


def set_language(language: str) -> None:
    """Chooses the language of this process. Raises ValueError for one that the course does not speak."""
    global _chosen
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r}: choose one of {', '.join(LANGUAGES)}")
    _chosen = language


def language() -> str:
    """The language in force: "en" or "es"."""
    if _chosen is not None:
        return _chosen
    asked = os.environ.get("ONEKERNEL_LANG", "")[:2].lower()
    return asked if asked in LANGUAGES else "en"


def plain(text: str) -> str:
    """`text` with nothing in it that a terminal obeys: what a submission says is shown, never carried out."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


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


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Message:
    """A sentence by its key ("area.name") and its values. A value may be a Message itself."""

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
        values = {k: v.text(lang) if isinstance(v, Message) else v for k, v in self.values.items()}
        values = {k: plain(v) if isinstance(v, str) else v for k, v in values.items()}
        template = _NUMBERED.sub(lambda m: m[2] if str(values[m[1]]) == "1" else m[3], area(name)[key][lang])
        return template.format_map(values).strip()

    def to_json(self) -> dict[str, Any]:
        values = {k: v.to_json() if isinstance(v, Message) else v for k, v in self.values.items()}
        return {"key": self.key, "values": values}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Reads what `to_json` wrote. Raises KeyError for a key that no area has."""
        name, _, key = str(data["key"]).partition(".")
        if name not in areas() or key not in area(name):
            raise KeyError(f"no message {data['key']!r}")
        values = {k: cls.from_json(v) if isinstance(v, dict) else v for k, v in dict(data["values"]).items()}
        return cls(str(data["key"]), values)

    def __str__(self) -> str:
        return self.text()


def say(key: str, **values: Any) -> str:
    """The sentence `key` in the language in force."""
    return Message(key, values).text()
