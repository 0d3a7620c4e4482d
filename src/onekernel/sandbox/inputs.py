"""The inputs of the calls of a job, in pages that are closed to this process but for the moment in which a call's are
taken out. The submission runs in this process: what lies open in its memory, its host code could look for, and compute
without a kernel."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from onekernel.audit import Hook, add_hook, private
from onekernel.backends.base import Arg, Buffer, Sparse

_RIGHTS = "onekernel.rights"  # what the guard is asked, as an event of Python's audit


class ClosedInputs:
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
        """For good, but for what the function that calls this one takes out itself. A copy of this process has none of
        it: there the pages are not mapped (madvise(2), MADV_DONTFORK)."""
        self._map.madvise(mmap.MADV_DONTFORK)
        add_hook(private(_guard)(self._bytes, sys._getframe(1)))
        mprotect(self._bytes.ctypes.data, 0, 0, len(self._map))

    def take(self, args: Sequence[Arg]) -> list[Arg]:
        """The arguments of a call with copies of their bytes, for the backend to lay into the device."""
        parts = [part for part in map(_bytes_of, args) if part is not None and part.size]
        if not parts:
            return list(args)
        # No more pages than the call's own: what a change of rights costs, grows with them.
        first = min(part.ctypes.data for part in parts) - self._bytes.ctypes.data
        end = max(part.ctypes.data + part.nbytes for part in parts) - self._bytes.ctypes.data
        sys.audit(_RIGHTS, mmap.PROT_READ, first, end)
        try:
            return [_copied(arg) for arg in args]
        finally:
            sys.audit(_RIGHTS, 0, first, end)


def _guard(pages: np.ndarray, owner: FrameType) -> Hook:
    """What opens and closes the pages: a hook of Python's audit, which a submission in Python can find in no frame and
    no object. It obeys `ClosedInputs.take`, called by `owner`."""
    take, look = ClosedInputs.take.__code__, sys._getframe
    change = partial(mprotect, pages.ctypes.data)

    def hook(event: str, args: tuple[Any, ...]) -> str | None:
        if event == _RIGHTS:
            frame = look(2)
            if frame.f_code is not take or frame.f_back is not owner:
                return event
            change(*args)
        return None

    return hook


# Now: later this process may look up none, and put up none.
_mprotect, _errno = ctypes.CDLL(None, use_errno=True).mprotect, ctypes.get_errno
_Pointer, _Size, _PAGE = ctypes.c_void_p, ctypes.c_size_t, mmap.PAGESIZE


def mprotect(pages: int, rights: int, first: int, end: int) -> None:
    """mprotect(2) for bytes from `first` to `end` of what lies at the address `pages`. Raises OSError."""
    first -= first % _PAGE
    if _mprotect(_Pointer(pages + first), _Size(end - first), rights):
        raise OSError(_errno(), "mprotect")


def _bytes_of(arg: Arg) -> np.ndarray | None:
    return arg.memory if isinstance(arg, Buffer) else arg.pattern if isinstance(arg, Sparse) else None


def _copied(arg: Arg) -> Arg:
    if isinstance(arg, Buffer):
        return replace(arg, memory=arg.memory.copy())
    return replace(arg, pattern=arg.pattern.copy()) if isinstance(arg, Sparse) else arg
