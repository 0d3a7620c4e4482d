"""The simulator's cost: seconds of a call by mode, the result checked, and from an edit to a verdict.

Times are of the whole call, copies in and out included: the best of seven after one that warms up, because what else
the machine does only adds to a time. Modes fast and bounds run on all cores, check and count on one.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from audits.records import processor_seconds
from onekernel import simulator
from onekernel.backends.base import Buffer, CallReport
from onekernel.backends.call_arguments import buffers, of_file
from onekernel.errors import UserError
from onekernel.messages import Message

N = 1 << 20
ROWS = COLS = 1024


def buffer(name: str, array: np.ndarray, writable: bool) -> Buffer:
    memory = np.full(array.nbytes + 512, 0xFF, np.uint8)
    memory[256 : 256 + array.nbytes] = array.reshape(-1).view(np.uint8)
    return Buffer(name, memory, 256, array.nbytes, writable, array.itemsize)


def content(buf: Buffer) -> np.ndarray:
    return np.frombuffer(buf.memory[buf.offset : buf.offset + buf.extent].tobytes(), np.float32)


def best(call: Callable[[], float], repeats: int = 7) -> dict[str, float]:
    """The best wall clock, the best processor time of all threads: what else the machine does only adds to a time."""

    def both() -> tuple[float, float]:
        before = processor_seconds()
        return call(), processor_seconds() - before

    both()
    wall, cpu = zip(*(both() for _ in range(repeats)), strict=True)
    return {"seconds": min(wall), "cpu_seconds": min(cpu)}


def least(
    path: Path, shape: tuple[int, ...], programs: Mapping[str, Any], is_right: Callable[[str, CallReport], bool],
    repeats: int,
) -> dict[str, float]:
    """The least processor time of each of a kernel's programs, called in turn. Raises UserError where one finds fault,
    or where its report is not what it `is_right` to be."""
    function, arguments = of_file(path, shape, "float32")
    found = dict.fromkeys(programs, float("inf"))
    for _ in range(repeats):
        for way, program in programs.items():
            given = buffers(arguments)
            before = processor_seconds()
            report = program.call(function, given)
            seconds = processor_seconds() - before
            if report.status or report.findings or not is_right(way, report):
                said = "; ".join(map(str, report.findings)) or report.status_name
                raise UserError(Message.of("bench.simulator-wrong", name=path.stem, mode=way, said=said))
            found[way] = min(found[way], seconds)
    return found


def vector_add(root: Path, mode: str) -> dict[str, float]:
    """Seconds of one million-element vector add; the result is checked."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, N)).astype(np.float32)
    program = simulator.build(root / "solutions" / "vector_add.cu", mode)

    def once() -> float:
        out = buffer("out", np.zeros(N, np.float32), True)
        report = program.call("vector_add", [buffer("a", a, False), buffer("b", b, False), out, N])
        if report.status or report.findings or not np.array_equal(content(out), a + b):
            raise _wrong("vector_add", mode, report)
        return report.seconds

    return best(once)


def softmax(root: Path, mode: str, rows: int = ROWS, repeats: int = 7) -> dict[str, float]:
    """Seconds of softmax_block on rows x 1024 float32; the result is checked."""
    x = np.random.default_rng(0).standard_normal((rows, COLS)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted = e / e.sum(1, keepdims=True)
    program = simulator.build(root / "solutions" / "softmax_block.cu", mode)

    def once() -> float:
        y = buffer("y", np.zeros_like(x), True)
        report = program.call("softmax_block", [buffer("x", x, False), y, rows, COLS, COLS, COLS])
        if report.status or report.findings or not np.allclose(content(y).reshape(x.shape), wanted, rtol=1e-5, atol=0):
            raise _wrong("softmax_block", mode, report)
        return report.seconds

    return best(once, repeats)


def edit_to_verdict(root: Path) -> float:
    """Seconds from a changed file to its report, compilation included: the median of three edits of vector_add."""
    text = (root / "solutions" / "vector_add.cu").read_text(encoding="utf-8")
    a = np.ones(1000, np.float32)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vector_add.cu"
        for i in range(4):
            path.write_text(f"{text}\n// edit {i} {time.time_ns()}\n", encoding="utf-8")
            start = time.perf_counter()
            out = buffer("out", np.zeros(1000, np.float32), True)
            simulator.build(path).call("vector_add", [buffer("a", a, False), buffer("b", a, False), out, 1000])
            times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def _wrong(name: str, mode: str, report: CallReport) -> UserError:
    said = "; ".join(str(finding) for finding in report.findings) or report.status_name
    return UserError(Message.of("bench.simulator-wrong", name=name, mode=mode, said=said))
