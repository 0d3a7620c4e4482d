"""Python exercises: a module is imported in the untrusted process and answers with arrays, a file a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.backends.base import Buffer, Finding, Program
from onekernel.grading import job
from onekernel.grading.job import Forged, Request
from onekernel.grading.wire import MOST_BYTES, WireError, pack, unpack
from onekernel.messages import Message


@dataclass
class TaskRun:
    """What came of a Python exercise: the arrays of each request, or why there are none."""

    answers: list[dict[str, np.ndarray]] = field(default_factory=list)
    build: tuple[Finding, ...] = ()  # of the kernel that it was to use
    unavailable: Message | None = None
    ended: Message | None = None


def work(request: Request, out: Path, kernel: Program | None) -> None:
    """The untrusted half: does `request.options["task"]` ("port", "probe") for each of its requests."""
    for number, asked in enumerate(request.options["requests"]):
        if request.options["task"] == "probe":
            from onekernel.minigpt.storage_run import run_probe

            arrays = run_probe(request.source, **asked)
        else:
            from onekernel.minigpt.port_run import run_port

            softmax = _softmax_of(kernel, request.options["function"]) if kernel else None
            arrays = run_port(request.source, asked, softmax)
        (out / f"{number}.arrays").write_bytes(pack(arrays))


def read(out: Path, count: int) -> list[dict[str, np.ndarray]]:
    """The trusted half. Raises Forged for an answer that is none, FileNotFoundError where there is none."""
    try:
        return [unpack(job.read_bytes(out / f"{n}.arrays", at_most=MOST_BYTES)) for n in range(count)]
    except WireError as error:
        raise Forged(str(error)) from None


def _softmax_of(program: Program, function: str) -> Any:
    """The learner's softmax launcher as a function of a contiguous float32 torch tensor (rows, columns)."""
    import torch

    def softmax(x: Any) -> Any:
        rows, columns = x.shape
        given = x.detach().cpu().contiguous().numpy()
        source = Buffer("x", given.view(np.uint8).ravel().copy(), 0, given.nbytes, False, 4)
        target = Buffer("y", np.zeros(given.nbytes, np.uint8), 0, given.nbytes, True, 4)
        report = program.call(function, [source, target, rows, columns, columns, columns])
        if report.status:
            raise RuntimeError(f"{function} returned {report.status_name}")
        return torch.from_numpy(target.memory.view(np.float32).reshape(rows, columns)).to(x.device)

    return softmax
