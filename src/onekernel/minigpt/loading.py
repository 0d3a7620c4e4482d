"""A Python file as a module, wherever it lies."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_module(source: Path) -> ModuleType:
    """Imports a file by its path, without leaving a __pycache__ beside it."""
    spec = importlib.util.spec_from_file_location(f"submission_{source.stem}", source)
    if spec is None or spec.loader is None:
        raise ImportError(f"{source} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses and pickle look a class's module up there
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module
