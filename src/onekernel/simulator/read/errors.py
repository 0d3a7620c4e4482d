"""Names and texts of cudaError_t values, read from the header that gives them to the simulated programs."""

from __future__ import annotations

import re
from functools import cache

from onekernel.simulator.paths import INCLUDE

# What explains an error of a call, by the call's name and the error's: the last part of a sentence of [unasked-error].
_HINTS = (
    (r"cudaEvent(?:Record|Synchronize|ElapsedTime|Query)", "cudaErrorInvalidResourceHandle", "event"),
    (r"cudaMalloc\w*", "cudaErrorInvalidValue", "address"),
    (r".*", r"cudaErrorStreamCapture\w+", "capture"),
)


def error_hint(call: str, error: str) -> str:
    """The name of the hint to a call's error, or ""."""
    return next((hint for c, e, hint in _HINTS if re.fullmatch(c, call) and re.fullmatch(e, error)), "")


@cache
def _errors() -> dict[int, tuple[str, str]]:
    text = (INCLUDE / "ok" / "errors.h").read_text(encoding="utf-8")
    found = re.findall(r'\bX\((\w+), (\d+), +"([^"]*)"', text)
    return {0: ("cudaSuccess", "no error"), **{int(value): (f"cudaError{name}", said) for name, value, said in found}}


def error_name(status: int) -> str:
    """The enumerator's name, or the number for one that is no cudaError_t the simulator knows."""
    return _errors().get(status, (f"cudaError_t({status})", ""))[0]


def error_text(status: int) -> str:
    """As error_name, with what cudaGetErrorString says: "cudaErrorInvalidValue (invalid argument)"."""
    said = _errors().get(status, ("", ""))[1]
    return f"{error_name(status)} ({said})" if said else error_name(status)
