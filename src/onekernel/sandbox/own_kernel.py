"""A learner's own softmax that a Python exercise is to use, in a process apart: the library of the kernel is loaded and
called by ctypes, which the process of the Python file is closed to (`callbacks.close`).

That process builds the kernel, passes the same walls as any other that loads a library, and answers from then on:

    to it      two int64, the rows and the columns, then that many float32
    from it    a line of JSON, {} or what there is to tell instead, then as many float32
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from typing import Any, BinaryIO, NoReturn

import numpy as np

from onekernel.backends import forks
from onekernel.backends.base import Buffer, BuildError, Finding, Program, Unavailable
from onekernel.messages import Message
from onekernel.sandbox import guardian

_SIZES = struct.Struct("<qq")
Softmax = Callable[[np.ndarray], np.ndarray]


class Apart:
    """The kernel that `make` builds, asked from this process. `make` is called in the other one, which has to be closed
    when it returns."""

    def __init__(self, make: Callable[[], Program], function: str) -> None:
        child, answers, ask = forks.beside()
        if not child:
            _serve(make, function, os.fdopen(answers, "rb"), os.fdopen(ask, "wb"))
        self._child = child
        self._requests, self._answers = os.fdopen(ask, "wb"), os.fdopen(answers, "rb")

    def wait(self) -> None:
        """Until it is built. Raises BuildError, Unavailable."""
        self._told()

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The softmax of float32 (rows, columns). Raises RuntimeError where the launcher returns an error, BuildError
        where there is none. If the kernel ends its process, this one ends alike."""
        self._requests.write(_SIZES.pack(*x.shape))
        self._requests.write(x.tobytes())
        self._requests.flush()
        self._told()
        given = self._answers.read(x.nbytes)
        if len(given) < x.nbytes:
            guardian.end_as(self._child)
        return np.frombuffer(bytearray(given), np.float32).reshape(x.shape)

    def _told(self) -> None:
        line = self._answers.readline()
        if not line.endswith(b"\n"):
            guardian.end_as(self._child)
        told = json.loads(line)
        if "findings" in told:
            raise BuildError([Finding.from_json(f) for f in told["findings"]], told["log"])
        if "unavailable" in told:
            raise Unavailable(Message.from_json(told["unavailable"]))
        if "raised" in told:
            raise RuntimeError(told["raised"])


def softmax_of(program: Program, function: str) -> Softmax:
    """The launcher as a function of float32 (rows, columns). Raises as `Apart` does."""

    def softmax(x: np.ndarray) -> np.ndarray:
        rows, columns = x.shape
        source = Buffer("x", np.frombuffer(x.tobytes(), np.uint8).copy(), 0, x.nbytes, False, 4)
        target = Buffer("y", np.zeros(x.nbytes, np.uint8), 0, x.nbytes, True, 4)
        report = program.call(function, [source, target, rows, columns, columns, columns])
        if report.status:
            raise RuntimeError(f"{function} returned {report.status_name}")
        return target.memory.view(np.float32).reshape(rows, columns)

    return softmax


def _serve(make: Callable[[], Program], function: str, requests: BinaryIO, answers: BinaryIO) -> NoReturn:
    kernel: list[Softmax] = []

    def build() -> bytes:
        kernel.append(softmax_of(make(), function))
        return b""

    def compute() -> bytes:
        x = np.frombuffer(requests.read(4 * rows * columns), np.float32).reshape(rows, columns)
        return kernel[0](x).tobytes()

    try:
        _answer(answers, build)
        while kernel and len(sizes := requests.read(_SIZES.size)) == _SIZES.size:
            rows, columns = _SIZES.unpack(sizes)
            _answer(answers, compute)
    finally:
        os._exit(0)


def _answer(answers: BinaryIO, made: Callable[[], bytes]) -> None:
    told: dict[str, Any] = {}
    data = b""
    try:
        data = made()
    except BuildError as error:
        told = {"findings": [f.to_json() for f in error.findings], "log": error.log}
    except Unavailable as error:
        told = {"unavailable": error.message.to_json()}
    except Exception as error:  # a library that cannot be loaded, memory that is not there
        told = {"raised": str(error) or type(error).__name__}
    answers.write(json.dumps(told).encode() + b"\n" + data)
    answers.flush()
