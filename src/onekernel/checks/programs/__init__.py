"""Kind "programs": what a Triton kernel's programs do: how wide their tiles are, how rows are shared, what is tuned."""

from onekernel.checks.options import Name, Number, SeveralSizes, Sizes
from onekernel.course import ANY, Kind

FEATURES = ("tile", "shared-rows", "configurations")

KIND = Kind(
    __name__,
    {"feature": Name(lambda _: FEATURES), "limit": Number(), "sizes": Sizes(), "also": SeveralSizes(required=False)},
    operators=ANY,
    plans=True,
    counted=True,
    needs_right=True,
)
