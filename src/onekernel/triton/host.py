"""What a function computes outside its kernels, where torch could do all the work and a kernel only look busy.

Between the launches tensors may be allocated, filled, viewed, copied and converted. Arithmetic on their numbers, and
taking them out of torch, is reported with its line. Printing a tensor is neither.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message

CODE = "host-computation"
CHAPTER = "03-triton#program"
_OTHERS = re.compile(r"/torch/_tensor_str\.py$|(?<!/onekernel)/triton/")  # print(tensor), and Triton for a kernel
# What torch's operators do that moves numbers and makes none of several; views are told by their schema.
_MOVES = (
    "_to_copy", "arange", "cat", "clone", "constant_pad_nd", "contiguous", "copy", "copy_", "detach", "empty_like",
    "empty_strided", "fill", "fill_", "flip", "full_like", "lift_fresh", "new_empty", "new_empty_strided", "new_full",
    "new_ones", "new_zeros", "ones_like", "repeat", "resize_", "roll", "stack", "zero", "zero_", "zeros_like",
)  # fmt: skip
_TAKEN_OUT = ("numpy", "tolist", "__array__", "__dlpack__", "__reduce_ex__", "to_dlpack", "from_dlpack")


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
        from torch.utils._python_dispatch import TorchDispatchMode

        saw = self._saw

        class Operators(TorchDispatchMode):
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                name = func.overloadpacket.__name__
                if name not in _MOVES and not func.is_view and any(_numbers(a) for a in args):
                    saw(f"torch.{name}")
                return func(*args, **(kwargs or {}))

        class Methods(TorchFunctionMode):
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                name = getattr(func, "__name__", "")
                if name in _TAKEN_OUT:
                    saw(f"torch.Tensor.{name}")
                return func(*args, **(kwargs or {}))

        with Operators(), Methods():  # type: ignore[no-untyped-call]
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


class Tools:
    """What runs kernels in the interpreter, as it is before a file is loaded."""

    def __init__(self, file: str) -> None:
        import numpy
        from triton.runtime import interpreter

        self.file = file
        owners = (numpy, interpreter, interpreter.InterpreterBuilder, interpreter.GridExecutor)
        self._kept = [(o, name, value) for o in owners for name, value in vars(o).items() if callable(value)]

    def replaced(self) -> list[Finding]:
        """A finding where the file has put something of its own in the place of one."""
        for owner, name, value in self._kept:
            if vars(owner).get(name) is not value:
                message = Message("triton.tool-replaced", {"name": f"{owner.__name__}.{name}"})
                return [Finding(CODE, message, self.file, chapter=CHAPTER)]
        return []


def _numbers(value: Any) -> bool:
    """Whether an argument is a tensor of numbers that are worth computing with, or a list of such tensors."""
    if isinstance(value, (list, tuple)):
        return any(_numbers(v) for v in value)
    return hasattr(value, "is_floating_point") and bool(value.is_floating_point()) and value.numel() > 0
