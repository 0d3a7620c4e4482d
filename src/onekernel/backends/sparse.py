"""Tensors of more elements than 32 bits count, on a GPU: they are whole there, and what is looked at is a sample.

An input is its pattern, copied again and again; an output holds NaN before the call. Rows at both ends, on both sides
of every multiple of 2^31 elements, and at random are read back; of one long row, pieces of it.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

import numpy as np

from onekernel.backends.base import Sparse

PIECE = 64  # elements of a long row that are read at a time
AROUND, AT_RANDOM = 8, 2000  # rows, or pieces
WAIT_SECONDS, POLL_SECONDS = 10.0, 0.05  # less than a call may stand still
SPARE_BYTES = 2 << 30  # of the device's memory: left to the launcher


def placed(tensors: list[Sparse], torch: Any, device: str = "cuda") -> list[Any] | None:
    """The bytes of each tensor on the device; None where that has no room for all of them."""
    if not _fits(tensors, torch, device):
        return None
    try:
        return [_to_device(t, torch, device) for t in tensors]
    except torch.OutOfMemoryError:  # somebody was faster
        pass
    torch.cuda.empty_cache()
    return None


def _fits(tensors: list[Sparse], torch: Any, device: str) -> bool:
    """Whether the device has room for all of them, which others may have for some seconds. The host is believed to."""
    if device != "cuda":
        return True
    wanted, until = sum(t.span for t in tensors) + SPARE_BYTES, time.monotonic() + WAIT_SECONDS
    while True:
        free, total = torch.cuda.mem_get_info()
        if wanted <= free + torch.cuda.memory_reserved():
            return True
        if wanted > total or time.monotonic() > until:
            return False
        time.sleep(POLL_SECONDS)


def _to_device(tensor: Sparse, torch: Any, device: str) -> Any:
    """The tensor's bytes on the device. Raises torch's OutOfMemoryError."""
    if not tensor.pattern.size:
        return torch.full((tensor.span,), 0xFF, dtype=torch.uint8, device=device)  # NaN in every type
    memory = torch.empty(tensor.span, dtype=torch.uint8, device=device)
    pattern = torch.from_numpy(tensor.pattern).to(device)
    whole = tensor.span // pattern.numel() * pattern.numel()
    memory[:whole].view(-1, pattern.numel()).copy_(pattern.expand(whole // pattern.numel(), -1))
    memory[whole:].copy_(pattern[: tensor.span - whole])
    return memory


def look(tensor: Sparse, memory: Any, torch: Any) -> None:
    """Fills in `runs` and `data` of an output with the sample."""
    elements = tensor.span // tensor.itemsize
    width, step = (tensor.cols, tensor.stride) if tensor.cols <= PIECE else (min(PIECE, elements), PIECE)
    places = (elements - width) // step + 1
    near = [edge // step for edge in range(0, elements + 2**31, 2**31)] + [places - 1]
    rng = np.random.default_rng(secrets.randbits(64))
    chosen = {p + d for p in near for d in range(-AROUND, AROUND + 1)}
    chosen |= set(rng.integers(0, places, AT_RANDOM).tolist())
    starts = np.array(sorted({p for p in chosen if 0 <= p < places}), np.int64) * step
    if tensor.cols > PIECE:
        starts = np.unique(np.append(starts, elements - width))
    index = torch.from_numpy(starts[:, None] + np.arange(width)).to(memory.device)
    unsigned = {2: torch.int16, 4: torch.int32}[tensor.itemsize]
    found = memory.view(unsigned)[index].cpu().numpy()
    lengths = np.full(len(starts), width * tensor.itemsize)
    tensor.runs = np.stack([starts * tensor.itemsize, lengths], axis=1).astype(np.uint64)
    tensor.data = np.ascontiguousarray(found).view(np.uint8).ravel()
