"""The inputs of the calls of a job, in pages that are closed to this process but for the moment in which a call's are
taken out. The submission runs in this process: what lies open in its memory, its host code could look for, and compute
without a kernel."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from onekernel.backends.base import Arg, Buffer, Sparse


class Held:
    """The bytes of the file `path`. Open at first."""

    def __init__(self, path: Path) -> None:
        size = path.stat().st_size
        self._map = mmap.mmap(-1, max(size, 1))
        self._bytes = np.frombuffer(self._map, np.uint8)
        with path.open("rb", buffering=0) as file:  # straight into the pages: a buffer would keep what went through it
            at = 0
            while at < size and (read := file.readinto(memoryview(self._map)[at:size])):
                at += read

    def part(self, at: int, length: int) -> np.ndarray:
        """Some of the bytes, as they lie here: whoever looks at them while they are closed crashes."""
        return self._bytes[at : at + length]

    def close(self) -> None:
        self._protect(0, 0, len(self._map))

    def take(self, args: Sequence[Arg]) -> list[Arg]:
        """The arguments of a call with copies of their bytes, for the backend to lay into the device."""
        parts = [part for part in map(_bytes_of, args) if part is not None and part.size]
        if not parts:
            return list(args)
        # No more pages than the call's own: what a change of rights costs, grows with them.
        first = min(part.ctypes.data for part in parts) - self._bytes.ctypes.data
        end = max(part.ctypes.data + part.nbytes for part in parts) - self._bytes.ctypes.data
        self._protect(mmap.PROT_READ, first, end)
        try:
            return [_copied(arg) for arg in args]
        finally:
            self._protect(0, first, end)

    def _protect(self, rights: int, first: int, end: int) -> None:
        """mprotect(2) for the pages of those bytes. Raises OSError."""
        libc = ctypes.CDLL(None, use_errno=True)
        first -= first % mmap.PAGESIZE
        address, length = ctypes.c_void_p(self._bytes.ctypes.data + first), ctypes.c_size_t(end - first)
        if libc.mprotect(address, length, rights):
            raise OSError(ctypes.get_errno(), "mprotect")


def _bytes_of(arg: Arg) -> np.ndarray | None:
    return arg.memory if isinstance(arg, Buffer) else arg.pattern if isinstance(arg, Sparse) else None


def _copied(arg: Arg) -> Arg:
    if isinstance(arg, Buffer):
        return replace(arg, memory=arg.memory.copy())
    return replace(arg, pattern=arg.pattern.copy()) if isinstance(arg, Sparse) else arg
