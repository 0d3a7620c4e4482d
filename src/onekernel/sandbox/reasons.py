"""The reasons for an autotuner's configurations: the comments beside them, read and never run.

A configuration may be written in the decorator, in a list, or in a function or a loop that makes the list: comments
count at each of them, in the lines themselves and in those directly above.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

ABOVE = 6  # lines above a configuration that still are beside it
NAMES = ("autotune", "Config")  # of the functions that take a configuration, as triton.Config or imported by name


def words_of_reasons(text: str) -> int:
    """How many different words the comments beside the configurations have. 0 for a file that is not Python."""
    try:
        tree = ast.parse(text)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        comments = {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}
        words: set[str] = set()
        for node in _written(tree):
            for line in range(node.lineno - ABOVE, (node.end_lineno or node.lineno) + 1):
                words |= {w.strip(".,;:()`").lower() for w in comments.get(line, "").lstrip("#").split()}
    except (SyntaxError, ValueError, tokenize.TokenError):
        return 0
    return len({w for w in words if any(c.isalpha() for c in w)})


def _written(tree: ast.Module) -> Iterator[ast.stmt | ast.expr]:
    """Where configurations are written: calls of autotune and Config, and what the names in them stand for."""
    makers: dict[str, list[ast.stmt]] = {}
    for node in ast.walk(tree):
        for name in _makes(node):
            makers.setdefault(name, []).append(node)  # type: ignore[arg-type]  # statements, as _makes says
    todo: list[ast.stmt | ast.expr] = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _called(n) in NAMES]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        for name in dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
            todo += makers.get(name, [])


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _makes(node: ast.AST) -> Iterator[str]:
    """The names to which a statement gives a value, or adds: an assignment, a loop, a function, `NAME.append(...)`."""
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For):
        targets = [node.target]
    elif isinstance(node, ast.FunctionDef):
        if not any(_is_kernel(d) for d in node.decorator_list):
            yield node.name
        return
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        targets = [function.value] if isinstance(function, ast.Attribute) else []
    else:
        return
    for target in targets:
        yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _is_kernel(decorator: ast.expr) -> bool:
    """Whether a decorator makes a Triton function: its comments are about what it computes."""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(name, "attr", getattr(name, "id", "")) in ("jit", "autotune", "heuristics")
