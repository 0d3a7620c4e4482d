"""Kind "memory": how frugal a right kernel is with memory, from counts: one measure, full points to none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from onekernel.checks.measures import measures_for
from onekernel.checks.options import About, Limits, Mistake, Name, Number, Sizes
from onekernel.course import ANY, Kind


def _measures(about: About) -> Iterable[str]:
    return measures_for(about.operator.sizes if about.operator else ())


def _ordered(options: Mapping[str, Any]) -> None:
    """Raises Mistake where full points are not for the lower count: less is better in every measure."""
    if not options["full"] < options["zero"]:
        raise Mistake("full-not-below-zero", options["full"], key="full", full=options["full"], zero=options["zero"])


KIND = Kind(
    __name__,
    {
        "measure": Name(_measures),
        "full": Number(),
        "zero": Number(),
        "sizes": Sizes(),
        "after": Limits(_measures, required=False),
        "long": Sizes(required=False),
    },
    agree=_ordered,
    operators=ANY,
    plans=True,
    counted=True,
    needs_right=True,
)
