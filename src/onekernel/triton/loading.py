"""Loads a learner's Python file as a module, without touching sys.path or naming it like a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_module(path: Path) -> ModuleType:
    """Executes the file and returns its module. Whatever the file raises comes through.

    The module is registered in sys.modules under a name of its own, because Triton looks a kernel's source up there.
    """
    name = f"onekernel_exercise_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
