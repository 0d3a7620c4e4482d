"""The reasons for an autotuner's configurations: the comments beside them, read and never run.

A configuration may stand in the decorator or in a constant that it names: comments count at both, in the lines
themselves and in those directly above.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator


def words_of_reasons(text: str) -> int:
    """How many different words the comments beside the configurations have. 0 for a file that is not Python."""
    try:
        tree = ast.parse(text)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        comments = {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return 0
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    constants = {name.id: node for node in assigned for name in node.targets if isinstance(name, ast.Name)}
    words: set[str] = set()
    for line in _lines(tree, constants):
        words |= {w.strip(".,;:()`").lower() for w in comments.get(line, "").lstrip("#").split()}
    return len({w for w in words if any(c.isalpha() for c in w)})


def _lines(tree: ast.Module, constants: dict[str, ast.Assign]) -> Iterator[int]:
    """The lines of each `configs=` argument of a decorator and of the constants that it names, and six above each."""
    for function in ast.walk(tree):
        for decorator in getattr(function, "decorator_list", []):
            for keyword in getattr(decorator, "keywords", []):
                if keyword.arg != "configs":
                    continue
                names = {n.id for n in ast.walk(keyword.value) if isinstance(n, ast.Name)}
                used = [constants[name] for name in names & constants.keys()]
                for node in (decorator, *used):
                    yield from range(node.lineno - 6, (node.end_lineno or node.lineno) + 1)
