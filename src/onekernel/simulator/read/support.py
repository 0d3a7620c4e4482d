"""The table of what of CUDA the simulator has: each row of support.toml with the tests and files that prove it."""

from __future__ import annotations

import ast
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

from onekernel.errors import UserError
from onekernel.messages import Message

FILE = Path(__file__).parents[1] / "support.toml"


def table(lang: str, root: Path, page: Path) -> list[str]:
    """The lines of the table for `page`. Raises UserError where what a row names is not there."""
    heads = [Message(f"simulator.column-{column}").text(lang) for column in ("what", "state", "shown")]
    rows = [f"| {' | '.join(heads)} |", "|---|---|---|"]
    for name, row in tomllib.loads(FILE.read_text(encoding="utf-8")).items():
        state = Message(f"simulator.support-{row['state']}").text(lang)
        links = ", ".join(_link(shown, name, root, page) for shown in row["shown"])
        rows.append(f"| {row['what'][lang]} | {state} | {links} |")
    return rows


def _link(shown: str, name: str, root: Path, page: Path) -> str:
    file, _, test = shown.partition("::")
    path = root / file
    if not path.is_file() or (path.suffix == ".py" and test not in _tests(path)):
        raise UserError(Message("simulator.support-missing", {"name": name, "shown": shown}))
    return f"[{test.removeprefix('test_') or path.stem}]({os.path.relpath(path, page.parent)})"


def _tests(path: Path) -> Iterable[str]:
    """The functions of a file that pytest collects."""
    if not path.name.startswith("test_"):
        return ()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return [f.name for f in body if isinstance(f, ast.FunctionDef) and f.name.startswith("test_")]
