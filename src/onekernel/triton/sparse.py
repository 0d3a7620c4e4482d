"""Tensors of more elements than 32 bits count, in the interpreter: some programs of each launch run, on memory that is
there only where it is touched; on a GPU, whole, as a CUDA C launcher is given them.

An input repeats its pattern, which is laid into a page when a program first reads from it. What torch itself moves of
such tensors, or makes of their size, has addresses and no more. Of a launch the first programs run, the last ones, and
some between that lie apart evenly: which, the call's draw decides, so that a file is judged alike on equal inputs.
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
from onekernel.triton import watch as watches
from onekernel.triton.faults import Stop
from onekernel.triton.host import CHAPTER as PROGRAM
from onekernel.triton.host import CODE as COMPUTED
from onekernel.triton.host import MOVES, dispatch_mode
from onekernel.triton.watch import CHAPTER_OF_TIME, Region, Watch

ENDS, BETWEEN = 3, 32  # programs at either end of a grid, and between them
SECONDS = 1.5  # of processor time in a call, from its first access on: what is imported before is not its own
STANDS = 0.5  # of them, in which no program touches what is new: a loop does not end
WORK, AHEAD = 64, 64  # accesses for each that stores what is new, and so many stores before the first
PAGE, BINS = mmap.PAGESIZE, 64
LARGE = 64 << 20  # bytes of a tensor that no operator of the host's is to touch
UNSEEN = Finding("time-limit", Message("triton.unseen"))  # nothing can be told of such a call
TAKES_ALL = Finding("raised", Message("triton.unseen"))  # an operator, of flags that kernels left
ENDLESS = Finding("time-limit", Message("triton.stands", {"stands": True}), chapter=CHAPTER_OF_TIME)
BEFORE = 3 << 31  # elements that nobody has: an offset that wraps ends there, nearer to its tensor than to another
CHAPTER = "01-09-rows-and-strides#rows-and-strides"
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)

_drawn = random.Random()  # by the call's draw and inputs (`laid_out`)


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


class Progress:
    """Of one call, whose end cannot be waited for: whether it goes on to what it has not touched yet."""

    def __init__(self) -> None:
        self.until: float | None = None
        self.last = 0.0  # when something new was touched
        self.accesses = self.stores = 0
        self.known: set[tuple[int, str, int, int, int]] = set()
        self.blind = False  # torch has moved what nobody has seen

    def touched(self, tensor: int, at: np.ndarray, kind: str) -> None:
        """A program is about to access these bytes. Raises Stop where the call has taken too long."""
        now = time.process_time()
        if self.until is None:
            self.until, self.last = now + SECONDS, now
        self.accesses += 1
        this = (tensor, kind, int(at.min()), int(at.max()), at.size) if at.size else None
        if this and this not in self.known:
            self.known.add(this)
            self.last = now
            self.stores += kind == "store"
        if now > self.until:
            works = self.accesses <= WORK * (self.stores + AHEAD) and now - self.last <= STANDS * SECONDS
            raise Stop(UNSEEN if works else ENDLESS)


class Pages:
    """The memory of one such tensor during a call."""

    def __init__(self, tensor: Sparse, room: np.ndarray, progress: Progress | None = None) -> None:
        self.tensor, self.room = tensor, room
        self.progress = progress or Progress()
        self.laid: set[int] = set()
        self.written: list[np.ndarray] = []

    def touched(self, at: np.ndarray, itemsize: int, kind: str) -> None:
        """A program is about to access these bytes. Raises Stop where the call has taken too long."""
        self.progress.touched(id(self), at, kind)
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


watches.parts_of_pages = (Pages, Progress, Sparse)


def laid_out(args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
    """The call's tensors, and what the watch knows of them. Raises OSError where there are no such addresses."""
    import torch

    tensors, regions, progress = [], [], Progress()
    large = [a for a in args if isinstance(a, Sparse)]
    _drawn.seed(zlib.crc32(b"".join(a.pattern.tobytes() for a in large)) + (large[0].draw << 32))
    for arg in large:
        room = reserved(arg.span, arg.itemsize)
        flat = torch.from_numpy(room).view(getattr(torch, dtype))
        tensors.append(shaped(flat, arg, args))
        start = flat.data_ptr()
        regions.append(Region(arg.name, start, start + arg.span, arg.itemsize, _rows(flat, arg), arg.cols, arg.stride,
                              arg.writable, True, pages=Pages(arg, room, progress)))  # fmt: skip
    return tensors, regions


def shaped(flat: Any, arg: Sparse, args: Sequence[Arg]) -> Any:
    """A tensor's memory as the call's function is given it: a vector, or rows."""
    rows = _rows(flat, arg)
    vector = rows == 1 and arg.cols == flat.numel() and sum(isinstance(a, int) for a in args) == 1
    return flat if vector else flat.as_strided((rows, arg.cols), (arg.stride, 1))


# What describes a tensor and touches none of its elements; views do not, either.
_DESCRIBES = re.compile(r"(sym_)?(size|stride|numel|storage_offset)|is_\w+|set_")
_MAKES = re.compile(r"(new_)?(empty|zeros|ones|full)(_like|_strided|_permuted)?")
_EMPTY = re.compile(r"(new_)?(empty|zeros)\w*")  # zeros are there already


def without_touching_all(every: Sequence[Pages]) -> AbstractContextManager[Any]:
    """Has the host's operators on tensors that are larger than memory leave its pages alone, and on the call's own, in
    which a pattern is laid when a program reads it. What they would move or make there, is not: the result has
    addresses, and no more. Programs that use it are seen to come where they should, and their values say nothing.
    Operators that compute raise Stop: they would take minutes."""
    import torch

    mode: Any = dispatch_mode()

    def of_the_call(tensor: Any) -> Pages | None:
        at = tensor.untyped_storage().data_ptr() if tensor.numel() else 0
        return next((p for p in every if p.room.ctypes.data == at), None)

    def stands_in(tensor: Any) -> bool:
        return Watch.active is not None and Watch.active.stands_in(tensor)

    class Operators(mode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name, options = func.overloadpacket.__name__, kwargs or {}
            given = [a for b in (*args, *options.values()) for a in (b if isinstance(b, list | tuple) else (b,))]
            tensors = [a for a in given if isinstance(a, torch.Tensor)]
            moves = name in MOVES or _MAKES.fullmatch(name)
            large = [a for a in tensors if _is_large(a) or (moves and (of_the_call(a) or stands_in(a)))]
            touches = func.namespace == "aten" and not _is_view(func) and not _DESCRIBES.fullmatch(name)
            if not touches or not (large or _asks_for_large(name, args)):
                return func(*args, **options)
            if not moves:
                numbers = not large or any(a.is_floating_point() for a in large)
                raise Stop(_computed(name) if numbers else TAKES_ALL)
            if not name.endswith("_"):
                return _addresses_of(func, args, options, blind=not _EMPTY.fullmatch(name))
            own, at = of_the_call(args[0]), [a.untyped_storage().data_ptr() for a in tensors]
            if own and name == "zero_":
                own.empty()
            elif own and at[1:] != at[:1]:  # nor is it copied to where it is
                own.progress.blind = True
            return args[0]

    context: AbstractContextManager[Any] = Operators()
    return context


def _computed(operator: str) -> Finding:
    values = {"line": "?", "call": f"torch.{operator}"}
    return Finding(COMPUTED, Message("triton.host-computation", values), chapter=PROGRAM)


def _addresses_of(func: Any, args: Any, options: dict[str, Any], *, blind: bool) -> Any:
    """What an operator of torch's makes, without what would be in it. Raises Stop where there are no such addresses."""
    import torch

    def described(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(map(described, value))
        return value.to("meta") if isinstance(value, torch.Tensor) else value

    tensors = any(isinstance(a, torch.Tensor) for a in args)
    there = {"device": "meta"} if "device" in options or not tensors else {}
    like = func(*described(args), **{n: described(v) for n, v in options.items()} | there)
    try:
        room = reserved(like.untyped_storage().nbytes(), like.element_size())
    except OSError:
        raise Stop(UNSEEN) from None
    made = torch.from_numpy(room).view(like.dtype).as_strided(like.shape, like.stride())
    if blind and Watch.active is not None:
        Watch.active.stand_in(made, next((a for a in args if isinstance(a, torch.Tensor)), None))
    return made


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


def told(findings: Iterable[Finding], kernels: Iterable[KernelCounts] = ()) -> list[Finding]:
    """The findings; of an access before a tensor, what is likely where offsets go beyond 32 bits. Of a call that had
    no room or took too long, that alone; of an error that host code raises about what some programs left, nothing."""
    out, partly = [], _partly(kernels)
    for found in findings:
        if found.code == UNSEEN.code:
            return [found]
        if found.code != "raised" or not partly:
            out.append(blame_wrapped(found, "triton.index-wraps"))
    return out


def is_blind(findings: Iterable[Finding], pages: Iterable[Pages], kernels: Iterable[KernelCounts]) -> bool:
    """Whether host code has the last word on what programs left, so that values say nothing."""
    raised = _partly(kernels) and any(found.code == "raised" for found in findings)
    return raised or any(p.by_the_host or p.progress.blind for p in pages)


def _partly(kernels: Iterable[KernelCounts]) -> bool:
    return any(kernel.extra["ran"] != prod(kernel.grid) for kernel in kernels)


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
