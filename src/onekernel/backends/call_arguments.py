"""What a launcher is called with: from its operator where it has one, else from its declaration in the file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.backends import declarations
from onekernel.backends.base import Arg, Buffer, Scalar
from onekernel.backends.declarations import Declared
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.ops import OPERATORS, Operator
from onekernel.ops.base import C_TYPES, ELEMENTS, SCALARS, SUFFIXES

GUARD = 256  # bytes around each tensor; a multiple of cudaMalloc's alignment, so that sectors fall as on a GPU
DEFAULT_SHAPES = {1: (4096,), 2: (8, 256), 3: (64, 64, 64)}  # by the number of sizes: small, and every pattern shows
_STRIDES: dict[int, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    1: lambda s: (math.prod(s),),
    2: lambda s: s,
    4: lambda s: (*s, s[-1], s[-1]),
}

Argument = dict[str, Any] | int | Scalar
"""A size, a scalar, or a tensor: {"name", "elements", "itemsize", "dtype", "writable"}."""


def of_operator(operator: Operator, slug: str, shape: Sequence[int] | None, dtype: str) -> tuple[str, list[Argument]]:
    """The launcher of an exercise and its arguments, dense. Raises UserError for a shape of another rank."""
    names = operator.sizes
    shape = tuple(shape) if shape else DEFAULT_SHAPES[len(names)]
    if len(shape) != len(names):
        raise UserError(Message("trace.shape", {"names": ",".join(names), "given": ",".join(map(str, shape))}))
    sizes = dict(zip(names, shape, strict=True))
    for p in operator.parameters:
        if p.row_stride:
            sizes[p.row_stride] = sizes[p.shape[-1]]
    args: list[Argument] = []
    for p in operator.parameters:
        if p.role == "size":
            args.append(sizes[p.name])
        elif p.role in SCALARS:
            args.append(Scalar(p.name, operator.cases[0].scalars[p.name]))
        else:
            args.append(_tensor(p.name, math.prod(sizes.get(name, 1) for name in p.shape), dtype, p.written))
    return slug + SUFFIXES[dtype], args


def of_declared(
    operator: Operator, function: str, shape: Sequence[int] | None, sizes: Mapping[str, int] | None = None
) -> tuple[str, list[Argument]]:
    """The launcher of a small exercise and its arguments, dense, with values as they are drawn for it. `shape` gives
    its sizes in order, else `sizes`, else its largest input. Raises UserError for another number of them."""
    case = max(operator.cases, key=lambda c: sum(c.sizes.values()))
    if shape and len(shape) != len(case.sizes):
        raise UserError(Message("trace.shape", {"names": ",".join(case.sizes), "given": ",".join(map(str, shape))}))
    told = dict(zip(case.sizes, shape, strict=True)) if shape else dict(sizes or case.sizes)
    drawn = case.fill(np.random.default_rng(0), told)
    dims = {p.name: [int(s) if s.isdigit() else told[s] for s in p.shape] for p in operator.parameters}
    strides = {p.row_stride: dims[p.name][-1] for p in operator.parameters if p.row_stride}
    args: list[Argument] = []
    for p in operator.parameters:
        if p.role == "size":
            args.append(strides.get(p.name, told.get(p.name, 0)))
            continue
        tensor = _tensor(p.name, math.prod(dims[p.name]), p.dtype or "float32", p.role == "out")
        args.append(tensor | ({"values": drawn[p.name]} if p.name in drawn else {}))
    return function, args


def of_file(path: Path, shape: Sequence[int] | None, dtype: str = "") -> tuple[str, list[Argument]]:
    """The launcher named as the file is, else its first whose tensors have elements of `dtype`, else its last, and its
    arguments; a tensor has as many elements as the shape.

    Its sizes may be (n), (rows, cols) or (rows, cols, x_row_stride, y_row_stride); or it has the parameters of one of
    the course's operators, by name, and is called as that is. Raises UserError for others.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise UserError(Message.of("cli.not-utf8", path=path, line=line)) from None
    launchers = [f for f in declarations.functions(text) if f.extern_c and f.returns == "cudaError_t"]
    if not launchers:
        raise UserError(Message("trace.no-launcher", {"file": path.name}))
    of_type = [f for f in launchers if dtype and f"{C_TYPES[dtype]}*" in f.parameters[0].replace(" ", "")]
    launcher = next((f for f in of_type or launchers if f.name == path.stem), (of_type or launchers[-1:])[0])
    sizes = sum("int64_t" in p for p in launcher.parameters)
    known = None if sizes in _STRIDES else _operator_of(launcher)
    if known:
        return launcher.name, of_operator(known[0], launcher.name, shape, known[1])[1]
    shape = tuple(shape) if shape else DEFAULT_SHAPES[1 if sizes == 1 else 2]
    if sizes not in _STRIDES or (sizes > 1 and len(shape) != 2):
        raise UserError(Message("trace.launcher", {"file": path.name, "name": launcher.name, "line": launcher.line}))
    values = iter(_STRIDES[sizes](shape))
    return launcher.name, [_of_parameter(p, math.prod(shape), values, launcher, path) for p in launcher.parameters[:-1]]


def _operator_of(launcher: Declared) -> tuple[Operator, str] | None:
    """The operator whose parameters a launcher has, and the element type of the launcher's first tensor; where that
    type has a name of the file's own, the one that the launcher's name ends in."""
    names = [re.split(r"[\s*&]+", p)[-1] for p in launcher.parameters[:-1]]
    found = next((o for o in OPERATORS.values() if [p.name for p in o.parameters] == names), None)
    c_type = launcher.parameters[0].replace("const", "").partition("*")[0].strip()
    by_name = {dtype for dtype, suffix in SUFFIXES.items() if suffix and launcher.name.endswith(suffix)}
    dtype = next((name for name, known in C_TYPES.items() if known == c_type), next(iter(by_name), None))
    return (found, dtype) if found and dtype else None


def _of_parameter(text: str, elements: int, sizes: Any, launcher: Declared, path: Path) -> Argument:
    if "*" not in text:
        return int(next(sizes))
    c_type = text.replace("const", "").partition("*")[0].strip()
    dtype = next((name for name, known in C_TYPES.items() if known == c_type), None)
    if dtype is None:
        raise UserError(Message("trace.launcher", {"file": path.name, "name": launcher.name, "line": launcher.line}))
    return _tensor(text.split("*")[-1].strip(" _&"), elements, dtype, "const" not in text)


def _tensor(name: str, elements: int, dtype: str, writable: bool) -> dict[str, Any]:
    itemsize = ELEMENTS[dtype].itemsize
    return {"name": name, "elements": elements, "itemsize": itemsize, "dtype": dtype, "writable": writable}


def about(args: Sequence[Argument]) -> str:
    """The sizes and the element type of a call: "16 x 1024, float32"; row strides are left out."""
    sizes = [a for a in args if isinstance(a, int)]
    tensors = sum(isinstance(a, dict) for a in args)
    sizes = sizes[: max(2, len(sizes) - tensors)] if len(sizes) > tensors else sizes  # a stride at most for each tensor
    dtype = next((a["dtype"] for a in args if isinstance(a, dict)), "")
    return ", ".join(part for part in (" x ".join(map(str, sizes)), dtype) if part)


def buffers(args: Sequence[Argument]) -> list[Arg]:
    """The arguments as a backend takes them, random values in every tensor that is read and brings none."""
    rng = np.random.default_rng(0)
    out: list[Arg] = []
    for arg in args:
        if isinstance(arg, int | Scalar):
            out.append(arg)
            continue
        drawn = arg["values"] if "values" in arg else rng.standard_normal(arg["elements"], dtype=np.float32)
        values = np.asarray(drawn).astype(ELEMENTS[arg["dtype"]]).ravel()
        memory = np.full(values.nbytes + 2 * GUARD, 0xFF, np.uint8)
        if not arg["writable"]:
            memory[GUARD : GUARD + values.nbytes] = values.view(np.uint8)
        out.append(Buffer(arg["name"], memory, GUARD, values.nbytes, arg["writable"], arg["itemsize"]))
    return out
