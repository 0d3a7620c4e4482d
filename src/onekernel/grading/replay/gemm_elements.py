"""Other elements of A, B and C than the right ones: by a stride, or by the map of a fragment of Tensor Cores.

Causes are message keys: replay.gemm-NAME.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.gemm_product import ended, padded


def of_addresses(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Other elements of A and B in the place of the right ones."""
    (m, k), n, strides = a.shape, b.shape[1], case.row_strides
    turned = bool(case.inputs["transpose_b"])

    def with_a(rows: int, cols: int, down: int, aside: int) -> np.ndarray:
        return ended(case, _read(case.memory["a"], rows, cols, down, aside) @ b)

    def with_b(down: int, aside: int) -> np.ndarray:
        return ended(case, a @ _read(case.memory["b"], k, n, down, aside))

    yield Mistake("gemm-a-turned", later(with_a, m, k, 1, strides["a"]))
    other_form = later(with_b, *((strides["b"], 1) if turned else (1, strides["b"])))
    right = later(lambda: ended(case, a @ b))
    yield Mistake("gemm-b-turned", other_form)
    yield Mistake("gemm-transpose-ignored", other_form if turned else right)
    yield Mistake("gemm-transpose-always", right if turned else other_form)
    for cause, stride in {"k": k, "ldb": strides["b"], "ldc": strides["c"], "n": n}.items():
        yield Mistake(f"gemm-lda-{cause}", later(with_a, m, k, stride, 1))
    if turned:  # what a transposed view keeps in memory: its strides are exchanged, and nothing else
        yield Mistake("gemm-view-as-dense", later(with_b, 1, 1), variant="both strides 1")
    else:
        yield Mistake("gemm-view-as-dense", lambda: ended(case, a @ b), variant="both strides 1")
    reshaped = later(lambda: ended(case, a @ (case.inputs["b"].reshape(k, n) if turned else b)))
    yield Mistake("gemm-view-as-dense", reshaped, variant="reshaped")
    for plain in ("dense, too", "strided"):
        made = later(with_b, n if turned or plain == "dense, too" else strides["b"], 1)
        yield Mistake("gemm-view-as-dense", made, variant=plain)
    own = {"k": k} if turned else {"n": n}
    for cause, stride in {**own, "lda": strides["a"], "ldc": strides["c"]}.items():
        yield Mistake(f"gemm-ldb-{cause}", later(with_b, *((1, stride) if turned else (stride, 1))))


def _read(memory: np.ndarray, rows: int, cols: int, down: int, aside: int) -> np.ndarray:
    """The matrix that begins at `memory`, with those distances between its elements; what is not there is NaN."""
    at = np.arange(rows)[:, None] * down + np.arange(cols) * aside
    return np.where(at < memory.size, memory[np.minimum(at, memory.size - 1)], np.nan)


def of_fragments(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Lanes that take other elements of mma.m16n8k16's matrices than they hold, in tiles of 16 x 8 of C. The map: PTX
    ISA, "Matrix Fragments for mma.m16n8k16"."""
    of_a, of_b = padded(a, 16, 16), padded(b, 16, 8)
    (rows, depth), cols = of_a.shape, of_b.shape[1]
    row, col, p = np.arange(rows), np.arange(cols), np.arange(depth)

    def whole(product: np.ndarray) -> np.ndarray:
        return ended(case, product[: a.shape[0], : b.shape[1]])

    def stored(rows_of: np.ndarray, cols_of: np.ndarray) -> np.ndarray:
        """What C has where its element (r, c) is one that belongs to (rows_of, cols_of)."""
        return whole((of_a @ of_b)[rows_of, cols_of])

    eight_down, eight_aside = row[:, None] // 8 * 8, col // 8 * 8
    yield Mistake("gemm-fragment-c-turned", later(stored, eight_down + col % 8, eight_aside + row[:, None] % 8))
    pairs = row // 16 * 16 + row % 16 // 2 + row % 2 * 8
    yield Mistake("gemm-fragment-c-rows", later(stored, pairs[:, None], col))
    apart = eight_aside + col % 4 * 2 + col % 8 // 4
    yield Mistake("gemm-fragment-c-columns", later(stored, row[:, None], apart))
    upper = (row[:, None] % 16 < 8) == (p % 16 < 8)  # of the quadrants, those that keep their place
    moved = [np.where(upper, x[:, None], x[:, None] ^ 8) if x is row else np.where(upper, x, x ^ 8) for x in (row, p)]
    yield Mistake("gemm-fragment-a-registers", lambda: whole(of_a[moved[0], moved[1]] @ of_b))
    yield Mistake("gemm-fragment-a-rows", lambda: whole(of_a[row // 16 * 16 + row % 8] @ of_b))
    yield Mistake("gemm-fragment-b-registers", lambda: whole(of_a @ of_b[p ^ 8]))
    turned = of_b[p[:, None] // 8 * 8 + col % 8, eight_aside + p[:, None] % 8]
    yield Mistake("gemm-fragment-b-turned", lambda: whole(of_a @ turned))
