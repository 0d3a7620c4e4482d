"""Kind "limits": counts of a right kernel, each held to a multiple of what the course's own answer is counted to do."""

from onekernel.checks.options import Limits, SeveralSizes, Sizes
from onekernel.checks.tallies import TALLIES
from onekernel.course import ANY, Kind

KIND = Kind(
    __name__,
    {"limits": Limits(lambda _: TALLIES), "sizes": Sizes(), "also": SeveralSizes(required=False)},
    operators=ANY,
    plans=True,
    compares=True,
    counted=True,
    by_code=True,
    needs_right=True,
)
