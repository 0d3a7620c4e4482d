"""Whose a class, a function or a module is: what was there before a file was loaded.

What something says of its own origin, `__module__` and `__qualname__`, is the file's to choose, and so is what a file
puts into a module later.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

_PYTHONS = (NoneType, bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice)
_LANGUAGE = ("triton.language", "triton.tools.tensor_descriptor")

_tritons: dict[int, Any] = {}  # held, so that nothing else gets its id
_names: dict[int, frozenset[str]] = {}  # of its modules
_classes: dict[int, type] = {}  # those whose methods may run in a kernel
_doors: set[str] = set()


def remember() -> None:
    """Learns what is there, before a file is loaded."""
    import torch

    modules = [m for n, m in [*sys.modules.items()] if n.split(".")[0] == "triton" and isinstance(m, ModuleType)]
    _tritons.update((id(m), m) for m in modules)
    _names.update((id(m), frozenset(vars(m))) for m in modules)
    inside, beside = set[str](), set[str]()
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, type | FunctionType):
                _tritons[id(value)] = value
            elif isinstance(value, ModuleType):
                (inside if value.__name__.split(".")[0] == "triton" else beside).add(name)
    _doors.update(beside - inside)
    language = (c for c in _tritons.values() if isinstance(c, type) and c.__module__.startswith(_LANGUAGE))
    torchs = (torch.Tensor, torch.nn.Parameter, torch.dtype, torch.device, torch.Size)
    numbers = (c for c in np.sctypeDict.values() if c is not np.object_)
    _classes.update((id(c), c) for c in (*language, *torchs, *numbers, *_PYTHONS))


def is_tritons(value: Any) -> bool:
    """Whether a class, a function or a module was in a module of Triton's then."""
    return id(value) in _tritons


def had(module: Any, name: str) -> bool:
    """Whether it is a module of Triton's that had something by this name; that it is the same, `tools` watches."""
    return name in _names.get(id(module), ())


def is_known(kind: type) -> bool:
    """Whether a class is one that kernels work with: Python's, NumPy's numbers, tensors, Triton's types."""
    return id(kind) in _classes


def leads_out(name: str) -> bool:
    """Whether a module of Triton's has a module of somebody else's by this name: tl.core.builtins."""
    return name in _doors
