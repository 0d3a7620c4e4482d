"""Tensors of more elements than 32 bits count, in the interpreter: some programs of each launch run, on memory that is
there only where it is touched; on a GPU, whole, as a CUDA C launcher is given them.

An input repeats its pattern, which is laid into a page when a program first reads from it. Of a launch the first
programs run, the last ones, and some between that lie apart evenly: which, the inputs decide, so that a file is judged
alike on equal ones.
"""

from __future__ import annotations

import mmap
import random
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import prod
from typing import Any

import numpy as np

from onekernel.backends.base import Arg, Finding, Sparse
from onekernel.backends.sparse import look, placed
from onekernel.counts import KernelCounts
from onekernel.messages import Message
from onekernel.triton.faults import Stop
from onekernel.triton.host import dispatch_mode
from onekernel.triton.watch import Region

ENDS, BETWEEN = 3, 32  # programs at either end of a grid, and between them
SECONDS = 1.5  # of processor time in a call, from its first access on: what is imported before is not its own
PAGE, BINS = mmap.PAGESIZE, 64
LARGE = 64 << 20  # bytes of a tensor that no operator of the host's is to touch
UNSEEN = Finding("time-limit", Message("triton.unseen"))  # nothing can be told of such a call
BEFORE = 3 << 31  # elements that nobody has: an offset that wraps ends there, nearer to its tensor than to another
CHAPTER = "01-09-rows-and-strides#rows-and-strides"
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
NO_ROOM = ("alloc", "not enough memory", "Cannot allocate")  # what torch and the system say


_drawn = random.Random()  # by the call's inputs (`laid_out`)


class Extent(int):
    """The size of a grid in one direction, of which the `chosen` programs run: a `range` of it has those alone."""

    chosen: tuple[int, ...]

    def __new__(cls, size: int) -> Extent:
        self = super().__new__(cls, size)
        if size <= 2 * ENDS + BETWEEN:
            self.chosen = tuple(range(size))
        else:
            share = (size - 2 * ENDS) / BETWEEN
            between = {ENDS + int((n + _drawn.random()) * share) for n in range(BETWEEN)}
            self.chosen = (*range(ENDS), *sorted(between), *range(size - ENDS, size))
        return self


class Pages:
    """The memory of one such tensor during a call."""

    def __init__(self, tensor: Sparse, room: np.ndarray) -> None:
        self.tensor, self.room = tensor, room
        self.until: float | None = None
        self.laid: set[int] = set()
        self.written: list[np.ndarray] = []

    def touched(self, at: np.ndarray, itemsize: int, kind: str) -> None:
        """A program is about to access these bytes. Raises Stop where the call has taken too long."""
        now = time.process_time()
        if self.until is None:
            self.until = now + SECONDS
        if now > self.until:
            raise Stop(UNSEEN)
        if kind == "store":
            self.written.append(np.unique(at // itemsize))
            return
        pattern = self.tensor.pattern
        for page in {*np.unique(at // PAGE).tolist()} - self.laid if pattern.size else ():
            self.laid.add(page)
            piece = self.room[page * PAGE : (page + 1) * PAGE]
            begin = page * PAGE % pattern.size  # a pattern is a whole number of pages
            piece[:] = pattern[begin : begin + piece.size]

    @property
    def by_the_host(self) -> bool:
        """Whether an output begins with what no program has stored: torch has copied something there."""
        beginning = self.room[:PAGE].view(f"u{self.tensor.itemsize}").copy()
        for stored in self.written:
            beginning[stored[stored < beginning.size]] = 0
        return bool(self.tensor.writable and beginning.any())

    def empty(self) -> None:
        """The host has set the tensor to 0: what no program has stored is 0 already, and stays where it is not."""
        for stored in self.written:
            self.room.view(f"u{self.tensor.itemsize}")[stored] = 0

    def take(self) -> None:
        """Fills in the tensor's runs, data and bins."""
        tensor, size = self.tensor, self.tensor.itemsize
        if not self.written:
            return
        elements = np.unique(np.concatenate(self.written))
        first = np.flatnonzero(np.diff(elements, prepend=-2) != 1)
        lengths = np.diff(first, append=elements.size)
        tensor.runs = (np.stack([elements[first], lengths], axis=1) * size).astype(np.uint64)
        tensor.data = self.room.view(f"u{size}")[elements].view(np.uint8)
        for bin_of in np.unique(elements * size // (tensor.span // BINS + 1)).tolist():
            tensor.bins |= 1 << bin_of


def laid_out(args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
    """The call's tensors, and what the watch knows of them. Raises OSError where there are no such addresses."""
    import torch

    tensors, regions = [], []
    large = [a for a in args if isinstance(a, Sparse)]
    _drawn.seed(zlib.crc32(b"".join(a.pattern.tobytes() for a in large)))
    for arg in large:
        room = reserved(arg.span, arg.itemsize)
        flat = torch.from_numpy(room).view(getattr(torch, dtype))
        tensors.append(shaped(flat, arg, args))
        start = flat.data_ptr()
        regions.append(Region(arg.name, start, start + arg.span, arg.itemsize, _rows(flat, arg), arg.cols, arg.stride,
                              arg.writable, True, pages=Pages(arg, room)))  # fmt: skip
    return tensors, regions


def shaped(flat: Any, arg: Sparse, args: Sequence[Arg]) -> Any:
    """A tensor's memory as the call's function is given it: a vector, or rows."""
    rows = _rows(flat, arg)
    vector = rows == 1 and arg.cols == flat.numel() and sum(isinstance(a, int) for a in args) == 1
    return flat if vector else flat.as_strided((rows, arg.cols), (arg.stride, 1))


_ZEROS = {"zeros": "empty", "zeros_like": "empty_like", "new_zeros": "new_empty"}
# What makes or describes a tensor and touches none of its elements; views do not, either.
_TOUCHES_NONE = re.compile(
    r"(new_)?empty(_like|_strided|_permuted)?|(sym_)?(size|stride|numel|storage_offset)|is_\w+|zero_"
)


def without_touching_all(every: Sequence[Pages]) -> AbstractContextManager[Any]:
    """Has the host's operators on tensors that are larger than memory leave its pages alone: zeros are there already,
    in the tensors of the call and in what the system gives. Other operators that touch all of one, or would make one,
    raise Stop: nothing can be told of such a call, and where memory suffices it would take minutes."""
    import torch

    mode: Any = dispatch_mode()

    class Operators(mode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name, options = func.overloadpacket.__name__, kwargs or {}
            if func.namespace == "aten" and name in _ZEROS:
                made = getattr(torch.ops.aten, _ZEROS[name])(*args, **options)
                return made if _is_large(made) else made.zero_()
            given = [a for b in (*args, *options.values()) for a in (b if isinstance(b, list | tuple) else (b,))]
            large = [a for a in given if isinstance(a, torch.Tensor) and _is_large(a)]
            if func.namespace == "aten" and name == "zero_" and large:
                pages = next((p for p in every if p.room.ctypes.data == large[0].untyped_storage().data_ptr()), None)
                if pages is None:
                    raise Stop(UNSEEN)
                pages.empty()
                return args[0]
            touches = not _is_view(func) and not _TOUCHES_NONE.fullmatch(name)
            if func.namespace == "aten" and touches and (large or _asks_for_large(name, args)):
                raise Stop(UNSEEN)
            return func(*args, **options)

    context: AbstractContextManager[Any] = Operators()
    return context


def _is_large(tensor: Any) -> bool:
    return bool(tensor.numel() * tensor.element_size() > LARGE)


def _is_view(operator: Any) -> bool:
    """Whether what an operator of torch's returns lies in its argument's memory, which it does not change."""
    aliases = [r.alias_info for r in operator._schema.returns]
    return any(alias is not None and not alias.is_write for alias in aliases)


def _asks_for_large(name: str, args: Sequence[Any]) -> bool:
    """Whether the sizes that an operator is given, or the ends of a range, are those of a large tensor."""
    if "range" in name or name == "linspace":
        return any(isinstance(a, int | float) and abs(a) > LARGE for a in args)
    sizes = (a for a in args if isinstance(a, list | tuple) and a and all(isinstance(n, int) for n in a))
    return any(prod(size) > LARGE for size in sizes)


def _rows(flat: Any, arg: Sparse) -> int:
    return 1 if arg.stride <= 0 else int((flat.numel() - arg.cols) // arg.stride) + 1


def reserved(size: int, itemsize: int) -> np.ndarray:
    """So many bytes of addresses, behind those that an offset ends in when it wraps. Raises OSError."""
    before = BEFORE * itemsize
    memory = mmap.mmap(-1, before + size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE)
    return np.frombuffer(memory, np.uint8)[before:]


WORD = 1 << 32  # numbers of 32 bits


def blame_wrapped(found: Finding, key: str, **more: int) -> Finding:
    """The finding; of an access before a tensor's beginning, what is likely where offsets go beyond 32 bits: a sum that
    wrapped round, told by the message `key`."""
    values = found.message.values
    where = values.get("where")
    if found.code not in ("out-of-bounds-read", "out-of-bounds-write") or not isinstance(where, Message):
        return found
    first, end = int(where.values["first"]), values.get("end")
    if first >= 0 or (isinstance(end, int) and first % WORD > end):  # nor is it what 32 bits make of one that is inside
        return found
    told = {k: values[k] for k in ("line", "call", "name", "program")} | more
    return Finding("offset-wraps", Message(key, told), found.file, found.line, chapter=CHAPTER)


def told(
    findings: Iterable[Finding], pages: Iterable[Pages] = (), kernels: Iterable[KernelCounts] = ()
) -> list[Finding]:
    """The findings; of an access before a tensor, what is likely where offsets go beyond 32 bits. Of a call that
    had no room, that took too long, or whose host code has the last word on what some programs left, that alone."""
    out = []
    partly = any(kernel.extra["ran"] != prod(kernel.grid) for kernel in kernels)
    unseen = any(p.by_the_host for p in pages)
    for found in findings:
        raised = found.code == "raised"
        if found.code == UNSEEN.code or (raised and any(w in str(found.message) for w in NO_ROOM)):
            return [UNSEEN]
        if raised and partly:
            unseen = True
            continue
        out.append(blame_wrapped(found, "triton.index-wraps"))
    return [UNSEEN] if unseen and not out else out


@contextmanager
def on_device(args: Sequence[Arg], dtype: str, device: str = "cuda") -> Iterator[list[Any] | None]:
    """The tensors of a call, for as long as it takes; then a sample of each output is read back. None where the device
    has no room for them."""
    import torch

    asked = [a for a in args if isinstance(a, Sparse)]
    memory = placed(asked, torch, device)
    if memory is None:
        yield None
        return
    yield [shaped(m.view(getattr(torch, dtype)), a, args) for m, a in zip(memory, asked, strict=True)]
    if device == "cuda":
        torch.cuda.synchronize()  # raises what a kernel did
    for tensor, bytes_ in zip(asked, memory, strict=True):
        if tensor.writable:
            look(tensor, bytes_, torch)
    del memory, bytes_
    if device == "cuda":
        torch.cuda.empty_cache()
