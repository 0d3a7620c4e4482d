"""Numbers with units, as a learner types them: "100.7 MB", "100,7 MB", "0.167 FLOP/byte", "30 us".

A comma and a point are read alike, whatever the language in force, because a file is graded wherever it is handed in:

- with both, the last is the decimal mark and the other groups thousands: 1,234.5 and 1.234,5;
- one that stands several times groups thousands: 1,234,567 and 1.234.567;
- one that stands once is the decimal mark: 33.7 and 33,7; but
- before exactly three digits it could be either, and is refused with both readings: 33,700. It is the decimal mark
  where it cannot group: after a zero or four digits (0.125, 1234.567), and before an exponent (1.234e7); and it groups
  where there are no decimals: in bytes without a prefix, 4,096 B, and wherever a whole number is wanted.

Thousands may also be apart, 4 096, 4_096 and 4'096, and a power is read: 2**12, 2^12. A count takes a prefix: 4 Ki.
"""

from __future__ import annotations

import math
import re

from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.numerals import SCALES, Quantity

LONGEST = 80  # characters; the text may be anybody's, and no number with a unit needs more
_PREFIX = {
    **SCALES, "K": 1e3, "P": 1e15, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40,
    "µ": 1e-6, "μ": 1e-6,
}  # fmt: skip
_UNIT = {
    "FLOP": "FLOP", "FLOPS": "FLOP", "FLOPs": "FLOP",
    "B": "B", "byte": "B", "bytes": "B",
    "s": "s",
    "FLOP/byte": "FLOP/byte", "FLOP/B": "FLOP/byte", "FLOPs/byte": "FLOP/byte", "FLOPS/byte": "FLOP/byte",
    "FLOP/s": "FLOP/s", "FLOPs/s": "FLOP/s", "FLOPS/s": "FLOP/s",
    "B/s": "B/s", "bytes/s": "B/s", "byte/s": "B/s",
}  # fmt: skip
# Each part begins with what the one before cannot hold, so that a text is read once, from left to right.
_NUMBER = re.compile(r"([-+]?)([0-9.,_]+)((?:[eE][-+]?[0-9]+)?)")
_CALCULATION = re.compile(r"[-+*/x ]+[0-9]")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
_APART = re.compile(r"([-+]?[1-9][0-9]{0,2})((?:[ '\u00a0\u2009\u202f][0-9]{3})+)(?![0-9])")
_POWER = re.compile(r"([0-9]{1,3})\s*(?:\*\*|\^)\s*([0-9]{1,2})(?![0-9.,_^*])")
_OF_COUNTS = {name: scale for name, scale in _PREFIX.items() if scale >= 1e3}  # 4 Ki, 16 M
_MARKS = {",": "comma", ".": "point"}
_BYTES = ("B", "byte", "bytes")


def parse(text: str, *, whole: bool = False) -> Quantity:
    """Reads a number and its unit. `whole`: it has no decimals. Raises UserError, which says what could be written
    instead."""
    if len(text) > LONGEST:
        raise UserError(Message.of("units.too-long", most=LONGEST))
    text = text.strip()
    plain = _APART.sub(lambda m: m[1] + "_" + re.sub("[^0-9]", "_", m[2][1:]), text, count=1)
    plain = plain if _APART.match(text) else text
    if power := _POWER.match(plain):
        plain = str(int(power[1]) ** int(power[2])) + plain[power.end() :]
    match = _NUMBER.match(plain)
    unit = plain[match.end() :].strip() if match else ""
    mantissa = _mantissa(match[2], text, bool(match[3]), whole or unit in _BYTES) if match else None
    if not match or mantissa is None:
        raise UserError(Message.of("units.no-number", text=repr(text)))
    value = float(match[1] + mantissa + match[3])
    scale, base = _scaled(unit)
    if not math.isfinite(value * scale):
        raise UserError(Message.of("units.no-number", text=repr(text)))
    return Quantity(value * scale, base)


def understood(text: str) -> Quantity | str:
    """What a text is read as; as it was typed where it cannot be read."""
    try:
        return parse(text)
    except UserError:
        return text


def _mantissa(digits: str, text: str, has_exponent: bool, whole: bool) -> str | None:
    """The digits with a point as the decimal mark and nothing else; None for what is no number. Raises UserError."""
    digits = digits.replace("_", "")
    marks = [c for c in digits if c in ".,"]
    if len(marks) == len(digits):
        return None
    if not marks:
        return digits
    last = marks[-1]
    if len(marks) == 1:
        before, _, decimals = digits.partition(last)
        if len(decimals) == 3 and _GROUPED.fullmatch(digits) and not has_exponent:
            if whole:
                return before + decimals
            raise _ambiguous(before, last, decimals, text)
        return f"{before}.{decimals}"
    if len(set(marks)) == 1:  # thousands alone
        return digits.replace(last, "") if _GROUPED.fullmatch(digits) else None
    before, _, decimals = digits.rpartition(last)
    if last in before or not _GROUPED.fullmatch(before):
        return None
    return f"{before.replace(marks[0], '')}.{decimals}"


def _ambiguous(whole: str, mark: str, decimals: str, text: str) -> UserError:
    """Both readings, each in a way that is read as nothing else: 33,7 and 33700; 4,1940 and 4194."""
    digits, short = whole + mark + decimals, decimals.rstrip("0")
    decimal = whole + (mark + short + "0" * (len(short) == 3) if short else "")
    either = {"decimal": text.replace(digits, decimal), "thousands": text.replace(digits, whole + decimals)}
    named = Message(f"units.{_MARKS[mark]}")
    return UserError(Message("units.ambiguous", {"text": repr(text), "mark": named, **either}))


def _scaled(unit: str) -> tuple[float, str]:
    """What a unit multiplies by, and its base unit. Raises UserError for one that is not known."""
    if not unit:
        return 1.0, ""
    if unit in _OF_COUNTS:
        return _OF_COUNTS[unit], ""
    for length in (0, 1, 2):
        prefix, rest = unit[:length], unit[length:]
        if prefix in _PREFIX and rest in _UNIT:
            return _PREFIX[prefix], _UNIT[rest]
    if _CALCULATION.match(unit):
        raise UserError(Message.of("units.calculation", unit=repr(unit)))
    known = ", ".join(dict.fromkeys(_UNIT.values()))
    raise UserError(Message.of("units.unknown-unit", unit=repr(unit), known=known))
