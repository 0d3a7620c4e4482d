"""Kind "benchmark": a learner's benchmark of two functions, on simulated GPUs that can lie, and on the real one."""

from onekernel.checks.options import Names
from onekernel.course import Kind

# What makes a figure wrong, each alone in a world of its own; "all": together; "gpu": on the GPU at hand.
EFFECTS = ("asynchrony", "compilation", "warm-up", "noise", "cache", "data", "allocation", "all", "gpu")

KIND = Kind(__name__, {"effects": Names(lambda _: EFFECTS)}, on_gpu=True)
