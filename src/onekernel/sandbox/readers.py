"""What is read of a Python file that is not run: its constants, what it imports.

They are called through `onekernel.sandbox.reader`, in a process of their own, and import nothing heavy.
"""

from __future__ import annotations

import ast
import operator

ALLOWED = {"__future__", "collections", "dataclasses", "functools", "itertools", "math", "statistics", "typing"}
_BEHIND = {"eval", "exec", "compile", "getattr", "setattr", "vars", "globals", "locals", "open", "breakpoint"}


_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_MOST = 1e15  # no count is that large, and no arithmetic goes on beyond it


def constants(text: str) -> dict[str, str]:
    """The module's NAME = "string" lines. The file is parsed, not executed. Raises SyntaxError."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = str(node.value.value)
    return found


def figures(text: str) -> dict[str, float | str]:
    """The module's NAME = number or "word" lines; a number may be arithmetic, 32 * 4. Parsed, not executed. Raises
    SyntaxError."""
    found: dict[str, float | str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = _value(node.value)
            if value is not None:
                found[node.targets[0].id] = value
    return found


def _value(node: ast.expr) -> float | str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float | str) and _small(node.value) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand)
        return -inner if isinstance(inner, int | float) else None
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ARITHMETIC:
        return None
    left, right = _value(node.left), _value(node.right)
    if isinstance(left, str) or isinstance(right, str) or left is None or right is None:
        return None
    try:
        result: float = _ARITHMETIC[type(node.op)](left, right)
    except ZeroDivisionError:
        return None
    return result if _small(result) else None


def _small(value: float | str) -> bool:
    return isinstance(value, str) or abs(value) <= _MOST


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
