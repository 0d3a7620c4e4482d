"""The tensors that a Triton function is called on: laid over the buffers' bytes, and what the watch knows of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from onekernel.backends.base import Arg, Buffer
from onekernel.triton.memory import Region

ALIGNMENT = 256


def of_any_shape(tensor: Any) -> Any:
    """A vector as a matrix of the same memory: who takes a tensor of any shape must not ask for its length."""
    n = tensor.numel()
    if tensor.ndim != 1 or n < 2:
        return tensor
    rows = next((d for d in range(2, n) if n % d == 0), 1)
    return tensor.view(rows, n // rows)


def _shapes(args: Sequence[Arg]) -> list[tuple[int, int, int]]:
    """(rows, cols, row stride) of each buffer, from its own dimensions or from the launcher's sizes: (rows, cols, a
    stride a buffer) or (n)."""
    told = [a for a in args if isinstance(a, Buffer)]
    if all(a.shape for a in told):
        return [(math.prod(a.shape[:-1]), a.shape[-1], a.row_stride or a.shape[-1]) for a in told]
    sizes = [a for a in args if isinstance(a, int)]
    buffers = sum(isinstance(a, Buffer) for a in args)
    if len(sizes) == 2 + buffers:
        return [(sizes[0], sizes[1], stride) for stride in sizes[2:]]
    if len(sizes) == 1:
        return [(1, sizes[0], sizes[0])] * buffers
    raise ValueError(f"{buffers} buffers and {len(sizes)} sizes are no layout that a Triton exercise uses")


def tensors_of(
    args: Sequence[Arg], dtype: str, device: str, rooms: dict[tuple[str, int], np.ndarray]
) -> tuple[list[tuple[Buffer, Any]], list[Any]]:
    """The buffers' bytes as aligned allocations on the device, and the tensors in them. A buffer of a name and size
    that was there before gets the same addresses, as in a program that calls in a loop: `rooms` keeps them."""
    import torch

    flat = sum(isinstance(a, int) for a in args) == 1
    allocations, tensors = [], []
    for buffer, (rows, cols, stride) in zip((a for a in args if isinstance(a, Buffer)), _shapes(args), strict=True):
        memory = _aligned(torch, buffer, rooms).to(device)
        allocations.append((buffer, memory))
        element = getattr(torch, buffer.dtype or dtype)
        own = memory[buffer.offset : buffer.offset + buffer.extent].view(element)
        if buffer.shape and (not buffer.row_stride or len(buffer.shape) == 1):
            tensors.append(own.reshape(tuple(buffer.shape)))
        elif buffer.extent == 0:
            tensors.append(torch.empty((cols,) if flat else (rows, cols), dtype=element, device=device))
        else:
            tensors.append(own if flat else own.as_strided((rows, cols), (stride, 1)))
    return allocations, tensors


def _aligned(torch: Any, buffer: Buffer, rooms: dict[tuple[str, int], np.ndarray]) -> Any:
    """A copy that starts on a multiple of ALIGNMENT bytes, as device memory does."""
    memory = buffer.memory
    room = rooms.setdefault((buffer.name, memory.size), np.empty(memory.size + ALIGNMENT, np.uint8))
    start = -room.ctypes.data % ALIGNMENT
    room[start : start + memory.size] = memory
    return torch.from_numpy(room[start : start + memory.size])


def copy_back(allocations: list[tuple[Buffer, Any]], device: str) -> None:
    for buffer, memory in allocations:
        buffer.memory = memory.cpu().numpy().copy()


def regions_of(args: Sequence[Arg], tensors: Sequence[Any]) -> list[Region]:
    regions = []
    buffers = [a for a in args if isinstance(a, Buffer)]
    for buffer, tensor, (rows, cols, stride) in zip(buffers, tensors, _shapes(args), strict=True):
        start, size, extent = tensor.data_ptr(), buffer.itemsize, buffer.extent
        if tensor.ndim == 2 and rows > 1 and tensor.stride(0) != stride:  # far apart
            stride = tensor.stride(0)
            extent = ((rows - 1) * stride + cols) * size
        regions.append(Region(buffer.name, start, start + extent, size, rows, cols, stride, buffer.writable, True))
    return regions


@contextmanager
def unwritten_is_nan() -> Iterator[None]:
    """What torch.empty gives holds NaN, and not what was there before: an element that nobody writes is always seen.
    (torch.use_deterministic_algorithms does the same after importing torch's compiler, which takes a second.)"""
    import torch

    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
