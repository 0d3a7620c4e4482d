"""What is read of a Python file that is not run: its constants, what it imports.

They are called through `onekernel.sandbox.reader`, in a process of their own, and import nothing heavy.
"""

from __future__ import annotations

import ast

ALLOWED = {"__future__", "collections", "dataclasses", "functools", "itertools", "math", "statistics", "typing"}
_BEHIND = {"eval", "exec", "compile", "getattr", "setattr", "vars", "globals", "locals", "open", "breakpoint"}


def constants(text: str) -> dict[str, str]:
    """The module's NAME = "string" lines. The file is parsed, not executed. Raises SyntaxError."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = str(node.value.value)
    return found


def peeks(text: str) -> tuple[int, str] | None:
    """The first import that a benchmark does not need, or name that looks behind the device, and its line. Raises
    SyntaxError.
    """
    for node in ast.walk(ast.parse(text)):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
        names = [node.attr] if isinstance(node, ast.Attribute) else [node.id] if isinstance(node, ast.Name) else []
        hidden = [n for n in names if (n.startswith("_") and n != "_") or n in _BEHIND]
        foreign = [m for m in modules if m.split(".")[0] not in ALLOWED]
        if foreign or hidden:
            return getattr(node, "lineno", 0), (*foreign, *hidden)[0]
    return None
