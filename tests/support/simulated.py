"""A few lines of CUDA, built and run by the simulator: `run(x, y, n, stream)` reads x and writes y."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from onekernel import simulator
from onekernel.backends.base import Buffer, CallReport


def buffer(name: str, array: np.ndarray, writable: bool) -> Buffer:
    memory = np.full(array.nbytes + 512, 0xFF, np.uint8)
    memory[256 : 256 + array.nbytes] = np.ascontiguousarray(array).view(np.uint8).ravel()
    return Buffer(name, memory, 256, array.nbytes, writable, array.itemsize)


def run(
    folder: Path, source: str, x: np.ndarray, y: np.ndarray, mode: str = "check", compiler: str | None = None
) -> tuple[np.ndarray, CallReport]:
    """Builds `source` and calls its `run`; y's contents afterwards, and the report."""
    path = folder / f"kernel_{hashlib.sha256(source.encode()).hexdigest()[:8]}.cu"
    path.write_text(source, encoding="utf-8")
    program = simulator.build(path, mode, with_compiler=compiler)
    out = buffer("y", y, True)
    report = program.call("run", [buffer("x", x, False), out, x.size])
    return np.frombuffer(out.memory[256 : 256 + y.nbytes].tobytes(), y.dtype).reshape(y.shape), report


def clean(
    folder: Path, source: str, x: np.ndarray, y: np.ndarray, mode: str = "check", compiler: str | None = None
) -> np.ndarray:
    """As `run`, for a kernel that must succeed in silence."""
    out, report = run(folder, source, x, y, mode, compiler)
    assert [str(f) for f in report.findings] == []
    assert report.status_name == "cudaSuccess"
    return out
