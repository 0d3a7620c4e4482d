"""Habits of Python, of Java and of the blackboard that C++ does not read, seen in a line that does not compile.

A compiler stumbles behind them: of `(n + 255) // 256` it sees a bracket that does not close.
"""

from __future__ import annotations

import re

from onekernel.simulator.compilation.complaint import Complaint, Told

_TYPES = r"(?:int|float|double|bool|str|unsigned|int64_t|size_t)"
_HABITS = (
    ("python-colon", r"^(?P<before>(?:\}?\s*else\s+)?(?:if|while)\b[^?;]*?|else\s*)\s*:(?!:)"),
    ("python-elif", r"^\}?\s*elif\b"),
    ("python-for", r"^for\s*\(?\s*(?P<name>\w+)\s+in\b"),
    ("python-def", r"^def\s+(?P<name>\w+)"),
    ("python-pass", r"^pass\s*;?$"),
    ("python-annotation", rf"^(?P<name>\w+)\s*:\s*(?P<type>{_TYPES})\b"),
    ("python-choice", r"=\s*(?P<one>[^;=?]+?)\s+if\s+(?P<test>[^;]+?)\s+else\s+(?P<other>[^;]+)"),
    ("python-word", r"\b(?P<word>True|False|None)\b"),
    ("python-print", r"(?<![\w.])print\s*\("),
    ("power", r"(?P<base>\w+|\))\s*(?P<sign>\*\*)\s*[\w(]"),
    ("power", r"(?P<base>\w+|\))\s*(?P<sign>\^)\s*[\w(]"),
    ("decimal-comma", r"(?<![\w.\[])(?P<whole>\d+),(?P<part>\d+)f?(?=\s*[*/+;)-])"),
    ("array-brackets", rf"^(?:__shared__\s+)?(?P<type>{_TYPES})\s*\[\s*(?P<size>\w+)\s*\]\s*(?P<name>\w+)"),
)
# A division by `//`, which begins a comment: what stands before it ends nothing.
_QUOTIENT = re.compile(r"^.*[=(].*[\w)]\s*//\s*[\w(][\w.()]*(?:\s*[-+*/]\s*[\w.()]+)*\s*\)*;$")


def habit(c: Complaint) -> Told | None:
    """What C++ does not read on the line of a complaint, or at the end of the one before, where nothing ends that."""
    for n in filter(None, (c.line, c.unended())):
        if n <= len(c.lines) and _QUOTIENT.match(c.lines[n - 1].strip()):
            return "python-quotient", {}, n
        for key, pattern in _HABITS:
            match = re.search(pattern, c.at(n))
            if match and _meant(key, c.what, match):
                return key, {name: value for name, value in match.groupdict().items() if value is not None}, n
    return None


def _meant(key: str, complaint: str, match: re.Match[str]) -> bool:
    """Whether the complaint is about this: the same signs may be right elsewhere in a line that is wrong."""
    said = {
        "python-word": rf"'{match.groupdict().get('word')}'",
        "python-print": r"'print'",
        "python-pass": r"'pass'",
        "power": r"unary '\*'|binary 'operator\^'",
        "decimal-comma": r"numeric literal|numeric constant|suffix",
    }.get(key)
    return said is None or re.search(said, complaint) is not None
