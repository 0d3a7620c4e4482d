"""How each language writes a number: English 1,234.5; Spanish 1.234,5, and four digits without a separator, 1024.

`units` reads what is written here back as the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SCALES = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
SCALED = ("B", "B/s", "FLOP", "FLOP/s", "s")
UNITS = (*SCALED, "FLOP/byte", "")


def number(value: float, spec: str, lang: str) -> str:
    """format(value, spec) with the separators of the language."""
    return separated(format(value, spec), lang)


def separated(text: str, lang: str) -> str:
    """A number that is written already, as 1,234.5, with the separators of the language; other words as they are."""
    if lang == "en":
        return text
    whole, point, rest = text.partition(".")
    digits = whole.replace(",", "")
    grouped = whole.replace(",", ".") if sum(c.isdigit() for c in digits) > 4 else digits
    return grouped + ("," + rest if point else "")


@dataclass(frozen=True)
class Quantity:
    """A value in its base unit: FLOP, B, s, FLOP/byte, FLOP/s, B/s, or "" for a bare number."""

    value: float
    unit: str

    def text(self, lang: str, spec: str = "") -> str:
        """With a decimal prefix and four digits: 100663296 B is "100.7 MB", in Spanish "100,7 MB".

        Below ten three digits, "1.23 MB", since "1.234 MB" could mean thousands; or as `spec` says, and where that
        gives three decimals, one more: "131.0720 kB".
        """
        rounded = abs(float(f"{self.value:.4g}"))  # 0.99999 B is shown as 1 B, not as 1000 mB
        prefix = next((p for p, scale in SCALES.items() if rounded >= scale), "")
        if self.unit not in SCALED:
            prefix = ""
        value = self.value / SCALES[prefix]
        text = format(value, spec or ".4g")
        if abs(value) >= 1 and len(text.partition(".")[2]) == 3:
            text = text + "0" if spec else format(value, ".3g")
        return f"{separated(text, lang)} {prefix}{self.unit}".strip()

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "unit": self.unit}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Quantity:
        """Reads what `to_json` wrote. Raises ValueError for a unit that nobody writes."""
        if data["unit"] not in UNITS:
            raise ValueError("no such unit")
        return cls(float(data["value"]), data["unit"])
