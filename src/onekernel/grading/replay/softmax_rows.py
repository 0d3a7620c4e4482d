"""The rows of a softmax and the steps of a right one, of which its mistakes are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from onekernel.grading.replay.base import row_max, row_sum


@dataclass(frozen=True)
class Rows:
    """A case's x in float32, and the steps of a right softmax."""

    x: np.ndarray

    @cached_property
    def largest(self) -> np.ndarray:
        return row_max(self.x)

    @cached_property
    def e(self) -> np.ndarray:
        return np.asarray(np.exp(self.x - self.largest))

    def above(self, level: Any) -> np.ndarray:
        """The softmax with `level` subtracted in place of the row's maximum."""
        e = np.exp(self.x - level)
        return np.asarray(e / row_sum(e))

    def over(self, total: Any) -> np.ndarray:
        """The right exponentials over another sum."""
        return np.asarray(self.e / total)

    def weighted(self, weights: Callable[[], np.ndarray], where: str) -> np.ndarray:
        """The exponentials over a sum in which each is as often as `weights` say; or the maximum of those there are."""
        often = weights().astype(np.float32)
        e = self.e if where == "sum" else np.exp(self.x - row_max(self.x[:, often > 0]))
        if where == "maximum":
            return np.asarray(e / row_sum(e))
        terms = np.where(often > 0, e * often, 0)  # one that is left out is not looked at: NaN times 0 is NaN
        return np.asarray(e / row_sum(terms))
