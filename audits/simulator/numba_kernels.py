"""The two kernels of the simulator bench for numba, whose CUDA simulator finds `cuda` among a module's globals only."""

from typing import Any

import numpy as np
from numba import cuda, float32

THREADS = 256


@cuda.jit
def add(a: Any, b: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]

@cuda.jit
def softmax_rows(x: Any, y: Any) -> None:
    tree = cuda.shared.array(THREADS, float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    largest = -np.inf
    for c in range(t, x.shape[1], THREADS):
        largest = max(largest, x[row, c])
    tree[t] = largest
    cuda.syncthreads()
    half = THREADS // 2
    while half:
        if t < half:
            tree[t] = max(tree[t], tree[t + half])
        cuda.syncthreads()
        half //= 2
    largest = tree[0]
    cuda.syncthreads()
    total = 0.0
    for c in range(t, x.shape[1], THREADS):
        total += np.exp(x[row, c] - largest)
    tree[t] = total
    cuda.syncthreads()
    half = THREADS // 2
    while half:
        if t < half:
            tree[t] += tree[t + half]
        cuda.syncthreads()
        half //= 2
    for c in range(t, x.shape[1], THREADS):
        y[row, c] = np.exp(x[row, c] - largest) / tree[0]
