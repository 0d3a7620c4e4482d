"""What TOML files say of the simulator, and the pages' tables of it. The records of findings.toml: a finding's code,
the chapter that teaches it, its sentences, its row of a table. The rows of support.toml: what of CUDA there is."""

from __future__ import annotations

import ast
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from onekernel.errors import UserError
from onekernel.messages import Message

FILE = Path(__file__).parents[1] / "findings.toml"
SUPPORT = Path(__file__).parents[1] / "support.toml"


@dataclass(frozen=True)
class Record:
    """What is known of a finding before it happens. `forms`: of its sentences; {""} where there is one alone."""

    name: str
    codes: tuple[str, ...]
    chapter: str | None
    forms: frozenset[str]
    means: Mapping[str, str]  # by language; empty where it shares the row of another record, or has none
    row: str | None
    severity: str = "error"

    def says(self, form: str, values: Mapping[str, Any]) -> Message:
        """The sentence of that form, with the values as they are now: it may become one of them itself."""
        return Message(f"simulator.{self.name}-{form}" if form else f"simulator.{self.name}", dict(values))


@cache
def records() -> tuple[Record, ...]:
    """All records, in the file's order."""
    return tuple(_record(name, data) for name, data in tomllib.loads(FILE.read_text(encoding="utf-8")).items())


@cache
def by_code() -> Mapping[str, Record]:
    """The record of each code."""
    return {code: record for record in records() for code in record.codes}


def table(lang: str, examples: Mapping[str, str] | None = None) -> list[str]:
    """The lines of the pages' table of findings: codes, what they mean, and with `examples`, which has a link for each
    code that is shown somewhere, the first of these."""
    columns = ("code", "means", *(("example",) if examples is not None else ()))
    rows = _heads(lang, columns)
    for record in records():
        if record.means:
            shared = [record, *(other for other in records() if other.row == record.name)]
            codes = [code for each in shared for code in each.codes]
            cells = [", ".join(f"`{code}`" for code in codes), record.means[lang]]
            if examples is not None:
                cells.append(next((examples[code] for code in codes if code in examples), ""))
            rows.append(f"| {' | '.join(cells)} |")
    return rows


def _heads(lang: str, columns: Sequence[str]) -> list[str]:
    heads = [Message(f"simulator.column-{column}").text(lang) for column in columns]
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(columns)]


def _record(name: str, data: Mapping[str, Any]) -> Record:
    says = data["says"]
    return Record(
        name=name,
        codes=tuple(data.get("codes", (name,))),
        chapter=data.get("chapter"),
        forms=frozenset({""} if "en" in says else says),
        means=data.get("means", {}),
        row=data.get("row"),
        severity=data.get("severity", "error"),
    )


def support(lang: str, root: Path, page: Path) -> list[str]:
    """The lines of the table for `page` of what of CUDA the simulator has, each row with the tests and files that prove
    it. Raises UserError where what a row names is not there."""
    rows = _heads(lang, ("what", "state", "shown"))
    for name, row in tomllib.loads(SUPPORT.read_text(encoding="utf-8")).items():
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
