"""What was found in each program, a line of JSON each, written as programs end: for reading, and for going on later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

Outcome = Mapping[str, Any]


class Details:
    """The outcomes in `path`, to which others are added. Without a path, none are kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = Lock()
        self.kept: dict[tuple[str, str], Outcome] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path and path.is_file() else ():
            try:
                outcome = json.loads(line)
            except ValueError:  # the line at which an earlier run was cut off
                continue
            self.kept[outcome["repository"], outcome["program"]] = outcome

    def add(self, outcome: Outcome) -> None:
        if self._path is None:
            return
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write("\n" * _cut_off(self._path) + json.dumps(outcome) + "\n")


def _cut_off(path: Path) -> bool:
    data = path.read_bytes()
    return bool(data) and not data.endswith(b"\n")
