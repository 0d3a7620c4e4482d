"""What a tuning log's sentences name: quantities with units, counters, lines and code. English and Spanish alike.

Each function reads a text once, word by word, whatever it holds: a log is a stranger's file of up to a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

NEAR = 8  # words from a unit to its number: "los bytes por multiplicación con suma bajan de 8"
SOON = 3  # and from a number to its unit: "4 more load instructions"
SENTENCE = 3  # different words of _SMALL that a sentence has at the least, whatever it is about
ALIKE = 0.9  # of the words of two texts, from which they are one

# Counters and parts of the machine: what a reason names. Beginnings of words, so that plurals count.
_COUNTERS = (
    "sector", "request", "petici", "barrier", "barrera", "bank", "banco", "conflict", "wavefront", "byte", "pass",
    "pasada", "load", "lectura", "store", "escritura", "instruction", "instrucci", "register", "registro", "spill",
    "volcad", "occupan", "ocupaci", "latenc", "bandwidth", "cache", "caché", "dram", "l1", "l2", "shared", "compartida",
    "warp", "stall", "espera", "exponential", "exponencial", "transaction", "transacci", "coalesc", "alineaci", "align",
    "vector", "shuffle", "cycle", "ciclo", "issue", "ranura", "flop", "smem", "cluster", "multipro",
)  # fmt: skip
# What is changed in a kernel, besides those.
_PARTS = (
    "thread", "hilo", "block", "bloque", "loop", "bucle", "float", "half", "double", "unroll", "desenroll", "tile",
    "tesela", "padd", "relleno", "array", "template", "plantilla", "compartido", "maximum", "máximo", "sum", "row",
    "fila", "column",
)  # fmt: skip
# Units of what is predicted: those counters, and what is written behind a number.
_UNITS = (
    *_COUNTERS, "percent", "por-ciento", "point", "punto", "time", "vez", "veces", "second", "segundo", "thread",
    "hilo", "block", "bloque", "element", "elemento", "launch", "lanzamiento",
)  # fmt: skip
_SIGNS = frozenset(
    ("%", "x", "×", "ns", "us", "µs", "ms", "s", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "gb/s", "tb/s")
)
_COUNTED = frozenset(  # numbers in words
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "half", "twice", "un", "una", "dos",
     "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "mitad", "doble", "triple")
)  # fmt: skip
_FACTORS = frozenset(("twice", "doble", "triple", "mitad"))  # of what there was before
# What a number counts that comes behind one of these: no quantity.
_NUMBERED = frozenset(
    ("round", "ronda", "step", "paso", "version", "versión", "cuda", "rtx", "gtx", "lab", "laboratorio", "chapter",
     "capítulo", "page", "página", "line", "lines", "línea", "líneas", "exercise", "ejercicio", "item", "punto")
)  # fmt: skip
_SMALL = frozenset(
    ("the", "a", "an", "of", "to", "in", "on", "is", "are", "was", "were", "be", "it", "its", "this", "that", "than",
     "then", "so", "as", "by", "for", "from", "with", "and", "or", "but", "not", "no", "because", "since", "now",
     "each", "per", "only", "there", "i", "we", "had", "has", "have", "did", "does", "which", "more", "less",
     "el", "la", "los", "las", "del", "al", "en", "de", "es", "son", "era", "fue", "que", "se", "lo", "su", "un", "una",
     "para", "por", "con", "sin", "y", "o", "pero", "ni", "porque", "como", "ya", "cada", "solo", "hay", "más", "menos",
     "así", "me", "nos", "ha", "han", "había")
)  # fmt: skip
_LIST_MARK = re.compile(r"^[ \t]{0,8}(?:[-*] )?\d{1,2}[.:)]\s", re.MULTILINE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NOT_TOLD = re.compile(  # code that is pasted, pictures, addresses, tags
    r"^```[^`]*^```|!\[[^\]\n]{0,300}\]\([^)\n]{0,300}\)|\bhttps?://\S{1,300}|</?[a-z]{1,12}(?:\s[^<>\n]{0,300})?>",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\s,;:()*\"“”«»]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_JOINED = re.compile(r"\d[\d.,]*(?P<unit>%|x|×|[kmgt]?i?b(?:/s)?|[nuµm]?s)")
_LINE = re.compile(r"\b(?:lines?|líneas?)\s{1,3}(?P<number>\d{1,9})", re.IGNORECASE)
_CODE = re.compile(
    r"`[^`\n]{2,200}`|\b(?:float|half|double|int)[248]\b|\b[A-Za-z_]\w{0,60}(?:_\w{1,60}|\(|\[)|"
    r"\b[a-z]{1,40}[A-Z]\w{0,40}"
)


def _words(text: str) -> Iterator[str]:
    return (match[0].strip(".").lower() for match in _WORD.finditer(text))


def has_quantity(text: str) -> bool:
    """Whether the text has a number with a unit: "2 barriers per row", "10 % faster", "peticiones: de 32 a 8", "la
    mitad de lecturas". What only numbers something, a step, a version, a year, is none."""
    number = unit = -NEAR - 1
    before = ""
    for place, word in enumerate(_words(_LIST_MARK.sub(" ", text).replace("por ciento", "por-ciento"))):
        last, before = before, word
        if word in _FACTORS or (_JOINED.fullmatch(word) and last not in _NUMBERED):
            return True
        if word in _COUNTED or (_NUMBER.fullmatch(word) and not _numbers(word, last)):
            number = place
            if number - unit <= NEAR and word not in _COUNTED:
                return True
        elif word in _SIGNS and place - number == 1:
            return True
        elif word.startswith(_UNITS) or "%" in word:
            unit = place
            if unit - number <= SOON:
                return True
    return False


def _numbers(word: str, last: str) -> bool:
    """Whether a number stands for a thing, by the word before it, or for a day."""
    return last in _NUMBERED or word.count(".") > 1 or bool(last in ("in", "en", "of", "de") and _YEAR.fullmatch(word))


def names_counter(text: str) -> bool:
    """Whether the text names something that is counted, or a part of the machine."""
    return any(word.strip("`").startswith(_COUNTERS) for word in _words(text))


def names_part(text: str) -> bool:
    """Whether the text names a part of a kernel."""
    return any(word.strip("`").startswith(_PARTS) for word in _words(text))


def names_code(text: str, most_lines: int) -> bool:
    """Whether the text names a line, one of `most_lines` that a file may have had, or a piece of code: `float4`,
    block_sum, kThreads, __syncthreads()."""
    return bool(_CODE.search(text)) or any(0 < int(m["number"]) <= most_lines for m in _LINE.finditer(text))


def told(text: str) -> str:
    """What somebody tells in their own words: without code that is pasted, pictures, addresses and tags."""
    return _NOT_TOLD.sub(" ", text)


def is_sentence(text: str) -> bool:
    """Whether the text has the small words of sentences, English or Spanish, and not only names."""
    return len(_SMALL & set(_words(text))) >= SENTENCE


def alike(one: str, other: str) -> bool:
    """Whether two texts are one, but for their numbers and a word or two."""
    a, b = ({w for w in _words(text) if not any(c.isdigit() for c in w)} for text in (one, other))
    return len(a & b) >= ALIKE * max(len(a | b), 1)


def different_words(text: str) -> int:
    """How many different words of two letters and more the text has."""
    return len({word for word in _words(text) if len(word) > 1 and any(c.isalpha() for c in word)})
