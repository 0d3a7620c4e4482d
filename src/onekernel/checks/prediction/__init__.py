"""Kind "prediction": a kernel's traffic, committed to before it is counted. The questions are asked one by one."""

from onekernel.checks.options import Sizes
from onekernel.checks.prediction.questions import Questions
from onekernel.course import ANY, ASKED, Kind

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
