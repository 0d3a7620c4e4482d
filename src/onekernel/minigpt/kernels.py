"""MiniGPT's operators on kernels that somebody wrote: matrix products and softmax in fp32, each result judged.

The model stays as it is: it is given these operators in place of NumPy's, and `note`, which it calls after each step,
learns the name of the step whose result is wrong. What is right is said by the operators of the course (`ops`), in fp64
from the same fp32 inputs, with the bounds that a check uses.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from onekernel.minigpt.config import Config
from onekernel.minigpt.model import MiniGPT, Native
from onekernel.ops import OPERATORS
from onekernel.ops.base import Mismatch

Gemm = Callable[[np.ndarray, np.ndarray, bool], np.ndarray]
"""a (m, k), b (k, n) or, where the flag is set, (n, k); all float32 and C-contiguous -> (m, n)."""
Softmax = Callable[[np.ndarray], np.ndarray]
"""x (rows, cols) of float32 -> y of the same shape."""


class Differs(Exception):
    """A kernel's result is wrong: in which step of the model, for which operator and sizes, and where by how much."""

    def __init__(self, step: str, operator: str, sizes: tuple[int, ...], mismatch: Mismatch) -> None:
        super().__init__(step, operator, sizes)
        self.step, self.operator, self.sizes, self.mismatch = step, operator, sizes, mismatch


class Kernels(Native):
    """The operators of MiniGPT in float32, matmul and softmax by launchers, the others by NumPy.

    `launches` counts them, `judging` is the seconds that the comparisons took."""

    def __init__(self, gemm: Gemm, softmax: Softmax) -> None:
        super().__init__()
        self._gemm, self._softmax = gemm, softmax
        self.matmul = self._product
        self.launches, self.judging = 0, 0.0
        self._wrong: tuple[str, tuple[int, ...], Mismatch] | None = None

    def note(self, step: str, x: np.ndarray) -> None:
        """What the model calls after each step. Raises Differs where a kernel's result in that step was wrong."""
        if self._wrong:
            raise Differs(step, *self._wrong)

    def softmax(self, x: np.ndarray) -> np.ndarray:
        rows = np.ascontiguousarray(x.reshape(-1, x.shape[-1]))
        y = self._softmax(rows)
        self._judge("softmax", rows.shape, {"x": rows}, y)
        return y.reshape(x.shape)

    def _product(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """As numpy.matmul for (..., m, k) by (k, n), which is one launch, or by (..., k, n), a launch for each."""
        if b.ndim == 2:
            return self._one(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])
        left, right = a.reshape(-1, *a.shape[-2:]), b.reshape(-1, *b.shape[-2:])
        each = [self._one(x, y) for x, y in zip(left, right, strict=True)]
        return np.stack(each).reshape(*a.shape[:-1], b.shape[-1])

    def _one(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        turned = b.strides[-1] != b.itemsize  # a view of a matrix whose rows are b's columns: A B^T takes it as it lies
        a, stored = np.ascontiguousarray(a), np.ascontiguousarray(b.T if turned else b)
        c = self._gemm(a, stored, turned)
        inputs = {"a": a, "b": stored, "transpose_b": np.array(int(turned)), "alpha": np.array(1), "beta": np.array(0)}
        self._judge("gemm", (*a.shape, b.shape[1]), inputs, c)
        return c

    def _judge(self, name: str, sizes: tuple[int, ...], inputs: dict[str, np.ndarray], got: np.ndarray) -> None:
        started = time.perf_counter()
        wide = {key: values.astype(np.float64) for key, values in inputs.items()}
        operator = OPERATORS[name]
        (want,) = operator.oracle(wide).values()
        wrong = operator.compare(got.astype(np.float64), want, "float32", wide)
        self._wrong = self._wrong or ((name, sizes, wrong) if wrong else None)
        self.launches += 1
        self.judging += time.perf_counter() - started


@dataclass
class Written:
    """A text, and the logits that chose each byte of it: float32, (bytes, vocabulary)."""

    text: str = ""
    seconds: float = 0.0
    steps: list[np.ndarray] = field(default_factory=list)

    @property
    def logits(self) -> np.ndarray:
        return np.stack(self.steps)


def write(config: Config, weights: Any, prompt: str, length: int, kernels: Kernels | None = None) -> Written:
    """`length` likeliest bytes after `prompt`, by the model in fp32 on NumPy, or on `kernels`. Raises Differs."""
    model, written = MiniGPT(config, weights, kernels, np.float32), Written()

    def note(step: str, x: np.ndarray) -> None:
        if kernels:
            kernels.note(step, x)
        if step == "logits":
            written.steps.append(x[0, -1].copy())

    started = time.perf_counter()
    written.text = model.generate(prompt, length, note=note)
    written.seconds = time.perf_counter() - started
    return written
