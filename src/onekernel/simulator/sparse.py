"""Tensors larger than memory in a simulated program: laid out before a call, looked at after it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import numpy as np

from onekernel.backends.base import Sparse

_MOST_RUNS = 1 << 18


def declare(so: ctypes.CDLL) -> None:
    """The types of the runtime's functions for them."""
    c = ctypes
    so.ok_sparse.argtypes = [c.c_char_p, c.c_void_p, c.c_size_t, c.c_size_t, c.c_int, c.c_int,
                             c.c_size_t, c.c_size_t, c.c_uint64]  # fmt: skip
    so.ok_sparse_runs.argtypes, so.ok_sparse_runs.restype = [c.c_int, c.c_void_p, c.c_size_t], c.c_size_t
    so.ok_sparse_read.argtypes = [c.c_int, c.c_size_t, c.c_void_p]
    so.ok_sparse_bins.restype = c.c_uint64


def place(so: ctypes.CDLL, tensor: Sparse) -> int:
    """The allocation's number. Raises MemoryError where the system has no such addresses to give."""
    pattern = np.ascontiguousarray(tensor.pattern)
    number = so.ok_sparse(tensor.name.encode(), pattern.ctypes.data, pattern.size, tensor.span, tensor.itemsize,
                          int(tensor.writable), tensor.cols * tensor.itemsize,
                          max(0, tensor.stride) * tensor.itemsize, tensor.draw)  # fmt: skip
    if not number:
        raise MemoryError(f"{tensor.name}: no room for {tensor.span} bytes of addresses")
    return int(number)


def take(so: ctypes.CDLL, number: int, tensor: Sparse) -> None:
    """Fills in what the call has touched and written."""
    tensor.bins = int(so.ok_sparse_bins(number, int(tensor.writable)))
    found = np.zeros(2 * _MOST_RUNS, np.uint64)
    count = so.ok_sparse_runs(number, found.ctypes.data, found.size)
    tensor.runs = found[: min(count, found.size)].reshape(-1, 2).copy()
    tensor.data = np.zeros(int(tensor.runs[:, 1].sum()), np.uint8)
    so.ok_sparse_read(number, len(tensor.runs), tensor.data.ctypes.data)


def free(so: ctypes.CDLL, numbers: Iterable[int]) -> None:
    """Frees allocations, all of them at once: what is freed is private memory again, and to open much of that for
    another's sake asks the system for more than there is."""
    for number in numbers:
        so.ok_sparse_free(number)
