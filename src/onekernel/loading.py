"""A Python file as a module, wherever it lies."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_module(path: Path, *, once: bool = False) -> ModuleType:
    """Executes the file, without leaving a __pycache__ beside it, and returns its module; what it raises comes through.
    `once`: as it was loaded before, where it was, with what Triton has compiled and tuned for its functions.

    The module stands in sys.modules under a name of its own: dataclasses and pickle look its classes up there, Triton
    a kernel's source.
    """
    name = f"onekernel_file_{path.stem}"
    if once and (known := sys.modules.get(name)) and known.__file__ == str(path):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    finally:
        sys.dont_write_bytecode = before
    return module
