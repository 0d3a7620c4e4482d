"""OneKernel: a course on GPU kernels, graded with or without a GPU."""

__version__ = "0.1.0"
