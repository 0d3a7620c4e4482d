"""What a function computes outside its kernels, where torch could do all the work and a kernel only look busy.

Between the launches tensors may be allocated, filled, viewed, copied and converted. Arithmetic on their numbers, and
taking them out of torch, is reported with its line. Printing a tensor is neither. What goes past this watch finds the
memory closed (`memory`): only what may move numbers sees them.

While an operator of torch's that moves numbers runs, the memory of tensors is open, and code of the file's may not run
in it. Such code can come between in each of torch's ways: a class of tensors, a mode of functions or of operators, an
implementation in Python, another function in an operator's place.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.triton.memory import ClosedMemory

CODE = "host-computation"
CHAPTER = "03-triton#program"
_OTHERS = re.compile(r"/torch/_tensor_str\.py$|(?<!/onekernel)/triton/")  # print(tensor), and Triton for a kernel
_ITEM = "_local_scalar_dense"  # what takes a number out of a tensor
_NAMES = {_ITEM: "Tensor.item"}
TAKEN_OUT = ("numpy", "tolist", "__array__", "__dlpack__", "__reduce_ex__", "to_dlpack", "from_dlpack")


@cache
def dispatch_mode() -> Any:
    """torch's TorchDispatchMode, without the import of torch's compiler, a second, at the first operator: it would be
    kept from looking into the mode."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Mode(TorchDispatchMode):
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False

    return Mode


class HostWatch:
    """Watches a call of a learner's function; `findings` is the first thing that was computed outside a kernel."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches what this thread does in torch, and those that it starts."""
        start = threading.Thread.run

        def watched(thread: threading.Thread) -> None:
            with self._modes():
                start(thread)

        threading.Thread.run = watched  # type: ignore[method-assign,assignment]
        try:
            with self._modes():
                yield
        finally:
            threading.Thread.run = start  # type: ignore[method-assign]

    @contextmanager
    def _modes(self) -> Iterator[None]:
        from torch.overrides import TorchFunctionMode

        saw = self._saw
        mode: Any = dispatch_mode()

        class Operators(mode):  # type: ignore[misc]
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                name = func.overloadpacket.__name__
                moves = func.namespace == "aten" and name in MOVES
                if not moves and not func.is_view and any(_numbers(a, name == _ITEM) for a in args):
                    saw(f"torch.{_NAMES.get(name, name)}")
                    return func(*args, **(kwargs or {}))
                return _moved(func, args, kwargs or {})

        class Methods(TorchFunctionMode):
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                name = getattr(func, "__name__", "")
                if name in TAKEN_OUT:
                    saw(f"torch.Tensor.{name}")
                return func(*args, **(kwargs or {}))

        with Operators(), Methods():
            yield

    def _saw(self, call: str) -> None:
        frame = sys._getframe(2)
        while frame is not None and not self.findings:
            name = frame.f_code.co_filename
            if name != self.file and _OTHERS.search(name):
                return
            if name == self.file:
                message = Message("triton.host-computation", {"line": frame.f_lineno, "call": call})
                self.findings.append(Finding(CODE, message, self.file, frame.f_lineno, chapter=CHAPTER))
            frame = frame.f_back  # type: ignore[assignment]


def _numbers(value: Any, taken_out: bool) -> bool:
    """Whether an argument is a tensor of numbers that are worth computing with, or a list of such tensors."""
    if isinstance(value, (list, tuple)):
        return any(_numbers(v, taken_out) for v in value)
    if not _stored(value) or not value.numel():
        return False
    if value.is_floating_point() or value.is_complex():
        return True
    return ClosedMemory.active is not None and ClosedMemory.active.in_disguise(value, taken_out)


def _moved(func: Any, args: Any, kwargs: Any) -> Any:
    """The operator's result, with the memory open that it moves; what it fills from there is closed with the rest."""
    memory = ClosedMemory.active
    given = [t for a in (*args, *kwargs.values()) for t in (a if isinstance(a, list | tuple) else (a,)) if _stored(t)]
    if memory is None or func.is_view or not any(memory.knows(t) for t in given):
        return func(*args, **kwargs)
    found = mover(func)
    if found is None or not all(map(is_torchs, given)):
        return func(*args, **kwargs)  # with noise: code of the file's would run in between
    move, moves = found
    if not moves and any(_numbers(t, taken_out=False) for t in given):  # whatever the operator is said to be
        return func(*args, **kwargs)
    with undisturbed(), memory.opened():
        result = move(*args, **kwargs)
        if _stored(result):
            memory.add(result)
    return result


def _stored(value: Any) -> bool:
    """Whether it is a tensor with memory of its own, or a view of it."""
    return hasattr(value, "untyped_storage")


# What move numbers and make none of several; views are told by their schema.
MOVES = (
    "_to_copy", "_unsafe_view", "arange", "cat", "clone", "constant_pad_nd", "contiguous", "copy", "copy_",
    "detach", "empty_like", "empty_strided", "fill", "fill_", "flip", "full_like", "lift_fresh", "new_empty",
    "new_empty_strided", "new_full", "new_ones", "new_zeros", "ones_like", "repeat", "resize_", "roll", "stack",
    "zero", "zero_", "zeros_like",
)  # fmt: skip
_MOVERS = frozenset(f"aten::{name}" for name in MOVES)
_PYTHON = "registered at /dev/null", ".py:"  # where an implementation in Python says that it is from

_of_torch: dict[str, Any] = {}  # what is asked here, as it was before a file was loaded


def remember() -> None:
    """Learns what torch itself is, before a file is loaded."""
    import torch

    inside = torch._C
    _of_torch.update(
        kinds=(torch.Tensor, torch.nn.Parameter),
        operation=inside._get_operation_overload,
        registered=inside._dispatch_dump,
        modes=inside._len_torch_dispatch_stack,
        no_functions=inside.DisableTorchFunction,
    )


def is_torchs(tensor: Any) -> bool:
    """Whether a tensor is of a class of PyTorch's own."""
    return type(tensor) in _of_torch["kinds"]


def mover(operator: Any) -> tuple[Callable[..., Any], bool] | None:
    """What torch itself runs for an operator, and whether that moves numbers and no more; None where Python would be
    asked on the way. Call it `undisturbed`."""
    name = operator.name()
    if type(name) is not str or not name.startswith("aten::") or _of_torch["modes"]():
        return None
    for line in _of_torch["registered"](name).splitlines():
        if any(mark in line for mark in _PYTHON) and not line.startswith(("Meta", "debug")):
            return None
    qualified, _, overload = name.partition(".")
    move: Callable[..., Any] = _of_torch["operation"](qualified, overload)[0]
    return move, qualified in _MOVERS


def undisturbed() -> AbstractContextManager[Any]:
    """Without the modes that Python has put around torch's functions."""
    context: AbstractContextManager[Any] = _of_torch["no_functions"]()
    return context
