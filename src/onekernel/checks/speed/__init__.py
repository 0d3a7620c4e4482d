"""Kind "speed": a right kernel's time beside F.softmax and a copy, on a GPU."""

from onekernel.course import Kind

KIND = Kind(__name__, {}, operators=("softmax",), needs_right=True)
