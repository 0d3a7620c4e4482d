"""Tensors of more elements than 32 bits count, on a GPU: whole, as a CUDA C launcher is given them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from onekernel.backends import whole
from onekernel.backends.base import Arg, Sparse
from onekernel.triton.sparse import shaped


@contextmanager
def on_device(args: Sequence[Arg], dtype: str, device: str = "cuda") -> Iterator[list[Any] | None]:
    """The tensors of a call, for as long as it takes; then a sample of each output is read back. None where the device
    has no room for them."""
    import torch

    asked = [a for a in args if isinstance(a, Sparse)]
    if not whole.fits(asked, torch, device):
        yield None
        return
    memory = [whole.to_device(a, torch, device) for a in asked]
    yield [shaped(m.view(getattr(torch, dtype)), a, args) for m, a in zip(memory, asked, strict=True)]
    if device == "cuda":
        torch.cuda.synchronize()  # raises what a kernel did
    for tensor, bytes_ in zip(asked, memory, strict=True):
        if tensor.writable:
            whole.look(tensor, bytes_, torch)
    del memory, bytes_
    if device == "cuda":
        torch.cuda.empty_cache()
