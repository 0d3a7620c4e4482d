"""Drawings of how things are built, made by code: one SVG for each language, `docs/img/NAME.svg` and `NAME.es.svg`.

A drawing is a function `(canvas, words)` in one of the modules below; its words, English and Spanish side by side, are
in the TOML file of the module's name. `python -m audits.book drawings` writes the files and, in the pages, the text
that stands for a drawing where it is not seen. What a drawing counts (sectors, banks, bytes) it computes, with the
simulator's rules.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

from audits.book import tables
from audits.book.drawings import (
    cost,
    fusing,
    gemm,
    hopper,
    ladder,
    launch,
    memory,
    reduction,
    torch_,
    triton_,
    warp,
)
from audits.book.drawings.canvas import Canvas
from onekernel.messages import LANGUAGES, localized

Words = Callable[[str], str]
MODULES: tuple[ModuleType, ...] = (
    cost, launch, warp, memory, reduction, ladder, triton_, torch_, fusing, gemm, hopper,
)  # fmt: skip
NAMES = tuple(name for module in MODULES for name in module.DRAWINGS)
_IMAGE = re.compile(r"!\[[^\n]*?\]\((?P<path>(?:\.\./)+(?:docs/)?img/(?P<name>[\w-]+?)(?:\.es)?\.svg)\)")


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes every drawing, and its text in the pages, where they differ; with `check` only lists the files."""
    made = {root / "docs" / "img" / localized(f"{name}.svg", lang): svg(name, lang)
            for name in NAMES for lang in LANGUAGES}  # fmt: skip
    for page in tables.pages(root):
        old = page.read_text(encoding="utf-8")
        new = _told(old, tables.language_of(page, root))
        if new != old:
            made[page] = new
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if not check:
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
    return stale


def svg(name: str, lang: str) -> str:
    """One drawing in one language. Raises KeyError for a word that is missing, ValueError for one without room."""
    module = next(m for m in MODULES if name in m.DRAWINGS)
    height, draw = module.DRAWINGS[name]
    told = words(module)[name]
    canvas = Canvas(height, _in(told["title"], lang), _in(told["about"], lang), lang)
    draw(canvas, lambda key: _in(told[key], lang))
    return canvas.svg()


def about(name: str, lang: str) -> str:
    """What stands for a drawing where it is not seen."""
    return _in(words(next(m for m in MODULES if name in m.DRAWINGS))[name]["about"], lang)


@cache
def words(module: ModuleType) -> dict[str, dict[str, list[str]]]:
    """drawing -> word -> [English, Spanish], from the module's TOML file."""
    return tomllib.loads(Path(str(module.__file__)).with_suffix(".toml").read_text(encoding="utf-8"))


def _in(pair: list[str], lang: str) -> str:
    return pair[LANGUAGES.index(lang)]


def _told(text: str, lang: str) -> str:
    """A page's text with each drawing's own words as its alternative."""

    def image(found: re.Match[str]) -> str:
        known = found["name"] in NAMES
        return f"![{about(found['name'], lang)}]({found['path']})" if known else found[0]

    return _IMAGE.sub(image, text)
