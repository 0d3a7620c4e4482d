"""Names of cudaError_t values, read from the header that gives them to the simulated programs."""

from __future__ import annotations

import re
from functools import cache

from onekernel.simulator.paths import INCLUDE


@cache
def _names() -> dict[int, str]:
    text = (INCLUDE / "ok" / "errors.h").read_text(encoding="utf-8")
    errors = {int(value): f"cudaError{name}" for name, value in re.findall(r"\bX\((\w+), (\d+),", text)}
    return {0: "cudaSuccess", **errors}


def error_name(status: int) -> str:
    """The enumerator's name, or the number for one that is no cudaError_t the simulator knows."""
    return _names().get(status, f"cudaError_t({status})")
