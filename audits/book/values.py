"""Measured numbers inside a sentence of a page, written from where they were measured.

    it runs at <!-- value: h200 percent float32 8192x4096 ladder/4_online -->41<!-- /value --> % of a copy

After the card comes the kind: `percent [FILE/]DTYPE ROWSxCOLS CONTENDER`, of a copy of the same tensors (softmax.json);
`roof NAME` with a name of `ROOFS` (roofline.json); `profile SLUG FIELD` with a field of `READ` or a stall's name, its
share of all waiting (profiles/); `cell BENCH/PART | ROW | COLUMN`, what a table of the pages has where its row begins
so and its column is called so in English, with `| N` the N-th number of it; `lines FILE`, the lines of code of a file,
without comments and blank lines. What is counted in the course has no card: `course exercises`, `course labs` or
`course small`. The unit stands outside of the markers. `python -m audits.book tables` writes them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from audits.bench.softmax import results
from audits.book import tables
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.labs.reader import load as load_course
from onekernel.messages import Message
from onekernel.numerals import number
from onekernel.profiling import load
from onekernel.profiling.reading import Reading, read

_VALUE = re.compile(r"<!-- value: (?P<card>[a-z0-9-]+) (?P<what>[^>]+?) -->[^<]*<!-- /value -->")
_NUMBER = re.compile(r"\d[\d.,]*")
# A field of a reading as a sentence has it: its value, how it is written.
READ: dict[str, tuple[Callable[[Reading], float], str]] = {
    "dram": (lambda r: r.dram_percent, ".0f"),
    "multiprocessors": (lambda r: r.sm_percent, ".0f"),
    "issue": (lambda r: r.issue_percent, ".0f"),
    "ready": (lambda r: r.ready, ".0f"),
    "achieved": (lambda r: r.achieved, ".0f"),
    "possible": (lambda r: r.theoretical, ".0f"),
    "seconds": (lambda r: 1e6 * r.seconds, ".1f"),  # µs
    "over-copy": (lambda r: r.seconds / r.floor, ".2f"),
}
ROOFS: dict[str, tuple[Callable[[Mapping[str, float]], float], str]] = {
    "copy": (lambda roofs: roofs["copy"] / 1e12, ".2f"),  # TB/s
    "datasheet": (lambda roofs: roofs["datasheet"] / 1e12, ".2f"),  # TB/s
    "fma": (lambda roofs: roofs["fma"] / 1e12, ".1f"),  # TFLOP/s
    "ridge": (lambda roofs: roofs["fma"] / roofs["copy"], ".1f"),  # FLOP/byte
}
COUNTED: dict[str, Callable[[Course], int]] = {
    "exercises": lambda course: len(course.exercises) - len(course.practice),
    "labs": lambda course: len({e.lab for e in course.exercises.values() if not e.home}),
    "small": lambda course: len(course.practice),
}


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes every value of the pages under `root` anew; with `check` only compares. The pages that were stale.

    Raises UserError for a value that no result has.
    """
    return tables.rewrite(tables.pages(root), lambda page, text: filled(text, page, root), check)


def filled(text: str, page: Path, root: Path) -> str:
    """The text of a page with each value made anew, in the page's language."""
    lang = tables.language_of(page, root)

    def made(found: re.Match[str]) -> str:
        try:
            shown = value(found["card"], found["what"].split(), root, lang)
        except (LookupError, ValueError, OSError, StopIteration) as error:
            where = page.relative_to(root).as_posix()
            raise UserError(Message("bench.value-unknown", {"page": where, "value": found["what"]})) from error
        return f"<!-- value: {found['card']} {found['what']} -->{shown}<!-- /value -->"

    return _VALUE.sub(made, text)


def value(card: str, what: list[str], root: Path, lang: str) -> str:
    """One number. Raises LookupError, ValueError, OSError or StopIteration for what is nowhere recorded."""
    kind, *names = what
    if kind == "cell":
        return _cell(card, [part.strip() for part in " ".join(names).split("|")], root, lang)
    if card == "course":
        return str(COUNTED[kind](load_course(root)))
    measured = root / "bench" / "results" / card
    if kind == "percent":
        measured_in, shape, contender = names
        file, _, dtype = measured_in.rpartition("/")
        rows, cols = map(int, shape.split("x"))
        cases = results.read(measured / f"{file or 'softmax'}.json")[1]
        case = next(c for c in cases if (c.dtype, c.rows, c.cols, c.shift) == (dtype, rows, cols, 0))
        return number(100 * _there(case.of_copy(contender)), ".0f", lang)
    if kind == "roof":
        (name,) = names
        of, spec = ROOFS[name]
        return number(of(json.loads((measured / "roofline.json").read_text(encoding="utf-8"))["roofs"]), spec, lang)
    if kind == "lines":
        (file,) = names
        return str(len(code_lines((root / file).read_text(encoding="utf-8"), file)))
    if kind == "profile":
        slug, field = names
        return _of_profile(root / "profiles" / card / f"{slug}.json", field, lang)
    raise KeyError(kind)


def _cell(card: str, where: list[str], root: Path, lang: str) -> str:
    part, row, column, *nth = where
    page = root / "docs" / "en" / "results.md"
    found, english = ([_cells(line) for line in tables.table(f"{card}/{part}", one, page, root, 0)
                       if line.startswith("|")] for one in (lang, "en"))  # fmt: skip
    at = next(n for n, cells in enumerate(english) if f"{' '.join(cells)} ".startswith(f"{row} "))
    text = found[at][english[0].index(column)]
    return _NUMBER.findall(text)[int(nth[0]) - 1] if nth else text


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]


def code_lines(text: str, name: str) -> list[str]:
    """The lines that a machine reads: no blank ones, no comments, no docstrings."""
    if name.endswith(".py"):
        for found in ast.walk(ast.parse(text)):
            if isinstance(found, ast.Module | ast.FunctionDef) and ast.get_docstring(found, clean=False) is not None:
                told = found.body[0]
                lines = text.split("\n")
                lines[told.lineno - 1 : told.end_lineno] = [""] * ((told.end_lineno or told.lineno) - told.lineno + 1)
                text = "\n".join(lines)
    comment = "#" if name.endswith(".py") else "//"
    return [line for line in text.split("\n") if line.strip() and not line.strip().startswith(comment)]


def _of_profile(path: Path, field: str, lang: str) -> str:
    kept = load(path)
    r = read(kept.kernels[0], kept.ideal_read, kept.ideal_written, float(kept.device["datasheet_bandwidth"]))
    if field in READ:
        of, spec = READ[field]
        return number(of(r), spec, lang)
    return number(100 * dict(r.stalls)[field], ".0f", lang)


def _there(share: float | None) -> float:
    if share is None:
        raise KeyError("no time")
    return share
