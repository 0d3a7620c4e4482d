"""A matrix product as the replayed mistakes begin and end it: op(B), alpha, beta, tiles of the usual sizes."""

from __future__ import annotations

import numpy as np

from onekernel.grading.replay.base import Replayed

DEPTHS = (2, 4, 8, 16, 32, 64)  # the usual tiles along k
PARTS = (128, 256, 512, 1024)  # the usual parts of a long k, of a block each
SIDES = (16, 32, 64, 128, 256)  # of tiles of C
MMA_DEPTH = 16  # products that one instruction of Tensor Cores adds to each sum


def across(case: Replayed, b: np.ndarray) -> np.ndarray:
    """op(B), (k, n), of B as it is stored."""
    return b.T if case.inputs["transpose_b"] else b


def ended(case: Replayed, product: np.ndarray) -> np.ndarray:
    """The product with alpha and beta, as it should be."""
    scaled = case.inputs["alpha"] * product
    return np.asarray(scaled + case.inputs["beta"] * case.inputs["c"] if case.inputs["beta"] else scaled)


def padded(x: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """With zeros up to multiples of `rows` and `cols`."""
    return np.pad(x, [(0, -x.shape[0] % rows), (0, -x.shape[1] % cols)])
