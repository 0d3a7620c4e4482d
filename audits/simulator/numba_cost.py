"""numba's CUDA simulator on parts of the same work: the same grid of threads, the same tree in shared memory.

It runs each thread in Python, so it is timed on a part of the work and scaled to the whole, as the table says.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from audits.simulator.cost import COLS, ROWS, N
from onekernel.errors import UserError
from onekernel.messages import Message

NUMBA_ELEMENTS = 2048
NUMBA_ROWS = 2


def numba_seconds() -> dict[str, Any]:
    """numba's CUDA simulator on parts of the same work: the same grid of threads, the same tree in shared memory."""
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    import numba

    from audits.simulator.numba_kernels import THREADS, add, softmax_rows

    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, NUMBA_ELEMENTS)).astype(np.float32)
    out = np.zeros_like(a)
    start = time.perf_counter()
    add[NUMBA_ELEMENTS // THREADS, THREADS](a, b, out)
    add_seconds = time.perf_counter() - start
    x = rng.standard_normal((NUMBA_ROWS, COLS)).astype(np.float32)
    y = np.zeros_like(x)
    start = time.perf_counter()
    softmax_rows[NUMBA_ROWS, THREADS](x, y)
    softmax_seconds = time.perf_counter() - start
    if not np.array_equal(out, a + b) or abs(y.sum() - NUMBA_ROWS) > 1e-3:
        raise UserError(Message.of("bench.numba-wrong"))
    return {
        "version": numba.__version__,
        "vector_add": {"elements": NUMBA_ELEMENTS, "seconds": add_seconds, "whole": add_seconds * N / NUMBA_ELEMENTS},
        "softmax": {"rows": NUMBA_ROWS, "seconds": softmax_seconds, "whole": softmax_seconds * ROWS / NUMBA_ROWS},
    }
