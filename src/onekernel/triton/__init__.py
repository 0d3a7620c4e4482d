"""Triton files as programs: compiled on a GPU, interpreted, watched and counted without one, and read ahead of time.

    build(path)                -> Program
    inspect.compile_source()   -> TTGIR, PTX, SASS, registers, occupancy for any architecture, with no GPU

Inside this package `import triton` is the real Triton: absolute imports only.
"""

from onekernel.triton.program import TritonProgram, build

__all__ = ["TritonProgram", "build"]
