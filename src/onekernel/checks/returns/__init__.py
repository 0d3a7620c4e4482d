"""Kind "returns": small Python functions on torch tensors, whose results are to be those of the course's own answer."""

from onekernel.course import Kind

KIND = Kind(__name__, {})
