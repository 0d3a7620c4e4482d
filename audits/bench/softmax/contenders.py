"""Who takes part in the softmax bench: the exercises, the reading ladder, PyTorch, and peers where they are installed.

A contender binds to two tensors and gives a call without arguments, so that nothing but the work is timed. All write
into the `y` that they are given where their interface allows it.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.bench import kernel_header
from onekernel import cuda
from onekernel.backends import declarations
from onekernel.backends.base import BuildError
from onekernel.course import rungs
from onekernel.labs.reader import load
from onekernel.loading import load_module
from onekernel.ops.base import SUFFIXES

FEWEST_ROWS = 1024  # of a kernel with one thread a row: below this it takes seconds and shows nothing
MOST_REREADS = 2e11  # rows x cols x cols of a kernel whose ledger grows with the columns: about 0.3 s on an H200


class Refused(Exception):
    """This contender does not take this shape or type; the text says why."""


@dataclass(frozen=True)
class Contender:
    """`bind(x, y)` -> a call that writes the softmax of x (rows, cols) and returns the tensor that it wrote to.

    `kind` is "exercise", "ladder", "torch" or "peer". `preallocated` says whether it writes into y; `source` is the
    kernel's file, None for a library's.
    """

    name: str
    kind: str
    bind: Callable[[Any, Any], Callable[[], Any]]
    preallocated: bool = True
    source: Path | None = None


def all_contenders(root: Path, files: Sequence[Path] = ()) -> tuple[list[Contender], dict[str, str]]:
    """Every contender that this machine has, and for each absent one the module that is not installed.

    `files` are a learner's own, besides.
    """
    found: list[Contender] = []
    absent: dict[str, str] = {}
    for path, kind, name in [*_sources(root), *((path, "exercise", f"yours/{path.stem}") for path in files)]:
        found.append(_cuda(path, kind, name) if path.suffix == ".cu" else _triton(path, kind, name))
    found += [Contender("F.softmax", "torch", _torch), Contender("torch.compile", "torch", _compiled(), False)]
    for name, module, bind in (("Liger", "liger_kernel", _liger), ("QuACK", "quack", _quack)):
        if importlib.util.find_spec(module) is None:
            absent[name] = module
        else:
            found.append(Contender(name, "peer", bind, name == "QuACK"))
    return found, absent


def _sources(root: Path) -> Iterator[tuple[Path, str, str]]:
    course = load(root)
    for exercise in course.exercises.values():
        if exercise.operator == "softmax":
            yield course.record(exercise), "exercise", exercise.slug
            if course.record(exercise) != course.solution(exercise):
                yield course.solution(exercise), "exercise", f"solution/{exercise.slug}"
    for name, path in rungs(root).items():
        yield path, "ladder", name


def _cuda(path: Path, kind: str, name: str) -> Contender:
    exported = declarations.exported(path)
    header = kernel_header.read(path)
    built: dict[str, Any] = {}

    def bind(x: Any, y: Any) -> Callable[[], Any]:
        import torch

        suffix = SUFFIXES[str(x.dtype).removeprefix("torch.")]
        names = [f"{path.stem}{suffix}"]  # a macro may have written it, which `exported` cannot see
        names += [n for n in exported if (n.endswith(suffix) if suffix else not n.endswith("f16"))]
        rows, cols = x.shape
        if header.row_per_thread and rows < FEWEST_ROWS:
            raise Refused("one thread a row, and too few rows to be worth the wait")
        if header.rereads and rows * cols * cols > MOST_REREADS:
            raise Refused("each output reads its whole row again: seconds at this width")
        if "program" not in built:
            built["program"] = cuda.build(path)
        launcher = _first_export(built["program"], names, suffix or "fp32")
        args = (x.data_ptr(), y.data_ptr(), rows, cols, x.stride(0), y.stride(0))

        def call() -> Any:
            status = launcher(*args, torch.cuda.current_stream().cuda_stream)
            if status:
                raise RuntimeError(f"{path.stem} returned cudaError_t {status}")
            return y

        return call

    return Contender(name, kind, bind, source=path)


def _first_export(program: cuda.CudaProgram, names: list[str], dtype: str) -> Callable[..., int]:
    for name in names:
        try:
            return program.function(name)
        except BuildError:
            continue
    raise Refused(f"no launcher for {dtype.strip('_')}")


def _triton(path: Path, kind: str, name: str) -> Contender:
    def bind(x: Any, y: Any) -> Callable[[], Any]:
        return functools.partial(getattr(load_module(path, once=True), path.stem), x, out=y)

    return Contender(name, kind, bind, source=path)


def _torch(x: Any, y: Any) -> Callable[[], Any]:
    import torch

    # F.softmax has no `out`; it is torch.softmax, which has one, so that the allocator stays out of the figure.
    return lambda: torch.softmax(x, dim=1, out=y)


def _compiled() -> Callable[[Any, Any], Callable[[], Any]]:
    compiled: dict[Any, Any] = {}

    def bind(x: Any, y: Any) -> Callable[[], Any]:
        import torch

        key = (tuple(x.shape), x.dtype, x.data_ptr() % 16)
        if key not in compiled:
            torch._dynamo.reset()  # each shape is compiled for itself: static shapes are its best case
            compiled.clear()
            compiled[key] = torch.compile(functools.partial(torch.nn.functional.softmax, dim=1), dynamic=False)
        return functools.partial(compiled[key], x)

    return bind


def _liger(x: Any, y: Any) -> Callable[[], Any]:
    from liger_kernel.ops.softmax import _softmax_forward

    if x.shape[1] > 65536:
        raise Refused("more than 65536 columns")
    return lambda: _softmax_forward(x)[0]


def _quack(x: Any, y: Any) -> Callable[[], Any]:
    from quack.softmax import _softmax_fwd

    if x.data_ptr() % 16:
        raise Refused("a base pointer that is not 16-byte aligned")

    def call() -> Any:
        _softmax_fwd(x, y)
        return y

    return call
