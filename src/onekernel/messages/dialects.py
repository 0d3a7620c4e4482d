"""Sentences about arithmetic name CUDA C's functions; for a file in another language they name that one's."""

from __future__ import annotations

import re

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
