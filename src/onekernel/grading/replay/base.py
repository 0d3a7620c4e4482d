"""What a replayed mistake is made from, and what several operators' mistakes share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from onekernel.ops.base import DTYPES

WARP = 32
THREADS = (32, 64, 96, 128, 192, 256, 512, 1024)  # the usual numbers of threads that share a sum


@dataclass(frozen=True)
class Mistake:
    """A cause by its name, the output under it (made when it is asked for), the values of its sentence. `variant` tells
    apart those of one cause: with how many threads, say."""

    cause: str
    make: Callable[[], np.ndarray]
    values: Mapping[str, Any] = field(default_factory=dict)
    variant: Hashable = None
    step: float = 0.0  # of a narrow type in which it rounds: where a rounding turns, the output differs by as much
    # Relative to each element, how much further off the order of a sum may bring it: where its terms nearly cancel.
    slack: Callable[[], np.ndarray] | None = None

    @property
    def key(self) -> Hashable:
        return self.cause, tuple(self.values.items()), self.variant


@dataclass(frozen=True)
class Replayed:
    """One call: its inputs as they were rounded, and its tensors in memory with what lies between their rows.

    `memory` holds, by tensor, all elements from the first on, row gaps included (there NaN); `row_strides` count
    elements. `block` is the number of threads that the file was built for, where the call names it;
    `begins` tells how many elements behind a multiple of 256 bytes a tensor begins.
    """

    inputs: Mapping[str, np.ndarray]
    memory: Mapping[str, np.ndarray]
    row_strides: Mapping[str, int]
    dtype: str = "float32"
    block: int | None = None
    begins: Mapping[str, int] = field(default_factory=dict)

    @property
    def step(self) -> float:
        """Of a tensors' own type of 16 bits: how far apart two neighbouring numbers lie, relative to them."""
        return {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(self.dtype, 0.0)

    @property
    def per_vector(self) -> int:
        """Elements of 16 bytes."""
        return 16 // int(DTYPES[self.dtype].itemsize)

    def on_vectors(self, rows: int) -> np.ndarray:
        """Which rows begin on 16 bytes in every tensor that has them: (rows, 1)."""
        at = np.arange(rows)[:, None]
        starts = [self.begins.get(name, 0) + at * stride for name, stride in self.row_strides.items()]
        return np.asarray(np.all([start % self.per_vector == 0 for start in starts], axis=0))

    def by_vectors(self, x: np.ndarray, threads: int) -> np.ndarray:
        """The columns in the order in which threads take them that read 16 bytes at a time where a row begins on them,
        and then what is left one by one: (rows, cols) -> (rows, steps * threads), -infinity where there is none."""
        rows, cols = x.shape
        aligned, whole = self.on_vectors(rows)[:, 0], cols // self.per_vector
        at, head = np.arange(cols), whole * self.per_vector
        vector = at // self.per_vector
        steps = -(-whole // threads) * self.per_vector
        step = np.where(at < head, vector // threads * self.per_vector + at % self.per_vector,
                        steps + (at - head) // threads)  # fmt: skip
        place = step * threads + np.where(at < head, vector, at - head) % threads
        out = np.full((rows, (max(int(step.max()), (cols - 1) // threads) + 1) * threads), -np.inf, x.dtype)
        out[np.ix_(aligned, place)] = x[aligned]
        out[~aligned, :cols] = x[~aligned]
        return out

    def own(self, values: np.ndarray | float) -> np.ndarray:
        """The values rounded to the tensors' own type, as a variable of a template's T rounds them: of 16 bits it
        shows."""
        return np.asarray(np.asarray(values).astype(DTYPES[self.dtype]).astype(np.float64))

    def read(self, name: str, row_stride: int) -> np.ndarray:
        """The tensor as one reads it who takes its rows to lie `row_stride` elements apart; what it lacks is NaN."""
        rows, cols = self.inputs[name].shape
        at = np.arange(rows)[:, None] * row_stride + np.arange(cols)
        flat = self.memory[name]
        return np.where(at < flat.size, flat[np.minimum(at, flat.size - 1)], np.nan).astype(np.float32)


def later(make: Callable[..., Any], *values: Any) -> Callable[[], np.ndarray]:
    """`make(*values)`, made when it is asked for: with the values of now, which a loop changes."""
    return partial(make, *values)


def row_sum(e: np.ndarray) -> np.ndarray:
    return np.asarray(e.sum(axis=1, keepdims=True))


def row_max(x: np.ndarray) -> np.ndarray:
    """As fmaxf finds it: past NaN, and -infinity of nothing."""
    return np.asarray(np.fmax.reduce(x, axis=1, keepdims=True, initial=-np.inf)).astype(x.dtype)


def dealt(e: np.ndarray, threads: int, fill: float = 0.0) -> np.ndarray:
    """Columns dealt to threads in turn: (rows, cols) -> (rows, steps, threads), `fill` where there is none."""
    rows, cols = e.shape
    steps = -(-cols // threads)
    out = np.full((rows, steps * threads), fill, e.dtype)
    out[:, :cols] = e
    return out.reshape(rows, steps, threads)
