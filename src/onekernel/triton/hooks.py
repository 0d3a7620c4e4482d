"""Puts a Watch between Triton's interpreter and memory: every load, store, atomic and launch passes by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onekernel.triton.memory import Watch


def install() -> None:
    """Puts the watch between the interpreter and memory, once a process."""
    from triton.runtime import interpreter

    builder: Any = interpreter.InterpreterBuilder
    if getattr(builder, "_onekernel_watched", False):
        return
    builder._onekernel_watched = True
    handle = interpreter.TensorHandle

    def narrowed(method: Callable[..., Any], kind: str, pointer_at: int, mask_at: int) -> Callable[..., Any]:
        """The builder's method, given a mask without the stray lanes."""

        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            watch = Watch.active
            if watch is None:
                return method(self, *args, **kwargs)
            pointers, mask = args[pointer_at], args[mask_at]
            watch.program = getattr(self, "grid_idx", (0, 0, 0))
            itemsize = interpreter._get_np_dtype(pointers.get_element_ty()).itemsize
            allowed = watch.access(kind, pointers.data, mask.data, itemsize)
            changed = list(args)
            changed[mask_at] = handle(np.ascontiguousarray(allowed), mask.dtype)
            result = method(self, *changed, **kwargs)
            if kind == "load":
                stray = np.broadcast_to(mask.data, allowed.shape).astype(bool) & ~allowed
                if stray.any():
                    result.data = np.where(stray, _garbage(result.data.dtype), result.data)
            return result

        return checked

    builder.create_masked_load = narrowed(builder.create_masked_load, "load", 0, 1)
    builder.create_masked_store = narrowed(builder.create_masked_store, "store", 0, 2)
    builder.create_atomic_rmw = narrowed(builder.create_atomic_rmw, "atomic", 1, 3)
    _watch_launches(interpreter.GridExecutor)


def _garbage(dtype: np.dtype) -> Any:
    """What a stray load returns: a NaN that no result survives; bfloat16 travels as uint16."""
    if dtype.kind == "f":
        return dtype.type(np.nan)
    return dtype.type(0x7FC0) if dtype == np.uint16 else dtype.type(0)


def _watch_launches(executor: Any) -> None:
    to_host, call = executor._init_args_hst, executor.__call__

    def named(self: Any, args_dev: Any, kwargs: Any) -> tuple[Any, Any]:
        args, keywords = to_host(self, args_dev, kwargs)
        if Watch.active is not None:
            pairs = [*zip(self.arg_names, args, strict=False), *keywords.items()]
            Watch.active.begin((n, t) for n, t in pairs if hasattr(t, "untyped_storage"))
        return args, keywords

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        warps = kwargs.get("num_warps", 4)
        result = call(self, *args, **kwargs)
        if Watch.active is not None:
            grid = _grid()
            Watch.active.end(self.fn.__name__, grid, int(warps))
        return result

    executor._init_args_hst, executor.__call__ = named, counted


def _grid() -> tuple[int, int, int]:
    """The grid of the launch that the interpreter ran last."""
    from triton.runtime.interpreter import interpreter_builder

    x, y, z = interpreter_builder.grid_dim
    return int(x), int(y), int(z)
