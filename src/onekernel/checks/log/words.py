"""What a tuning log's sentences name: quantities with units, counters, lines and code. English and Spanish alike.

Each function reads a text once, word by word, whatever it holds: a log is a stranger's file of up to a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

NEAR = 8  # words between a number and its unit: "los bytes por multiplicación con suma bajan de 8"

# Counters and parts of the machine: what a reason names. Beginnings of words, so that plurals count.
_COUNTERS = (
    "sector", "request", "petici", "barrier", "barrera", "bank", "banco", "conflict", "wavefront", "byte", "pass",
    "pasada", "load", "lectura", "store", "escritura", "instruction", "instrucci", "register", "registro", "spill",
    "volcad", "occupan", "ocupaci", "latenc", "bandwidth", "cache", "caché", "dram", "l1", "l2", "shared", "compartida",
    "warp", "stall", "espera", "exponential", "exponencial", "transaction", "transacci", "coalesc", "alineaci", "align",
    "vector", "shuffle", "cycle", "ciclo", "issue", "ranura", "flop", "smem", "cluster", "multipro",
)  # fmt: skip
# Units of what is predicted: those counters, and what is written behind a number.
_UNITS = (
    *_COUNTERS, "percent", "por-ciento", "point", "punto", "time", "vez", "veces", "second", "segundo", "thread",
    "hilo", "block", "bloque", "element", "elemento", "launch", "lanzamiento",
)  # fmt: skip
_SIGNS = frozenset(
    ("%", "x", "×", "ns", "us", "µs", "ms", "s", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "gb/s", "tb/s")
)
_WORD = re.compile(r"[^\s,;:()*\"“”«»]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_JOINED = re.compile(r"\d[\d.,]*(?P<unit>%|x|×|[kmgt]?i?b(?:/s)?|[nuµm]?s)")
_LINE = re.compile(r"\b(?:lines?|líneas?)\s{1,3}\d", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]{2,200}`|\b[A-Za-z_]\w{0,60}(?:_\w{1,60}|\(|\[)|\b[a-z]{1,40}[A-Z]\w{0,40}")


def _words(text: str) -> Iterator[str]:
    return (match[0].strip(".").lower() for match in _WORD.finditer(text))


def has_quantity(text: str) -> bool:
    """Whether the text has a number with a unit: "2 barriers per row", "10 % faster", "peticiones: de 32 a 8"."""
    number = unit = -NEAR - 1
    for place, word in enumerate(_words(text.replace("por ciento", "por-ciento"))):
        joined = _JOINED.fullmatch(word)
        if joined:
            return True
        if _NUMBER.fullmatch(word):
            number = place
        elif word in _SIGNS or word.startswith(_UNITS):
            unit = place
        else:
            continue
        if abs(number - unit) <= NEAR:
            return True
    return False


def names_counter(text: str) -> bool:
    """Whether the text names something that is counted, or a part of the machine."""
    return any(word.strip("`").startswith(_COUNTERS) for word in _words(text))


def names_code(text: str) -> bool:
    """Whether the text names a line, or a piece of code: `float4`, block_sum, kThreads, __syncthreads()."""
    return bool(_LINE.search(text) or _CODE.search(text))


def different_words(text: str) -> int:
    """How many different words of two letters and more the text has."""
    return len({word for word in _words(text) if len(word) > 1 and any(c.isalpha() for c in word)})
