"""Code in the pages that is a part of a tested file: a whole function, by its name.

`<!-- excerpt: solutions/ladder/2_shared_tree.cu block_sum -->` and `<!-- /excerpt -->` stand around it; what is between
them `python -m audits.book tables` writes, so that the page and the file cannot drift apart. In a Spanish page its
comments are those of `comments.es.txt` beside the file, where there is one.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from audits.book import tables
from onekernel import comments
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.simulator.facts import facts_of

_MARK = re.compile(r"(<!-- excerpt: (?P<path>\S+) (?P<name>\w+) -->\n).*?(<!-- /excerpt -->)", re.S)
_FENCES = {".cu": "cuda", ".py": "python"}


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes every excerpt anew; with `check` only compares. The pages that were stale."""

    def filled(page: Path, text: str) -> str:
        def one(found: re.Match[str]) -> str:
            return f"{found[1]}{fenced(root, Path(found['path']), found['name'], page)}{found[4]}"

        return _MARK.sub(one, text)

    return tables.rewrite(tables.pages(root), filled, check)


def fenced(root: Path, path: Path, name: str, page: Path) -> str:
    """The function of a file as a block of code. Raises UserError where the file has no such function."""
    file = root / path
    body = function(file.read_text(encoding="utf-8"), path.suffix, name) if file.is_file() else None
    if body is None:
        told = {"page": str(page.relative_to(root)), "path": str(path), "name": name}
        raise UserError(Message("book.no-excerpt", told))
    words = file.with_name(f"comments.{tables.language_of(page, root)}.txt")
    if words.is_file():
        body = comments.translated(body, path.suffix, comments.table(words))
    return f"```{_FENCES[path.suffix]}\n{body}```\n"


def function(text: str, suffix: str, name: str) -> str | None:
    """A function's own lines, from its head to its last; None where there is not just one of that name."""
    lines = text.splitlines(keepends=True)
    if suffix == ".py":
        defined = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == name]
        spans = [(min([n.lineno, *(d.lineno for d in n.decorator_list)]) - 1, n.end_lineno or 0) for n in defined]
    else:
        spans = [(f.line - 1, f.last_line) for f in facts_of(text).functions if f.name == name]
    return "".join(lines[slice(*spans[0])]) if len(spans) == 1 else None
