"""Kind "forecast": what a recorded trace will show, committed to before it is explained; it stands in the file."""

from __future__ import annotations

from collections.abc import Iterable

from onekernel.checks.options import About, Names
from onekernel.course import IN_FILE, Kind


def _recorded(about: About) -> Iterable[str]:
    from onekernel.checks.answers.right import FORECASTS

    names: Iterable[str] = FORECASTS
    return names


KIND = Kind(__name__, {"names": Names(_recorded)}, runs_code=False, predicts=IN_FILE)
