"""Puts a Watch between Triton's interpreter and memory: every load, store, atomic and launch passes by it."""

from __future__ import annotations

import dataclasses
import inspect
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import CodeType, NoneType
from typing import Any

import numpy as np

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.triton import host, libdevice, origins
from onekernel.triton.ahead import Ahead, described
from onekernel.triton.callees import plain_python, remember
from onekernel.triton.faults import CHAPTER, Stop, count_in
from onekernel.triton.keys import are_texts
from onekernel.triton.memory import ClosedMemory
from onekernel.triton.origins import is_plain
from onekernel.triton.sparse import Extent
from onekernel.triton.tools import Tools
from onekernel.triton.watch import Watch

MOST_WARPS = 32  # 1024 threads, the most that a block has
MOST_X, MOST_YZ = 2**31 - 1, 65_535  # programs of a grid
GRID_CHAPTER = "01-03-launch#launch"


def install() -> None:
    """Puts the watch between the interpreter and memory, once a process."""
    from triton import language
    from triton.runtime import interpreter

    builder: Any = interpreter.InterpreterBuilder
    if getattr(builder, "_onekernel_watched", False):
        return
    builder._onekernel_watched = True
    libdevice.install()
    remember()
    host.remember()
    handle = interpreter.TensorHandle

    def narrowed(method: Callable[..., Any], kind: str, pointer_at: int, mask_at: int) -> Callable[..., Any]:
        """The builder's method, given a mask without the stray lanes."""

        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            watch = Watch.active
            if watch is None:
                return method(self, *args, **kwargs)
            pointers, mask = args[pointer_at], args[mask_at]
            if isinstance(mask, np.ndarray):  # of a block pointer or a descriptor
                mask = handle(mask, language.int1)
            watch.program = getattr(self, "grid_idx", (0, 0, 0))
            if not watch.samples:
                watch.patience.ask(watch.program, self.grid_dim, len(watch.kernels))
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
    count_in(interpreter)


def _garbage(dtype: np.dtype) -> Any:
    """What a stray load returns: a NaN that no result survives; bfloat16 travels as uint16."""
    if dtype.kind == "f":
        return dtype.type(np.nan)
    return dtype.type(0x7FC0) if dtype == np.uint16 else dtype.type(0)


def _watch_launches(executor: Any) -> None:
    to_host, back, call = executor._init_args_hst, executor._restore_args_dev, executor.__call__

    def named(self: Any, args_dev: Any, kwargs: Any) -> tuple[Any, Any]:
        self.onekernel_stays = all(_stays(value) for value in (*args_dev, *kwargs.values()))
        args, keywords = ([*args_dev], {**kwargs}) if self.onekernel_stays else to_host(self, args_dev, kwargs)
        if Watch.active is not None:
            pairs = [*zip(self.arg_names, args, strict=False), *keywords.items()]
            tensors = [(n, t) for n, t in pairs if hasattr(t, "untyped_storage")]
            Watch.active.begin(tensors)
            if ClosedMemory.active is not None:
                for _, tensor in tensors:
                    ClosedMemory.active.add(tensor)
        return args, keywords

    def restored(self: Any, *args: Any) -> None:
        self.onekernel_window.close()  # a tensor may be of a class of the file's
        if not self.onekernel_stays:
            back(self, *args)

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        warps = kwargs.get("num_warps", 4)
        _options(self, kwargs)
        if Ahead.active is not None:
            Ahead.active.ask(described(self.fn, self.arg_names, args, kwargs))
        asked, sizes = self.grid, list[Extent]()
        if Watch.active is not None and Watch.active.samples:
            self.grid = _sampled(asked, sizes)
        try:
            with ExitStack() as window:
                self.onekernel_window = window
                if ClosedMemory.active is not None:
                    kwargs = _defaults(self.fn, args) | kwargs
                    args, kwargs = tuple(map(_plain, args)), {name: _plain(v) for name, v in kwargs.items()}
                    self.grid = _opening(self, args, kwargs, int(warps))
                result = call(self, *args, **kwargs)
        finally:
            self.grid = asked
        if Watch.active is not None:
            grid = _grid()
            if ClosedMemory.active is None:
                Watch.active.end(self.fn.__name__, _asked_for(), int(warps))
            if grid[0] > MOST_X or max(grid[1:]) > MOST_YZ:
                Watch.active.blame(_too_large(grid, Watch.active))
        return result

    executor._init_args_hst, executor._restore_args_dev, executor.__call__ = named, restored, counted
    launching[:], executors[:] = (call, counted), (executor,)


launching: list[Any] = []
"""The interpreter's launch, and ours around it."""
executors: list[type] = []
"""Its class."""


def _stays(value: Any) -> bool:
    """Whether an argument is on the host already: the interpreter copies it over itself, which opens its memory."""
    if type(value) in (int, float, bool, str, NoneType):
        return True
    return host.is_torchs(value) and value.device.type == "cpu"


def _plain(value: Any) -> Any:
    """An argument; a number of a class of the file's as the number that it is: its methods would run in the kernel."""
    if isinstance(value, bool) or not isinstance(value, int | float) or type(value).__module__.startswith("onekernel."):
        return value
    return int.__index__(value) + 0 if isinstance(value, int) else float.__float__(value) + 0.0


def _defaults(function: Any, args: Sequence[Any]) -> dict[str, Any]:
    """The defaults of a kernel's parameters behind so many arguments: given, they are looked at as what is given."""
    names, values = function.__code__.co_varnames[: function.__code__.co_argcount], function.__defaults__ or ()
    first = len(names) - len(values)
    return {name: value for at, (name, value) in enumerate(zip(names[first:], values, strict=True), first)
            if at >= len(args)}  # fmt: skip


def _opening(launch: Any, args: Sequence[Any], kwargs: Mapping[str, Any], warps: int) -> Callable[[Any], Any]:
    """The grid; when it is known, and the kernel's first program starts, memory is open until the launch's window ends.
    What is to run in it is looked at between the two: whoever gives the grid may change it until then."""
    from triton.runtime import interpreter

    grid = launch.grid

    def parameters() -> dict[str, Any]:
        """What the grid is asked with, apart from what the kernel is given."""
        names = inspect.getfullargspec(launch.fn).args
        given = inspect.getcallargs(launch.fn, *args, **{n: v for n, v in kwargs.items() if n in names})
        return {n: v if n in launch.constexprs else interpreter._implicit_cvt(v) for n, v in given.items()}

    def asked(_named: Any) -> Any:
        sizes = _sizes(grid(parameters()) if callable(grid) else grid)
        # The launch and what its kernel is given, as Triton has them: what is around this function may be a file's, and
        # so may what it has in its cells, which a file can exchange.
        running, around = _variables(1, launching[0].__code__), _variables(2, launching[1].__code__)
        here: Any = running.get("self")
        window: Any = around.get("window")
        executor = executors[0]
        own = type(here) is executor and around.get("self") is here and type(window) is ExitStack
        watch, tools, closed = Watch.active, Tools.active, ClosedMemory.active
        beside = (here, window, closed, *([watch] if watch else []))
        if found := tools.replaced(*beside) if own and tools else []:
            raise Stop(found[0])
        if not own or any(hasattr(executor, name) for name in vars(here)):
            raise Stop(_not_tritons())
        given = [v for v in running["args"].values() if not origins.is_converted(v)]
        if watch is not None and (refused := plain_python(here.fn, given, watch.file)):
            raise Stop(refused)
        if closed is None or (watch is not None and not watch.is_whole()):
            raise Stop(_not_tritons("Watch"))
        window.enter_context(closed.opened())
        if watch is not None:  # the kernel's name and its warps are said, and count for nothing
            name = here.fn.__name__ if type(here.fn.__name__) is str else "?"
            watch.begin_anew()
            window.push(partial(_ended, watch, name, warps))
        return sizes

    return asked


def _ended(watch: Watch, kernel: str, warps: int, error: Any, *_: Any) -> None:
    """The last program of a launch has run, and memory is still open."""
    if error is None:
        watch.end(kernel, _asked_for(), warps)


def _variables(above: int, code: CodeType) -> dict[str, Any]:
    """What the function so many frames above the one that asks has, if it is this code; else nothing. Up to Python 3.12
    its variables are written into a dictionary that a file may have laid something in, which runs when it is asked for
    or written over: then they are written again, when nothing is left that would."""
    frame = sys._getframe(above + 1)
    if frame.f_code is not code:
        return {}
    written = frame.f_locals
    living = [*written.values()]
    variables = {**frame.f_locals} if are_texts(written) else {}
    del living
    return variables


def _not_tritons(name: str = "GridExecutor") -> Finding:
    return Finding(host.CODE, Message("triton.tool-replaced", {"name": name}), chapter=host.CHAPTER)


def _sizes(grid: Any) -> Any:
    """A grid as plain numbers, of whatever class it is: its methods would run in the kernel."""
    if isinstance(grid, tuple | list):
        kind: Any = tuple if isinstance(grid, tuple) else list
        return kind(n if type(n) in (int, Extent) else operator.index(n) for n in kind.__iter__(grid))
    if is_plain(grid) and not callable(grid):
        return grid
    raise TypeError(f"object of type '{type(grid).__name__}' has no len()")


def _sampled(grid: Any, sizes: list[Extent]) -> Callable[[Any], tuple[Extent, ...]]:
    """The grid, of which some programs run; `sizes` are filled in when it is asked for."""

    def asked(named: Any) -> tuple[Extent, ...]:
        sizes[:] = [Extent(int(n)) for n in (grid(named) if callable(grid) else grid)]
        return tuple(sizes)

    return asked


def _too_large(grid: tuple[int, int, int], watch: Watch) -> Finding:
    line = watch.line()
    values = {"line": line or "?", "grid": ", ".join(map(str, grid))}
    return Finding("bad-launch", Message("triton.grid-too-large", values), watch.file, line, chapter=GRID_CHAPTER)


def _options(launch: Any, given: dict[str, Any]) -> None:
    """Refuses what the interpreter passes over and Triton's compiler does not: num_warps=3, a misspelt keyword."""
    warps = given.get("num_warps", 4)
    if not isinstance(warps, int) or warps < 1 or warps > MOST_WARPS or warps & (warps - 1):
        raise Stop(Finding("num-warps", Message("triton.num-warps", {"warps": warps}), chapter=CHAPTER))
    from triton.backends.nvidia.compiler import CUDAOptions

    options = {field.name for field in dataclasses.fields(CUDAOptions)} | {"warmup", "stream", "device"}
    unknown = sorted(set(given) - options - set(launch.arg_names))
    if unknown:
        values = {"name": unknown[0], "kernel": launch.fn.__name__}
        raise Stop(Finding("unknown-argument", Message("triton.unknown-argument", values), chapter=CHAPTER))


def _asked_for() -> Any:
    """The grid of the launch that the interpreter ran last, some of whose sizes may be an Extent."""
    from triton.runtime.interpreter import interpreter_builder

    return interpreter_builder.grid_dim


def _grid() -> tuple[int, int, int]:
    x, y, z = _asked_for()
    return int(x), int(y), int(z)
