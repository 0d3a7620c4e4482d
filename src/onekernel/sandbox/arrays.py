"""Arrays as bytes and back, between the untrusted process and the trusted one. Nothing is unpickled; NumPy only.

8 bytes     the length of the header, little-endian
header      JSON: [[name, dtype, shape], ...]
arrays      one after the other, C order, no padding

What became of a tensor that is larger than memory (`pack_sparse`):

bins, number of runs       two uint64
start, bytes of each run   two uint64 each
the bytes of the runs      one after the other
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from onekernel.backends.base import Sparse

DTYPES = ("float64", "float32", "float16", "int64", "uint8", "bool")
MOST_ARRAYS = 500
MOST_BYTES = 256 << 20  # the longest trace of the course has 6 MB
MOST_SPARSE_BYTES = 64 << 20
MOST_RUNS = 1 << 18


class ArraysError(ValueError):
    """The bytes are not what `pack` writes."""


def pack(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Raises ArraysError for a dtype that is not in DTYPES."""
    held = {name: np.asarray(a, order="C") for name, a in arrays.items()}
    for name, array in held.items():
        if array.dtype.name not in DTYPES:
            raise ArraysError(f"{name} has dtype {array.dtype}; sent are {', '.join(DTYPES)}")
    header = json.dumps([[name, a.dtype.name, list(a.shape)] for name, a in held.items()]).encode()
    return b"".join([len(header).to_bytes(8, "little"), header, *(a.tobytes() for a in held.values())])


def unpack(data: bytes) -> dict[str, np.ndarray]:
    """What `pack` packed, read-only. Raises ArraysError for any other bytes, and for more than MOST_BYTES."""
    if len(data) > MOST_BYTES:
        raise ArraysError(f"{len(data)} bytes, more than {MOST_BYTES}")
    size = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + size])
    except (ValueError, RecursionError) as error:
        raise ArraysError("the header is no JSON") from error
    if not isinstance(header, list) or len(header) > MOST_ARRAYS:
        raise ArraysError("the header is no list of arrays")
    arrays: dict[str, np.ndarray] = {}
    at = 8 + size
    for entry in header:
        if not (isinstance(entry, list) and len(entry) == 3):
            raise ArraysError("an entry is not [name, dtype, shape]")
        name, dtype, shape = entry
        sizes = shape if isinstance(shape, list) and len(shape) <= 8 else [-1]
        if not (isinstance(name, str) and len(name) <= 200 and isinstance(dtype, str) and dtype in DTYPES):
            raise ArraysError("an entry has no name, or an unknown dtype")
        if not all(type(n) is int and 0 <= n <= MOST_BYTES for n in sizes):
            raise ArraysError(f"{name} has no shape")
        count = math.prod(sizes)
        end = at + count * np.dtype(dtype).itemsize
        if end > len(data):
            raise ArraysError(f"{name} is cut short")
        try:
            arrays[name] = np.frombuffer(data, dtype, count, at).reshape(sizes) if count else np.zeros(sizes, dtype)
        except ValueError as error:  # no element, and yet sizes that NumPy cannot multiply
            raise ArraysError(f"{name}: {error}") from None
        at = end
    if at != len(data):
        raise ArraysError("bytes are left over")
    return arrays


def pack_sparse(tensor: Sparse) -> bytes:
    """The untrusted side's answer."""
    head = np.array([tensor.bins, len(tensor.runs)], np.uint64)
    return head.tobytes() + np.ascontiguousarray(tensor.runs, np.uint64).tobytes() + tensor.data.tobytes()


def unpack_sparse(data: bytes, asked: Sparse) -> Sparse:
    """The trusted side's reading of `pack_sparse`, about the tensor `asked`. Raises ValueError for what is none."""
    if len(data) < 16:
        raise ValueError(f"{asked.name}: no head")
    bins, count = (int(v) for v in np.frombuffer(data, np.uint64, 2))
    if count > MOST_RUNS or len(data) < 16 + 16 * count:
        raise ValueError(f"{asked.name}: {count} runs")
    runs = np.frombuffer(data, np.uint64, 2 * count, 16).reshape(-1, 2)
    found = np.frombuffer(data, np.uint8, -1, 16 + 16 * count)
    starts, lengths = runs[:, 0], runs[:, 1]
    inside = (starts <= asked.span) & (lengths <= asked.span) & (starts + lengths <= asked.span)
    if not inside.all() or (starts % asked.itemsize).any() or (lengths % asked.itemsize).any():
        raise ValueError(f"{asked.name}: a run outside of the tensor, or of half an element")
    if int(lengths.sum()) != len(found):
        raise ValueError(f"{asked.name}: {len(found)} bytes")
    return replace(asked, runs=runs, data=found, bins=bins)
