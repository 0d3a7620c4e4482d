"""Rows so far apart that the third begins beyond 2^31 elements: an offset that is computed in 32 bits goes astray.

A row number and a row stride below 2^31 are integers of 32 bits in Triton, and so is their product. The rows lie in
memory that is reserved and not there until it is touched: a page or two for each row.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np

from onekernel.backends.base import Finding
from onekernel.messages import Message

STRIDE = 1 << 30  # elements
BEFORE = 3 << 31  # elements that nobody has: an offset that wraps ends there, nearer to its tensor than to another
CHAPTER = "01-09-rows-and-strides#rows-and-strides"
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


def apart(tensors: Sequence[Any]) -> list[Any]:
    """The same values in tensors of the same shape, rows STRIDE elements apart; as they are, where no machine's memory
    allows that."""
    import torch

    far = []
    for near in tensors:
        size = ((near.shape[0] - 1) * STRIDE + near.shape[1]) * near.element_size()
        try:
            flat = torch.from_numpy(reserved(size, near.element_size())).view(near.dtype)
        except OSError:
            return list(tensors)
        far.append(flat.as_strided(near.shape, (STRIDE, 1)).copy_(near))
    return far


def reserved(size: int, itemsize: int) -> np.ndarray:
    """So many bytes of addresses, behind those that an offset ends in when it wraps. Raises OSError."""
    before = BEFORE * itemsize
    memory = mmap.mmap(-1, before + size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE)
    return np.frombuffer(memory, np.uint8)[before:]


def wrapped(found: Finding) -> bool:
    """Whether it tells of an access outside of a tensor by an offset that is negative: a sum that wrapped round."""
    if found.code not in ("out-of-bounds-read", "out-of-bounds-write"):
        return False
    where = found.message.values.get("where")
    return isinstance(where, Message) and int(where.values["first"]) < 0


def told(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; of an access before a tensor's beginning, what is likely where rows lie so far apart."""
    out = []
    for found in findings:
        if wrapped(found):
            values = {k: found.message.values[k] for k in ("line", "call", "name", "program")}
            message = Message("triton.offset-wraps", {**values, "stride": STRIDE})
            found = Finding("offset-wraps", message, found.file, found.line, chapter=CHAPTER)
        out.append(found)
    return out
