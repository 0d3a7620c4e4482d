"""Triton without a GPU, made fit for grading: chosen before the import, its known faults fixed or refused.

Faults of Triton's interpreter that are handled here (seen with 3.6.0 and 3.7.1):
- 3.6.0 with NumPy 2.4 or newer raises TypeError on loops with a run-time bound: fixed.
- float32 -> bfloat16 drops bits where the GPU rounds to nearest even (half of all values differ): fixed.
- a kernel that a function makes does not see that function's variables: fixed (closures.py).
- tl.dot multiplies float32 in float32 where the GPU takes TF32, and bfloat16 as if it were an integer: fixed.
- a loop counts with a plain int where the compiler has a tensor, `tile.to(tl.int64)`, so that a kernel which widens a
  tile's number, to have offsets of 64 bits, is right on a GPU and fails here: fixed.
- other bfloat16 arithmetic works on the 16 bits as if they were an integer: refused at the line that does it.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from types import ModuleType
from typing import Any

import numpy as np

from onekernel.backends.base import Finding, Unavailable
from onekernel.messages import Message
from onekernel.triton.closures import keep_closures

OLDEST = (3, 6)
CHAPTER = "03-05-looking-inside#interpreter"


class Stop(Exception):
    """Ends a kernel that the interpreter would run wrongly; the line is found from the traceback."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.code)
        self.finding = finding


def choose_interpreter(wanted: bool = False) -> bool:
    """Decides how this process runs Triton, before Triton is imported. Returns whether it interprets.

    With a GPU Triton compiles, unless it is `wanted` or TRITON_INTERPRET=1 asks otherwise; without one it interprets.
    Raises Unavailable where Triton is missing, too old, or already imported the other way.
    """
    version = _version("triton")
    if version is None:
        raise Unavailable(Message("triton.missing", {"python": sys.executable}))
    text = metadata.version("triton")
    if version < OLDEST:
        raise Unavailable(Message("triton.too-old", {"version": text, "python": sys.executable}))
    interpret = wanted or os.environ.get("TRITON_INTERPRET") == "1" or not _has_gpu()
    if interpret:
        if "triton" in sys.modules and not _interprets():
            raise Unavailable(Message("triton.imported-too-early"))
        os.environ["TRITON_INTERPRET"] = "1"
    return interpret


def _version(package: str) -> tuple[int, int] | None:
    try:
        major, minor = metadata.version(package).split(".")[:2]
    except metadata.PackageNotFoundError:
        return None
    return int(major), int(minor)


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def _interprets() -> bool:
    """Whether the triton that is imported already interprets: its own library functions tell."""
    import triton.language as tl
    from triton.runtime.interpreter import InterpretedFunction

    return isinstance(tl.max, InterpretedFunction)


def fix_interpreter() -> None:
    """Replaces the faulty parts of the interpreter, once a process."""
    from triton.runtime import interpreter

    if getattr(interpreter, "_onekernel_fixed", False):
        return
    interpreter._onekernel_fixed = True
    keep_closures(interpreter)
    _fix_loops(interpreter)
    _fix_casts(interpreter)
    _refuse_bfloat16_arithmetic(interpreter)
    _fix_dot(interpreter)


def _fix_loops(interpreter: Any) -> None:
    """A scalar as the bound of a loop: 3.6.0 has NumPy make an int of an array with one element in one dimension, which
    NumPy 2.4 refuses."""
    patch = interpreter._patch_lang_tensor

    def exact(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = exact


def _fix_casts(interpreter: Any) -> None:
    import triton.language as tl

    convert = interpreter._convert_float

    def exact(data: np.ndarray, source: Any, target: Any, rounding: Any) -> Any:
        if source == tl.float32 and target == tl.bfloat16 and rounding != interpreter._ir.ROUNDING_MODE.RTZ:
            return to_bfloat16(data)
        if source == tl.bfloat16 and target == tl.float32:
            return (data.astype(np.uint32) << 16).reshape(data.shape)
        return convert(data, source, target, rounding)

    interpreter._convert_float = exact


def _fix_dot(interpreter: Any) -> None:
    """Products as Tensor Cores make them: of bfloat16, and of float32 in TF32, unless `input_precision` is "ieee"."""
    import triton.language as tl

    dot = interpreter.InterpreterBuilder.create_dot

    def exact(self: Any, a: Any, b: Any, d: Any, precision: Any, *rest: Any) -> Any:
        cut = precision == interpreter._ir.INPUT_PRECISION.TF32
        return dot(self, *(_factor(interpreter, tl, x, cut) for x in (a, b)), d, precision, *rest)

    interpreter.InterpreterBuilder.create_dot = exact


def _factor(interpreter: Any, tl: Any, x: Any, cut: bool) -> Any:
    """A factor of tl.dot as float32 where NumPy would take its bits for a whole number, or too many of them."""
    if x.dtype.scalar == tl.bfloat16:
        return interpreter.TensorHandle((x.data.astype(np.uint32) << 16).view(np.float32), tl.float32)
    return interpreter.TensorHandle(to_tf32(x.data), tl.float32) if cut and x.dtype.scalar == tl.float32 else x


def to_tf32(values: np.ndarray) -> np.ndarray:
    """float32 with the 10 bits of fraction that TF32 has, rounded to nearest; NaN and infinities stay."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(values), rounded, values).astype(np.float32)


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """float32 -> the 16 bits of bfloat16, rounded to nearest even; NaN stays NaN (IEEE 754-2019, 4.3.1)."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def _refuse_bfloat16_arithmetic(interpreter: Any) -> None:
    builder, handle, scalar = interpreter.InterpreterBuilder, interpreter.TensorHandle, interpreter.tl.dtype
    refused = interpreter.tl.bfloat16.name

    def refusing(method: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            for a in args:
                if type(a) is handle and (a.dtype if type(a.dtype) is scalar else a.dtype.scalar).name == refused:
                    raise Stop(Finding("bf16-arithmetic", Message("triton.bf16-arithmetic"), chapter=CHAPTER))
            return method(self, *args, **kwargs)

        return guarded

    for name in ("binary_op", "unary_op", "create_fma"):
        setattr(builder, name, refusing(getattr(builder, name)))

    def get_bf16(self: Any, value: float) -> Any:
        """A number of Python's becomes one only where it meets a tensor of bfloat16."""
        raise Stop(Finding("bf16-arithmetic", Message("triton.bf16-arithmetic"), chapter=CHAPTER))

    builder.get_bf16 = get_bf16


class Count(int):
    """A number of a loop: an int that can be widened."""

    def to(self, dtype: Any, **_: Any) -> Any:
        import triton.language as tl
        from triton.runtime.interpreter import interpreter_semantic

        return tl.tensor(interpreter_semantic.builder.get_int32(int(self)), tl.int32).to(dtype)


def _kept(name: str) -> Callable[[Count, Any], Any]:
    """An operator of int whose result can be widened, too."""
    compute = getattr(int, name)

    def of_counts(self: Count, other: Any) -> Any:
        result = compute(self, other)
        return result if result is NotImplemented else Count(result)

    return of_counts


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod"):
    setattr(Count, f"__{_name}__", _kept(f"__{_name}__"))


def _of_64_bits(number: int) -> Any:
    import triton.language as tl
    from triton.runtime.interpreter import interpreter_semantic

    return tl.tensor(interpreter_semantic.builder.get_int64(number), tl.int64)


class CountedRange:
    """`range`, whose numbers can be widened. Its bounds may be the interpreter's tensors, as those of range may, or the
    size of a grid of which some programs run. Where one of them has 64 bits, so have its numbers, as when compiled: an
    int of Python's beyond 2^31 meets no tensor of 32 bits."""

    def __init__(self, *bounds: Any) -> None:
        self._range: Any = getattr(bounds[0], "chosen", None) or builtins.range(*(int(b) for b in bounds))
        self._wide = any(str(getattr(b, "dtype", "")) in ("int64", "uint64") for b in bounds)

    def __iter__(self) -> Iterator[Any]:
        return builtins.map(_of_64_bits if self._wide else Count, self._range)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._range, name)

    def __len__(self) -> int:
        return len(self._range)

    def __getitem__(self, at: Any) -> Any:
        return self._range[at]

    def __contains__(self, value: object) -> bool:
        return value in self._range


def count_in(module: ModuleType) -> None:
    """Has the loops of a module count so, unless it has a `range` of its own: of an interpreted file, and of the
    interpreter, whose are those of tl.range."""
    vars(module).setdefault("range", CountedRange)
