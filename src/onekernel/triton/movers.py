"""torch's operators as torch has them: while one that moves numbers runs, the memory of tensors is open, and code of
the file's may not run in it.

Such code can come between in each of torch's ways: a class of tensors, a mode of functions or of operators, an
implementation in Python, another function in an operator's place.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

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
