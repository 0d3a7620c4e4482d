"""What became of a tensor that is larger than memory, as bytes between the two processes: plain numbers, nothing else.

    bins, number of runs       two uint64
    start, bytes of each run   two uint64 each
    the bytes of the runs      one after the other
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.backends.base import Sparse

MOST_BYTES = 64 << 20
MOST_RUNS = 1 << 18


def pack(tensor: Sparse) -> bytes:
    """The untrusted side's answer."""
    head = np.array([tensor.bins, len(tensor.runs)], np.uint64)
    return head.tobytes() + np.ascontiguousarray(tensor.runs, np.uint64).tobytes() + tensor.data.tobytes()


def unpack(data: bytes, asked: Sparse) -> Sparse:
    """The trusted side's reading of `pack`, about the tensor `asked`. Raises ValueError for what is no such answer."""
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
