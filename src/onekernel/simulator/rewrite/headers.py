"""What helps where a header is included that CUDA, or what is used beside it, has and the simulator has not."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from onekernel.simulator.paths import SIMULATOR

_OF_PROGRAMS = re.compile(r"cublas\w*\.h|curand\.h|thrust/.*|cub/device/.*")
_INCLUDE = re.compile(r'#\s*include\s*(?:<([^>\n]+)>|"([^"\n]+)")')


def included(directive: str) -> str | None:
    """The header that a directive includes, as it is written there; None where it includes none."""
    match = _INCLUDE.match(directive)
    return (match[1] or match[2]).strip() if match else None


def for_programs(name: str | None) -> bool:
    """Whether the header `name` brings a library of the host: it is for whole programs, not for a file of launchers."""
    return name is not None and _OF_PROGRAMS.fullmatch(name) is not None


def advice(name: str) -> tuple[str, str] | None:
    """The message of simulator.toml that says what to do without the header `name`, and the library that it belongs
    to, if that is named. None for a header that is not known."""
    name = name.removeprefix("cccl/")
    return next(((key, what) for pattern, key, what in _table() if pattern.fullmatch(name)), None)


@cache
def _table() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    text = (SIMULATOR / "toolkit_headers.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["header"]
    return tuple((re.compile(row["names"]), f"header-{row['advice']}", row.get("what", "")) for row in rows)
