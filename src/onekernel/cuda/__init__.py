"""Runs a self-contained `.cu` on an NVIDIA GPU: nvcc through torch.utils.cpp_extension, called through its C ABI.

`require()` says whether this machine can, `build(path)` makes a program of a file, `Program.call` runs a launcher on
buffers and reports what went wrong in the learner's words, `Program.function` is the bare launcher for benches.
`ahead.compile_ahead(path, arch)` needs nvcc and no GPU: what nvcc refuses, or cubin, PTX, registers, widths of loads.
torch is imported when one of them is called, never before.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from onekernel.cuda.program import CudaProgram, build
from onekernel.cuda.toolchain import Toolchain, require

__all__ = ["CudaProgram", "Toolchain", "build", "load", "require"]


def load(path: Any, mode: str = "check", arch: str | None = None) -> Any:
    """The launchers of a `.cu` as functions over NumPy arrays and torch tensors, in the simulator.

    programs/load.py has it, which stands floors above this package and is imported when it is called."""
    return import_module("onekernel.programs.load").load(path, mode, arch)
