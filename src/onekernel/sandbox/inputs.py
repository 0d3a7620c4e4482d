"""The inputs of the calls of a job, in pages that are closed to this process but for the moment in which a call's are
taken out. The submission runs in this process: what lies open in its memory, its host code could look for, and compute
without a kernel."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from onekernel.audit import Hook, add_hook, private
from onekernel.backends.base import Arg, Buffer, Sparse

_TAKE = "onekernel.take"  # what the guard is asked, as an event of Python's audit


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

    def close(self, calls: Sequence[Sequence[Arg]]) -> None:
        """For good, but for what the function that calls this one takes out itself: of these calls one after the other.
        A copy of this process has none of it: there the pages are not mapped (madvise(2), MADV_DONTFORK)."""
        self._map.madvise(mmap.MADV_DONTFORK)
        base = self._bytes.ctypes.data
        held = [[part for part in map(_bytes_of, args) if part is not None] for args in calls]
        begins = [[part.ctypes.data - base if part.size else 0 for part in parts] for parts in held]
        where = [[(at, at + part.nbytes) for at, part in zip(*call, strict=True)]
                 for call in zip(begins, held, strict=True)]  # fmt: skip
        add_hook(private(_guard)(self, self._bytes, sys._getframe(1), where))

    def take(self, args: Sequence[Arg]) -> list[Arg]:
        """The arguments of the next call with copies of their bytes, for the backend to lay into the device."""
        copies: list[np.ndarray] = []
        sys.audit(_TAKE, self, copies)
        rest = iter(copies)
        return [_filled(arg, rest) for arg in args]


def _guard(
    inputs: ClosedInputs, pages: np.ndarray, owner: FrameType, where: list[list[tuple[int, int]]]
) -> Hook:
    """What closes the pages and copies out of them: a hook of Python's audit, which a submission in Python can find in
    no frame and no object; nor can it find what changes rights, mprotect(2), which is looked up here. It obeys
    `ClosedInputs.take`, called by `owner`, and nothing that it is told decides what it copies. `where` the inputs of
    each call begin and end."""
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    take, look, base, page = ClosedInputs.take.__code__, sys._getframe, pages.ctypes.data, mmap.PAGESIZE
    calls, rights = iter(where), (mmap.PROT_READ, 0)
    if mprotect(base, max(pages.size, 1), 0):
        raise OSError(ctypes.get_errno(), "mprotect")

    def hook(event: str, args: tuple[Any, ...]) -> str | None:
        if event == _TAKE and args[0] is inputs:
            frame, given = look(2), args[1]
            if frame.f_code is not take or frame.f_back is not owner or type(given) is not list:
                return event
            parts = next(calls, [])
            # No more pages than the call's own: what a change of rights costs, grows with them.
            first = min((begin for begin, end in parts if end > begin), default=0) // page * page
            end = max((end for _, end in parts), default=0)
            for right in rights if end else ():
                if mprotect(base + first, end - first, right):
                    return event
                if right:
                    given += [pages[begin:end].copy() for begin, end in parts]
        return None

    return hook


def _bytes_of(arg: Arg) -> np.ndarray | None:
    return arg.memory if isinstance(arg, Buffer) else arg.pattern if isinstance(arg, Sparse) else None


def _filled(arg: Arg, copies: Iterator[np.ndarray]) -> Arg:
    if isinstance(arg, Buffer):
        return replace(arg, memory=next(copies, arg.memory[:0].copy()))
    return replace(arg, pattern=next(copies, arg.pattern[:0].copy())) if isinstance(arg, Sparse) else arg
