"""Tables in the pages, written from result files between two markers, and the check that none of them is stale.

    <!-- table: h200/softmax/float32 -->
    ...written by `python -m audits.book tables`...
    <!-- /table -->

A name is GPU/BENCH/PART and stands for bench/results/GPU/BENCH.json. Any bench can have tables: they are MADE from its
figures, or its file carries them under "tables": {PART: {"columns": [...], "rows": [[...]]}}, where a text is a string
or {"en": ..., "es": ...}, and "under" the line below it where that is not the caption, "" for none.
The part "caption" is the line under a figure: what it was measured on, when, and by which command.
audits/NAME/PART stands for audits/results/NAME.json, what maintainers measure of the product itself.
Two names are no result's: simulator/findings, the table of what the simulator finds, from its records, and
simulator/support, of what it has of CUDA, each row with the tests that prove it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from audits.bench.fusion import tables as fusion
from audits.bench.gemm import tables as gemm
from audits.bench.roofline import tables as roofline
from audits.bench.softmax import tables as softmax
from audits.records import results
from audits.words import caption, grid
from onekernel.author.findings import examples
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.simulator.read import records

CAPTION, AUDITS = "caption", "audits"
FINDINGS, SUPPORT = "simulator/findings", "simulator/support"
# Tables that are made from a bench's figures; every other bench keeps its tables in its file.
MADE = {
    "softmax": softmax.PARTS, "roofline": roofline.PARTS, "fusion": fusion.PARTS, "gemm": gemm.PARTS,
    "gemm_ncu": gemm.READINGS,
}  # fmt: skip
_OPEN = re.compile(r"^<!-- table: (?P<name>\S+) -->$")
_CLOSE = re.compile(r"^<!-- /table(?:: \S+)? -->$")
_PAGES = ("*.md", "docs/**/*.md", "labs/**/*.md", "profiles/**/*.md", "bench/**/*.md", "learners/*.md")


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Rewrites every table of the pages under `root` from the result files; with `check` only compares.

    Returns the pages whose tables were stale. Raises UserError for a marker without its result file, without its
    end, or with a name that no bench has.
    """
    return rewrite(pages(root), lambda page, text: filled(text, page, root), check)


def rewrite(pages: Iterable[Path], filled: Callable[[Path, str], str], check: bool) -> list[Path]:
    """Writes each page as `filled` makes it of the page and its text; with `check` only compares. The stale pages."""
    stale = []
    for page in pages:
        old = page.read_text(encoding="utf-8")
        new = filled(page, old)
        if new != old:
            stale.append(page)
            if not check:
                page.write_text(new, encoding="utf-8")
    return stale


def between(text: str, opening: str, closing: str, filled: str) -> str:
    """The text with `filled` on the lines between those two marks; as it is where it has not the first."""
    before, found, rest = text.partition(opening)
    return f"{before}{opening}\n{filled}\n{closing}{rest.partition(closing)[2]}" if found else text


def pages(root: Path) -> Iterator[Path]:
    """The pages that may hold a table, in order."""
    yield from sorted({page for pattern in _PAGES for page in root.glob(pattern) if page.is_file()})


def language_of(page: Path, root: Path) -> str:
    """The language that a page is written in, by its name or its folder."""
    return "es" if page.name.endswith(".es.md") or "es" in page.relative_to(root).parts[:-1] else "en"


def filled(text: str, page: Path, root: Path) -> str:
    """The text of a page with every table made anew."""
    lang = language_of(page, root)
    out: list[str] = []
    lines = iter(enumerate(text.split("\n"), start=1))
    for number, line in lines:
        out.append(line)
        match = _OPEN.match(line.strip())
        if not match:
            continue
        if not any(_CLOSE.match(later.strip()) for later in text.split("\n")[number:]):
            raise _error("stale-open", page, root, number, match["name"])
        for _, skipped in lines:
            if _CLOSE.match(skipped.strip()):
                out += [*table(match["name"], lang, page, root, number), skipped]
                break
    return "\n".join(out)


def table(name: str, lang: str, page: Path, root: Path, line: int) -> list[str]:
    """The lines of one table. Raises UserError."""
    if name == FINDINGS:
        return records.table(lang, examples(root, page))
    if name == SUPPORT:
        return records.support(lang, root, page)
    parts = name.split("/")
    if len(parts) != 3:
        raise _error("stale-unknown", page, root, line, name, known="GPU/BENCH/PART")
    gpu, bench, part = parts
    folder = root / "audits" / "results" if gpu == AUDITS else results(root) / gpu
    path = folder / f"{bench}.json"
    if not path.is_file():
        where = path.relative_to(root).as_posix()
        raise _error("stale-missing", page, root, line, name, path=where)
    data = json.loads(path.read_text(encoding="utf-8"))
    made = MADE.get(data.get("bench", bench), {})  # a file may say whose shape it has, whatever it is called
    if part in made:
        return made[part](path, lang)
    if part == CAPTION:
        return [caption(data, lang)]
    kept: Mapping[str, Any] = data.get("tables", {})
    if part not in kept:
        raise _error("stale-unknown", page, root, line, name, known=", ".join([*made, *kept, CAPTION]))
    under = kept[part].get("under")
    line_under = caption(data, lang) if under is None else under and under[lang]
    return [*_as_kept(kept[part], lang), *(["", line_under] if line_under else [])]


def _as_kept(described: Mapping[str, Any], lang: str) -> list[str]:
    def text(value: Any) -> str:
        return str(value[lang] if isinstance(value, dict) else value)

    rows = [[text(value) for value in row] for row in described["rows"]]
    return grid([text(column) for column in described["columns"]], rows)


def _error(key: str, page: Path, root: Path, line: int, name: str, **values: str) -> UserError:
    where = page.relative_to(root).as_posix()
    return UserError(Message(f"bench.{key}", {"page": where, "line": line, "name": name, **values}))


