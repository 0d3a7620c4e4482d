"""Kind "port": the learner's MiniGPT in torch beside NumPy's, one part of it per check."""

from onekernel.checks.options import Name
from onekernel.course import Kind

PARTS = ("native", "identical", "kernel")  # minigpt/port_request.py says what each is asked

KIND = Kind(__name__, {"part": Name(lambda _: PARTS)}, on_gpu=True)
