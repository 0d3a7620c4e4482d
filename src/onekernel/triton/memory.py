"""The memory of tensors, closed to the host as a GPU's is: open while a kernel runs or torch moves numbers.

Otherwise noise stands there. Whoever computes past the watch on torch, by an address, in a thread, with its modes
switched off, computes with noise, and what is written by such a way is gone when the next kernel starts.
"""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from onekernel.triton import callbacks

MOST = 1 << 30  # bytes; of a larger storage only the rows of its tensor are there
FREE = 64  # bytes of whole numbers that the host may read of what kernels wrote: flags and sizes, as on the simulator
# As they are before a file of a learner's is there.
_OUT, _TEXT, _COLLECT = sys.stdout, io.StringIO, gc.enable
# What the keeper is asked, as events of Python's audit.
BEGIN, OPEN, CLOSE = "onekernel.begin", "onekernel.open", "onekernel.close"
# What a launch was counted to do, while its memory is open; of which the last ones do not count; and all of them.
SEAL, DROP, TELL = "onekernel.seal", "onekernel.drop", "onekernel.tell"


class ClosedMemory:
    """What is closed during a call. Tensors are added when a kernel or an operator of torch has had to do with them."""

    active: ClosedMemory | None = None

    def __init__(self, tensors: Iterable[Any], watch: Any = None) -> None:
        self.accompanied = False  # whether another thread ran beside a kernel
        self._there: dict[int, int] = {}  # where memory is closed, and how many bytes; `keeper` has what they were
        self._held: list[Any] = []  # storages: nothing else may come to lie there
        self._floats: set[int] = set()  # which of them hold numbers that are worth computing with
        self._said = _TEXT()  # what kernels print: in no file of the learner's while the call lasts
        self._read = 0
        self._users = 0
        self._given = list(tensors)
        self._watch = watch  # of the call

    def __enter__(self) -> ClosedMemory:
        _COLLECT()
        sys.audit(BEGIN, self, self._watch)
        for tensor in self._given:
            self.add(tensor)
        self._close()
        ClosedMemory.active = self
        return self

    def __exit__(self, *_: object) -> None:
        self._open()
        ClosedMemory.active = None
        print(self._said.getvalue(), end="", file=_OUT)

    def knows(self, tensor: Any) -> bool:
        """Whether any of a tensor's memory is closed."""
        return any(self._overlapped(piece) for piece in _pieces(tensor))

    def in_disguise(self, tensor: Any, taken_out: bool) -> bool:
        """Whether a tensor of whole numbers lies where others are, or more of what kernels wrote is `taken_out` than a
        flag or a size."""
        at = [start for piece in _pieces(tensor) for start in self._overlapped(piece)]
        self._read += tensor.element_size() if at and taken_out else 0
        return self._read > FREE or not self._floats.isdisjoint(at)

    def add(self, tensor: Any) -> None:
        """Closes a tensor's memory with the rest; it is as it is until then."""
        for piece in _pieces(tensor):
            known = self._overlapped(piece) or [piece.ctypes.data]
            if known[0] not in self._there:
                self._there[known[0]] = piece.size
                self._held.append(tensor.untyped_storage())
            if tensor.is_floating_point():
                self._floats.update(known)

    def _overlapped(self, piece: np.ndarray) -> list[int]:
        begin = piece.ctypes.data
        if begin in self._there:
            return [begin]
        return [at for at, size in self._there.items() if at < begin + piece.size and begin < at + size]

    @contextmanager
    def opened(self) -> Iterator[None]:
        """The real bytes are there."""
        if not self._users:
            self._open()
        self._users += 1
        shown, sys.stdout = sys.stdout, self._said
        try:
            yield
        finally:
            sys.stdout = shown
            self._users -= 1
            if not self._users:
                self._close()

    def _open(self) -> None:
        """No code of the file's but a kernel's may run from here on."""
        callbacks.take_off()
        beside: list[bool] = []  # the keeper alone may look at other threads
        sys.audit(OPEN, self, beside)
        self.accompanied |= any(beside)

    def _close(self) -> None:
        sys.audit(CLOSE, self, self._there)


def _pieces(tensor: Any) -> Iterator[np.ndarray]:
    """The memory of a tensor's storage, as bytes; where that is too large, of its rows."""
    storage = tensor.untyped_storage()
    if tensor.device.type != "cpu" or not storage.nbytes():
        return
    if storage.nbytes() <= MOST:
        yield bytes_at(storage.data_ptr(), storage.nbytes())
    elif tensor.ndim == 2 and tensor.numel() * tensor.element_size() <= MOST:
        size = tensor.element_size()
        for row in range(tensor.shape[0]):
            yield bytes_at(tensor.data_ptr() + row * tensor.stride(0) * size, tensor.shape[1] * size)


class _Memory:
    def __init__(self, at: int, size: int) -> None:
        self.__array_interface__ = {"data": (at, False), "shape": (size,), "typestr": "|u1", "version": 3}


def bytes_at(at: int, size: int) -> np.ndarray:
    """The memory itself, not a copy."""
    return np.asarray(_Memory(at, size))
