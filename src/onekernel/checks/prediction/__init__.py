"""Kind "prediction": a kernel's traffic, committed to before it is counted. The questions are asked one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel import counts
from onekernel.checks.measures import Counted
from onekernel.checks.options import About, Name, Sizes, keys_of, one_of, wanted
from onekernel.course import ANY, ASKED, Kind


@dataclass(frozen=True)
class Predictable:
    """Something to predict: its unit ("" for a bare number), how it is counted, and whose accesses that takes: those to
    "global" memory, of which the compiler may make fewer than are written."""

    name: str
    unit: str
    count: Callable[[Counted], float]
    space: str | None = None


QUANTITIES = {
    q.name: q
    for q in (
        # Both byte counts are of the same element type, so their ratio is accesses per output.
        Predictable("reads_per_element", "", lambda c: c.total(counts.BYTES_LOADED) / c.ideal.bytes_written, "global"),
        Predictable("writes_per_element", "", lambda c: c.total(counts.BYTES_STORED) / c.ideal.bytes_written, "global"),
        Predictable("bytes_loaded", "B", lambda c: c.total(counts.BYTES_LOADED), "global"),
        Predictable("bytes_stored", "B", lambda c: c.total(counts.BYTES_STORED), "global"),
        Predictable(
            "bytes_requested", "B", lambda c: c.total(counts.BYTES_LOADED) + c.total(counts.BYTES_STORED), "global"
        ),
        Predictable("compulsory_bytes", "B", lambda c: float(c.ideal.bytes)),
        Predictable("intensity", "FLOP/byte", lambda c: c.ideal.intensity),
    )
}


@dataclass(frozen=True)
class Questions:
    """A list of { id, quantity }. The solution's own predictions answer each id."""

    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        if not isinstance(value, list) or not value or not all(isinstance(q, dict) for q in value):
            raise wanted(at, value, "list-of-questions")
        answered = answers(about.root, about.slug)
        for question in value:
            keys_of(at, question, ("id", "quantity"))
            if set(question) != {"id", "quantity"}:
                raise wanted(at, value, "list-of-questions")
            Name(lambda _: QUANTITIES).read(f"{at}.quantity", question["quantity"], about)
            if answered is not None and isinstance(question["id"], str):
                one_of(f"{at}.id", question["id"], answered)  # first: it knows the nearest name
            if not isinstance(question["id"], str) or not question["id"].isidentifier():
                raise wanted(f"{at}.id", question["id"], "name")
        if len({q["id"] for q in value}) < len(value):
            raise wanted(at, value, "list-of-different")


def answers(root: Path, slug: str) -> Mapping[str, str] | None:
    """What solutions/predictions.json answers for the exercise, question by question; None where it has no entry."""
    try:
        data = json.loads((root / "solutions" / "predictions.json").read_text(encoding="utf-8"))
        return dict(data[slug]["answers"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


KIND = Kind(
    __name__,
    {"questions": Questions(), "sizes": Sizes()},
    operators=ANY,
    plans=True,
    counted=True,
    by_code=True,
    needs_right=True,
    predicts=ASKED,
)
