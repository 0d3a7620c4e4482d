"""Kind "correct": the kernel's answers on the operator's cases, group by group."""

from onekernel.checks.options import Names, dtypes, groups
from onekernel.course import ANY, Kind

KIND = Kind(
    __name__,
    {"groups": Names(groups), "dtypes": Names(dtypes, required=False)},
    operators=ANY,
    plans=True,
    shows_right=True,
)
