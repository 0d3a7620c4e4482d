"""Kind "log": rounds of predict, change, measure, explain in a tuning log, which is read and never run.

`kernel` names the exercise of the same lab whose kernel is tuned; `onekernel log` writes what it is counted to do at
`sizes`, one line for each of `figures`: a measure, or "requests", what a row costs in load instructions.
"""

from __future__ import annotations

from collections.abc import Iterable

from onekernel.checks.measures import measures_for
from onekernel.checks.options import About, Name, Names, Sizes
from onekernel.course import Kind

REQUESTS = "requests"


def _figures(about: About) -> Iterable[str]:
    sizes = about.operator.sizes if about.operator else ()
    return [*measures_for(sizes), *([REQUESTS] if "rows" in sizes else [])]


KIND = Kind(
    __name__,
    {"kernel": Name(lambda about: about.neighbours), "sizes": Sizes(), "figures": Names(_figures)},
    runs_code=False,
    of="kernel",
)
