"""Four operators five ways: operator by operator, the framework's largest operators, CUDA C, Triton, torch.compile.

Each way binds to a set of tensors and gives a call without arguments that returns what it wrote. Those of the course
write into the given y; the framework's allocate, as they do in a program.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.bench.fusion.cases import Case
from onekernel import cuda
from onekernel.course import fastest
from onekernel.loading import load_module
from onekernel.ops.base import SUFFIXES

WAYS = ("unfused", "framework", "cuda", "triton", "compile")
EPS = 1e-5

Call = Callable[[], Any]


@dataclass(frozen=True)
class Tensors:
    """The tensors of one call: x, a second one of its shape, a weight for each column, and the output."""

    x: Any
    w: Any
    weight: Any
    y: Any


def unfused(operation: str, t: Tensors) -> Any:
    """One operator of PyTorch after the other."""
    import torch

    x = t.x
    if operation == "gelu":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if operation == "softmax_mul":
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / e.sum(1, keepdim=True) * t.w
    if operation == "rmsnorm":
        h = x + t.w
        return h * torch.rsqrt((h * h).mean(1, keepdim=True) + EPS) * t.weight
    return x.cos().cos()


def framework(operation: str, t: Tensors) -> Any:
    """The largest operators that PyTorch has for it."""
    import torch
    import torch.nn.functional as F

    if operation == "gelu":
        return F.gelu(t.x, approximate="tanh")
    if operation == "softmax_mul":
        return torch.softmax(t.x, 1) * t.w
    if operation == "rmsnorm":
        return F.rms_norm(t.x + t.w, t.weight.shape, t.weight, EPS)
    return t.x.cos().cos()


def _for_compiler(operation: str) -> Callable[..., Any]:
    def function(x: Any, w: Any, weight: Any) -> Any:
        return framework(operation, Tensors(x, w, weight, None))

    return function


class Ways:
    """The ways of the machine at hand, with what they build kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._compiled: tuple[Case, Callable[..., Any]] | None = None

    def bound(self, case: Case, t: Tensors) -> dict[str, Call]:
        """A call for each of WAYS. cos(cos(x)) has no operator larger than unfused."""
        made: dict[str, Call] = {"unfused": functools.partial(unfused, case.operation, t)}
        if case.operation != "cos_cos":
            made["framework"] = functools.partial(framework, case.operation, t)
        return made | {"cuda": self._cuda(case, t), "triton": self._triton(case, t), "compile": self._compile(case, t)}

    @functools.cache  # noqa: B019  # one object for a run
    def _launcher(self, operation: str, dtype: str) -> Callable[..., int]:
        file = f"{operation}.cu"
        path = self.root / "bench/kernels" / file if operation == "cos_cos" else fastest(self.root, file)
        return cuda.build(path).function(operation + SUFFIXES[dtype])

    def _cuda(self, case: Case, t: Tensors) -> Call:
        import torch

        launch = self._launcher(case.operation, case.dtype)
        rows, cols = case.shape
        tail: Mapping[str, tuple[float, ...]] = {
            "gelu": (rows * cols, 1), "cos_cos": (rows * cols,), "softmax_mul": (rows, cols, cols, cols, cols),
            "rmsnorm": (rows, cols, cols, cols, cols, EPS),
        }  # fmt: skip
        tensors = {"softmax_mul": (t.x, t.w, t.y), "rmsnorm": (t.x, t.w, t.weight, t.y)}
        mine = tensors.get(case.operation, (t.x, t.y))
        values, device = tail[case.operation], t.x.get_device()
        stream = torch._C._cuda_getCurrentRawStream  # as Triton asks, too: torch.cuda.current_stream() makes an object

        def call() -> Any:
            status = launch(*[a.data_ptr() for a in mine], *values, stream(device))
            if status:
                raise RuntimeError(f"{case.operation} returned cudaError_t {status}")
            return t.y

        return call

    def _triton(self, case: Case, t: Tensors) -> Call:
        if case.operation == "gelu":
            function = load_module(self.root / "solutions/gelu_triton.py", once=True).gelu_triton
            return lambda: function(t.x, t.y, True)
        if case.operation == "softmax_mul":
            function = load_module(fastest(self.root, "softmax_mul_triton.py"), once=True).softmax_mul_triton
            return lambda: function(t.x, t.w, t.y)
        plain = load_module(self.root / "bench/kernels/fused_triton.py", once=True)
        if case.operation == "rmsnorm":
            return lambda: plain.rmsnorm(t.x, t.w, t.weight, t.y, EPS)
        return lambda: plain.cos_cos(t.x, t.y)

    def _compile(self, case: Case, t: Tensors) -> Call:
        import torch

        if self._compiled is None or self._compiled[0] != case:
            torch._dynamo.reset()  # each shape is compiled for itself: static shapes are its best case
            self._compiled = (case, torch.compile(_for_compiler(case.operation), dynamic=False))
        function = self._compiled[1]
        return lambda: function(t.x, t.w, t.weight)
