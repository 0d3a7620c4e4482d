"""The CUDA C simulator: runs unmodified `.cu` files on the CPU with g++ or clang++ alone, and says what is wrong."""

from onekernel.simulator.program import Simulated, build

__all__ = ["Simulated", "build"]
