"""The CUDA C simulator: runs unmodified `.cu` files on the CPU with g++ or clang++ alone, and says what is wrong.

What builds and runs them is imported when it is asked for: every command reads the course, which names the cards alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onekernel.simulator.program import Simulated, build

__all__ = ["Simulated", "build"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("onekernel.simulator.program"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
