"""Why a mutant that survives is no wrong kernel: reasons, for a line of a file and what became of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _known() -> Mapping[str, Any]:
    return tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))


def reason(file: str, mutant: Mapping[str, Any]) -> str | None:
    """The reason's name, `bench.mutant-NAME` in the messages; None for a mutant that nobody has explained."""
    for entry in _known().get("mutant", []):
        if entry["file"] in (file, "*") and mutant["before"] == entry["before"] and mutant["after"] in entry["after"]:
            return str(entry["reason"])
    return None
