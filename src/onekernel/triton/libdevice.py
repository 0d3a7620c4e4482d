"""libdevice in the interpreter, which has none of it: NVIDIA's functions on numbers, computed by NumPy in float64 and
rounded once. And names of their own for what the language has: `exp = tl.exp`, `from triton.language import exp`, which
the compiler takes and the interpreter, that dresses modules alone, does not.
"""

from __future__ import annotations

import math
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

_PREFIX = "__nv_"
_SAME = (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh floor ceil trunc rint hypot copysign fmod"
    " nextafter fabs ldexp"
)
_ARCS = "asin acos atan asinh acosh atanh atan2"


def _each(function: Any) -> Any:
    return np.vectorize(function, otypes=[np.float64])


def _round(x: Any) -> Any:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


FUNCTIONS: dict[str, Any] = {
    **{name: getattr(np, name) for name in _SAME.split()},
    **{name: getattr(np, f"arc{name[1:]}") for name in _ARCS.split()},
    "nearbyint": np.rint, "round": _round, "pow": np.power, "powi": np.power, "exp10": lambda x: np.power(10.0, x),
    "rsqrt": lambda x: 1.0 / np.sqrt(x), "rcbrt": lambda x: 1.0 / np.cbrt(x), "fma": lambda a, b, c: a * b + c,
    "remainder": _each(math.remainder), "fdim": lambda a, b: np.maximum(a - b, 0.0),
    "saturate": lambda x: np.clip(np.nan_to_num(x, nan=0.0), 0.0, 1.0),
    "sinpi": lambda x: np.sin(np.pi * x), "cospi": lambda x: np.cos(np.pi * x),
    "erf": _each(math.erf), "erfc": _each(math.erfc), "normcdf": _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2.0))),
    "fdividef": np.divide, "frsqrt_rn": lambda x: 1.0 / np.sqrt(x),
    "isnan": np.isnan, "isinf": np.isinf, "finite": np.isfinite, "signbit": np.signbit, "abs": np.abs,
    **{f"{kind}{name}_rn": function for kind in "fd" for name, function in (
        ("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide), ("sqrt", np.sqrt),
        ("rcp", np.reciprocal))},
}  # fmt: skip
"""By NVIDIA's name without what says its type: __nv_expf and __nv_exp are "exp"; so is __nv_fast_expf."""


def known(symbol: str) -> Any:
    """The function of a symbol, or None."""
    name = symbol.removeprefix(_PREFIX).removeprefix("fast_")
    return next((FUNCTIONS[n] for n in (name, name[:-1], name.replace("f_", "_")) if n in FUNCTIONS), None)


def install() -> None:
    """Gives the interpreter what it lacks, once a process, before a file is loaded."""
    import triton.language as tl
    from triton.language.extra import libdevice as stubs
    from triton.language.extra.cuda import libdevice
    from triton.runtime import interpreter

    numbers, handle = interpreter._get_np_dtype, interpreter.TensorHandle

    def computed(self: Any, lib: str, path: str, symbol: str, args: list[Any], result: Any, is_pure: bool) -> Any:
        function = known(symbol)
        if function is None:
            raise NotImplementedError(f"{symbol} of libdevice is not in the interpreter")
        given = [a.data.astype(np.float64) if a.data.dtype.kind == "f" else a.data for a in args]
        with np.errstate(all="ignore"):
            return handle(np.asarray(function(*given)).astype(numbers(result)), getattr(result, "scalar", result))

    interpreter.InterpreterBuilder.create_extern_elementwise = computed
    for name, stub in [*vars(stubs).items()]:  # without a body; the compiler puts the card's in their place
        if isinstance(stub, FunctionType):
            setattr(stubs, name, getattr(libdevice, name, stub))
    for module in (tl, tl.core, tl.math, libdevice):
        _take_alone(module, tl.core)


def _take_alone(module: ModuleType, core: Any) -> None:
    """Has the language's functions work by whatever name they are called."""
    for member in [*vars(module).values()]:
        if isinstance(member, FunctionType) and core.is_builtin(member) and member.__code__.co_freevars == ("fn",):
            member.__code__ = _alone(None).__code__


def _alone(fn: Any) -> Any:
    """What stands around a function of the language: a call without the interpreter's part is given it."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("_semantic") is None:
            from triton.runtime.interpreter import interpreter_semantic

            kwargs["_semantic"] = interpreter_semantic
        return fn(*args, **kwargs)

    return wrapper
