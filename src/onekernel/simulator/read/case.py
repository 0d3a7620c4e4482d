"""A raw finding on its way to a sentence, and the launch that it belongs to."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onekernel.messages import Message
from onekernel.simulator.read.around import line_of
from onekernel.simulator.read.records import Record

Place = tuple[str | None, int | None]  # file and line
WARP = 32


@dataclass(frozen=True)
class Launch:
    """Of a call's report; empty for what belongs to none."""

    facts: Mapping[str, Any]

    @property
    def grid(self) -> list[int]:
        return list(self.facts.get("grid", [0, 0, 0]))

    @property
    def block(self) -> list[int]:
        return list(self.facts.get("block", [0, 0, 0]))

    @property
    def blocks(self) -> int:
        """0 for none."""
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """Of a block; 0 for none."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Of a block; 0 for none."""
        return -(-self.threads // WARP)

    @property
    def is_plane(self) -> bool:
        """Whether it has more than one dimension."""
        return any(size > 1 for size in (*self.grid[1:], *self.block[1:]))


@dataclass
class Case:
    """What is known of a finding. The rules of forms.py choose the form of its sentence, and add to its values."""

    record: Record
    form: str
    values: dict[str, Any]
    here: Place
    there: Place  # the other line that it names
    launch: Launch
    page: str | None = None  # where the line is about something that another page teaches than the record's

    @property
    def file(self) -> str | None:
        return self.here[0]

    @property
    def line(self) -> int | None:
        return self.here[1]

    @property
    def other(self) -> int | None:
        return self.there[1]

    @property
    def in_one_file(self) -> bool:
        return self.there[0] in (None, self.file)

    @property
    def text(self) -> str:
        """The finding's line."""
        return line_of(*self.here)

    @property
    def variable(self) -> str:
        return str(self.values["variable"])

    @property
    def is_of_first_thread(self) -> bool:
        """Whether it is of thread 0 of block 0: no edge of a grid keeps that one from its work."""
        return not re.search(r"[1-9]", f"{self.values.get('block', 1)} {self.values.get('thread', 1)}")

    def number(self, name: str, default: int = 0) -> int:
        return int(str(self.values.get(name, default)))

    def says(self, form: str, values: Mapping[str, Any] | None = None) -> Message:
        """A sentence of the finding's record, for one of its values."""
        return self.record.says(form, values or {})
