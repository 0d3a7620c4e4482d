"""The ways in which a Triton function is called (onekernel.ways), each a class: on which tensors, what is made of what
the function returns or raises, and what is told of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from onekernel.backends.base import Arg, Buffer, Finding
from onekernel.messages import Message
from onekernel.triton.sparse import blame_wrapped, is_blind, laid_out, reserved, told, without_touching_all
from onekernel.triton.watch import Region, Watch
from onekernel.ways import FAR, IN_PLACE, RETURNED, SPARSE

ALIGNMENT = 256
STRIDE = 1 << 30  # elements between rows that lie far apart
CHAPTER = "03-05-looking-inside#interpreter"
Rooms = dict[tuple[str, int], np.ndarray]


class Way:
    """The call that anybody makes: the function is given every tensor, and returns the last one."""

    in_place = False
    closes_memory = True  # to the host, between launches

    def __init__(self, file: str, function: str, args: Sequence[Arg], dtype: str, device: str, rooms: Rooms) -> None:
        self._file, self._function = file, function
        self._allocations, near = _tensors_of(args, dtype, device, rooms)
        if device == "cpu":
            for buffer, _ in self._allocations:  # else the inputs would lie open in a frame below the file's
                buffer.memory = np.empty(0, np.uint8)
        self.tensors, self.regions = self._laid_out(near, args, dtype)

    def _laid_out(self, near: list[Any], args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
        """The call's tensors, the output last, and what the watch knows of them. `near`: as the buffers lie."""
        return near, _regions_of(args, near)

    @property
    def given(self) -> Sequence[Any]:
        """The tensors that the function is given."""
        return self.tensors

    def scratch(self) -> AbstractContextManager[None]:
        """How torch gives memory meanwhile."""
        return unwritten_is_nan()

    def returned(self, result: Any) -> list[Finding]:
        """What is wrong with what the function returned."""
        return returned_out(result, self.tensors[-1], self._function, self._file)

    def not_taken(self, error: BaseException) -> Finding | None:
        """What is told of an error that was raised before any line of the file ran, where this way of calling has
        something to say about it."""
        return None

    def finish(self) -> None:
        """Has the results where everybody looks for them."""

    def told(self, watch: Watch, findings: Sequence[Finding]) -> list[Finding]:
        """What the watch found and what else was found, in this way's words."""
        return [*watch.findings, *findings]

    def copy_back(self) -> None:
        """Fills the call's buffers with what their tensors hold."""
        for buffer, memory in self._allocations:
            buffer.memory = memory.cpu().numpy().copy()


class Far(Way):
    """Rows so far apart that the third begins beyond 2^31 elements: an offset that is computed in 32 bits goes astray.

    A row number and a row stride below 2^31 are integers of 32 bits in Triton, and so is their product. The rows lie in
    memory that is reserved and not there until it is touched: a page or two for each row.
    """

    def _laid_out(self, near: list[Any], args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
        self._near, far = near, _apart(near)
        return far, _regions_of(args, far)

    def finish(self) -> None:
        self._near[-1].copy_(self.tensors[-1])

    def told(self, watch: Watch, findings: Sequence[Finding]) -> list[Finding]:
        return [*(blame_wrapped(f, "triton.offset-wraps", stride=STRIDE) for f in watch.findings), *findings]


class InPlace(Way):
    """The input is the output, too."""

    in_place = True

    def _laid_out(self, near: list[Any], args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
        return [near[-1].copy_(near[0]), *near[1:-1], near[-1]], _regions_of(args, near)


class Returned(Way):
    """As people call it: without the output, for which the function makes a tensor; on a matrix where tensors of any
    shape are taken."""

    def _laid_out(self, near: list[Any], args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
        return [_of_any_shape(t) for t in near], _regions_of(args, near)

    @property
    def given(self) -> Sequence[Any]:
        return self.tensors[:-1]

    def returned(self, result: Any) -> list[Finding]:
        out = self.tensors[-1]
        if hasattr(result, "data_ptr") and (result.shape, result.dtype) == (out.shape, out.dtype):
            out.copy_(result)
            return []
        return [self._no_result(result)]

    def _no_result(self, result: Any) -> Finding:
        out = self.tensors[-1]
        got = f"{tuple(result.shape)}, {result.dtype}" if hasattr(result, "data_ptr") else type(result).__name__
        values = {"function": self._function, "got": got, "wanted": f"{tuple(out.shape)}, {out.dtype}"}
        return Finding("no-result", Message("triton.no-result", values), self._file)

    def not_taken(self, error: BaseException) -> Finding | None:
        said = str(error)
        if "'out'" in said:
            return self._no_result(error)
        missing = re.search(r"missing .* positional arguments?: (.*)", said)
        if missing is None:
            return None
        wanted = Message("triton.no-default", {"names": missing[1], "function": said.partition("(")[0]})
        return Finding("no-default", wanted, self._file, chapter=CHAPTER)


class Sampled(Way):
    """Tensors of more elements than 32 bits count, in the interpreter: some programs of each launch run (`sparse`).
    Raises OSError where there are no such addresses."""

    closes_memory = False

    def _laid_out(self, near: list[Any], args: Sequence[Arg], dtype: str) -> tuple[list[Any], list[Region]]:
        return laid_out(args, dtype)

    def scratch(self) -> AbstractContextManager[None]:
        return without_touching_all([region.pages for region in self.regions if region.pages])

    def told(self, watch: Watch, findings: Sequence[Finding]) -> list[Finding]:
        pages = [region.pages for region in self.regions if region.pages]
        for tensor in pages:
            tensor.take()
        every = super().told(watch, findings)
        if is_blind(every, pages, watch.kernels):
            watch.kernels = [replace(k, extra={**k.extra, "blind": 1}) for k in watch.kernels]
        return told(every, watch.kernels)


WAYS: dict[str, type[Way]] = {FAR: Far, IN_PLACE: InPlace, RETURNED: Returned, SPARSE: Sampled}
"""Those that Triton's backend knows; in every other it makes the call that anybody makes."""


def returned_out(result: Any, out: Any, function: str, file: str) -> list[Finding]:
    """A finding where a function did not return the output that it was given."""
    if hasattr(result, "data_ptr") and (result.data_ptr(), result.shape) == (out.data_ptr(), out.shape):
        return []
    key = "triton.returns-none" if result is None else "triton.out-ignored"
    return [Finding("out-ignored", Message(key, {"function": function}), file)]


def _of_any_shape(tensor: Any) -> Any:
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


def _tensors_of(
    args: Sequence[Arg], dtype: str, device: str, rooms: Rooms
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


def _aligned(torch: Any, buffer: Buffer, rooms: Rooms) -> Any:
    """A copy that starts on a multiple of ALIGNMENT bytes, as device memory does."""
    memory = buffer.memory
    room = rooms.setdefault((buffer.name, memory.size), np.empty(memory.size + ALIGNMENT, np.uint8))
    start = -room.ctypes.data % ALIGNMENT
    room[start : start + memory.size] = memory
    return torch.from_numpy(room[start : start + memory.size])


def _regions_of(args: Sequence[Arg], tensors: Sequence[Any]) -> list[Region]:
    """What the watch knows of the buffers' tensors."""
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


def _apart(tensors: Sequence[Any]) -> list[Any]:
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
