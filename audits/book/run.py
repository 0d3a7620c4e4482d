"""The parts of the book, each written anew, or with --check only compared with what it is made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from onekernel.arguments import Parser
from onekernel.course import find_root
from onekernel.messages import say


def tables(root: Path, check: bool) -> list[Path]:
    """The tables of the pages, the lists, the excerpts, and the numbers in their sentences."""
    from audits.book import excerpts, floors, practice, samples, tables, values

    made = (tables, values, samples, practice, floors, excerpts)
    return sorted({page for each in made for page in each.refresh(root, check)})


def figures(root: Path, check: bool) -> list[Path]:
    from audits.book import figures

    return figures.refresh(root, check)


def drawings(root: Path, check: bool) -> list[Path]:
    from audits.book import drawings

    return drawings.refresh(root, check)


def machine_code(root: Path, check: bool) -> list[Path]:
    from audits.book import machine_code

    return machine_code.refresh(root, check)


def recording(root: Path, check: bool) -> list[Path]:
    from audits.book import recording

    return recording.refresh(root, check)


PARTS: dict[str, Callable[[Path, bool], list[Path]]] = {
    "tables": tables, "figures": figures, "drawings": drawings, "machine-code": machine_code,
    "recording": recording,
}  # fmt: skip
"""By the word of the command; the files that were stale. Each raises UserError."""


def main(argv: Sequence[str]) -> int:
    """Writes a part; with --check, lists the files in which it is stale, and is 1 where there are any."""
    parser = Parser(prog="python -m audits.book", description=say("bench.about-book"))
    parser.add_argument("part", choices=PARTS, metavar="PART", help=say("bench.opt-book-part"))
    parser.add_argument("--check", action="store_true", help=say("cli.opt-author-check"))
    options, root = parser.parse_args(argv), find_root()
    stale = PARTS[options.part](root, options.check)
    for path in stale:
        print(path.relative_to(root))
    state = "-fresh" if not stale else "-stale" if options.check else "-written"
    print(say(f"bench.{options.part}{state}", count=len(stale)))
    return int(options.check and bool(stale))
