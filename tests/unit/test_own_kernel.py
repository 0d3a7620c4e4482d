"""A kernel that a Python exercise uses runs in a process apart, and what comes of it is met here as if it were here."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from onekernel.backends.base import BuildError, Finding, Unavailable
from onekernel.messages import Message
from onekernel.sandbox.own_kernel import Apart

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def built(status: int = 0, last: Callable[[], object] = lambda: None) -> Callable[[], Any]:
    """What makes a kernel that adds the process's number to each element."""

    def call(function: str, args: list[Any]) -> SimpleNamespace:
        last()
        x, y, rows, columns, *strides = args
        assert (function, rows, columns, strides) == ("f", 2, 3, [3, 3])
        y.memory[:] = (x.memory.view(np.float32) + os.getpid()).view(np.uint8)
        return SimpleNamespace(status=status, status_name="cudaErrorOfATest")

    return lambda: SimpleNamespace(call=call)


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().split()[3])


def test_it_computes_in_another_process_as_often_as_it_is_asked() -> None:
    kernel = Apart(built(), "f")
    kernel.wait()
    first, second = kernel(X), kernel(2 * X)
    np.testing.assert_array_equal(second - first, X)
    number = int(first[0, 0])
    assert number != os.getpid() and os.getpid() == _parent(number)
    second += 1  # it is nobody else's


def test_what_its_build_ends_with_is_met_where_it_is_waited_for() -> None:
    finding = Finding("missing-export", Message("simulator.unreadable", {"why": "7"}), "k.cu", 4)

    def fails() -> Any:
        raise BuildError([finding], "the log")

    def lacks() -> Any:
        raise Unavailable(Message("triton.gpu-unseen"))

    with pytest.raises(BuildError) as raised:
        Apart(fails, "f").wait()
    assert (raised.value.findings, raised.value.log) == ((finding,), "the log")
    with pytest.raises(Unavailable) as unavailable:
        Apart(lacks, "f").wait()
    assert unavailable.value.message == Message("triton.gpu-unseen")


def test_an_error_of_a_call_is_met_by_who_asked_and_the_next_call_is_made() -> None:
    kernel = Apart(built(status=7), "f")
    kernel.wait()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="f returned cudaErrorOfATest"):
            kernel(X)


@pytest.mark.parametrize(("last", "end"), [
    (lambda: os._exit(5), lambda status: os.waitstatus_to_exitcode(status) == 5),
    (lambda: os.kill(os.getpid(), signal.SIGTERM), lambda status: os.WTERMSIG(status) == signal.SIGTERM),
])  # fmt: skip
def test_a_kernel_that_ends_its_process_ends_the_one_that_asks_alike(
    last: Callable[[], object], end: Callable[[int], bool]
) -> None:
    asks = os.fork()
    if asks == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a command that another test ran in this process chose otherwise
        try:
            kernel = Apart(built(last=last), "f")
            kernel.wait()
            kernel(X)
        finally:
            os._exit(1)
    assert end(os.waitpid(asks, 0)[1])
