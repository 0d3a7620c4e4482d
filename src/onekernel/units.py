"""Numbers with units, as a learner writes them: "100.7 MB", "0.167 FLOP/byte", "30 us"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.errors import UserError
from onekernel.messages import Message

_PREFIX = {
    "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40,
    "m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9,
}  # fmt: skip
_UNIT = {
    "FLOP": "FLOP", "FLOPS": "FLOP", "FLOPs": "FLOP",
    "B": "B", "byte": "B", "bytes": "B",
    "s": "s",
    "FLOP/byte": "FLOP/byte", "FLOP/B": "FLOP/byte", "FLOPs/byte": "FLOP/byte", "FLOPS/byte": "FLOP/byte",
    "FLOP/s": "FLOP/s", "FLOPs/s": "FLOP/s", "FLOPS/s": "FLOP/s",
    "B/s": "B/s", "bytes/s": "B/s", "byte/s": "B/s",
}  # fmt: skip
_WRITTEN = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?:e[-+]?\d+)?(?!,\d|\.?\w)")
_NUMBER = re.compile(r"\s*([-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")


@dataclass(frozen=True)
class Quantity:
    """A value in its base unit: FLOP, B, s, FLOP/byte, FLOP/s, B/s, or "" for a bare number."""

    value: float
    unit: str


def parse(text: str) -> Quantity:
    """Reads a number and its unit. Raises UserError."""
    match = _NUMBER.fullmatch(text)
    if not match:
        raise UserError(Message.of("units.no-number", text=repr(text)))
    number = float(match[1].replace(",", "").replace("_", ""))
    unit = match[2]
    if not unit:
        return Quantity(number, "")
    for length in (0, 1, 2):
        prefix, rest = unit[:length], unit[length:]
        if prefix in _PREFIX and rest in _UNIT:
            return Quantity(number * _PREFIX[prefix], _UNIT[rest])
    known = ", ".join(dict.fromkeys(_UNIT.values()))
    raise UserError(Message.of("units.unknown-unit", unit=repr(unit), known=known))


def show(value: float, unit: str, lang: str = "en") -> str:
    """A quantity with three to four digits and a decimal prefix: 100663296 B -> "100.7 MB", in Spanish "100,7 MB"."""
    for prefix in ("T", "G", "M", "k", "", "m", "u", "n"):
        scale = _PREFIX[prefix]
        if abs(value) >= scale or (value == 0 and prefix == ""):
            if unit == "FLOP/byte" or unit == "":
                break
            return f"{number(value / scale, '.4g', lang)} {prefix}{unit}"
    return f"{number(value, '.4g', lang)} {unit}".strip()


def number(value: float, spec: str, lang: str) -> str:
    """format(value, spec) with the separators of the language. Spanish: 404.193 and 62,6; none in four digits, 1024."""
    return in_language(format(value, spec), lang)


def in_language(text: str, lang: str) -> str:
    """A text whose numbers are written as in English ("404,193", "62.6"), with the separators of `lang`.

    Names and versions are no numbers: what stands between backticks, or touches a letter or a second point, is kept.
    """
    if lang == "en":
        return text
    parts = text.split("`")
    return "`".join(part if index % 2 else _WRITTEN.sub(_spanish, part) for index, part in enumerate(parts))


def _spanish(found: re.Match[str]) -> str:
    whole, point, decimals = found[0].partition(".")
    digits = whole.replace(",", "")
    return (digits if len(digits) <= 4 else whole.replace(",", ".")) + (f",{decimals}" if point else "")
