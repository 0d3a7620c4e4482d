"""Which file of the repository is which page of the site; the order and the sections are those of docs/site.toml.

A page has the same address in each language, below `en/` and `es/`: the switch between languages exchanges one word.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, localized

CONFIG = Path("docs") / "site.toml"
_TITLE = re.compile(r"^# (.+)$", re.M)
_UNSAID = re.compile(r"<!--.*?-->|^    [^\n]*$", re.M | re.S)  # comments, and code that is set in
_TO = re.compile(r"\[([^\]]*)\]\([^)]*\)")
LONGEST = 160  # characters of what is said about a page
_FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


@dataclass(frozen=True)
class Page:
    """A Markdown file and its place on the site. `address` has no language and no suffix: "labs/00-hello-cuda"."""

    source: Path  # relative to the repository
    lang: str
    address: str

    @property
    def file(self) -> Path:
        """Where it is staged, relative to its language's folder."""
        return Path(f"{self.address}.md")


@dataclass(frozen=True)
class Section:
    titles: dict[str, str]
    names: tuple[str, ...]


class Book:
    """The pages of one repository: those of docs/site.toml, and every Markdown file that they lead to."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def has_front(self) -> bool:
        """Whether there is a front page beside the README, whose place it takes."""
        return (self.root / "docs" / "en" / "index.md").is_file()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        said = tomllib.loads((self.root / CONFIG).read_text(encoding="utf-8"))
        return tuple(Section({lang: s[lang] for lang in LANGUAGES}, tuple(s["pages"])) for s in said["section"])

    def listed(self, lang: str) -> list[Page]:
        """The pages of the contents, in order. Raises UserError for one that is not there."""
        return [self.page(name, lang) for section in self.sections for name in section.names]

    def page(self, name: str, lang: str) -> Page:
        """The page that docs/site.toml calls `name`: its path without language and suffix."""
        found = self.at(_source_of(self.root, name, lang))
        if not (self.root / found.source).is_file():
            raise UserError(Message("site.no-page", {"page": str(found.source), "config": str(CONFIG)}))
        return found

    def at(self, source: Path) -> Page:
        """The page that a Markdown file becomes; one without a Spanish sibling has an address all the same."""
        parts = list(source.with_suffix("").parts)
        lang = "es" if parts[-1].endswith(".es") or parts[:2] == ["docs", "es"] else "en"
        parts[-1] = parts[-1].removesuffix(".es")
        if parts[0] == "docs":
            parts = parts[2:]
        if parts == ["README"] and self.has_front:
            parts = ["readme"]
        if parts[-1] == "README":
            parts[-1] = "index"
        return Page(source, lang, "/".join(parts))

    def title(self, page: Page) -> str:
        """The page's first heading, without code marks."""
        text = _FENCE.sub("", (self.root / page.source).read_text(encoding="utf-8"))
        found = _TITLE.search(text)
        if found is None:
            raise UserError(Message("site.no-title", {"page": str(page.source)}))
        return found[1].replace("`", "")

    def about(self, page: Page) -> str:
        """The beginning of the page's first paragraph, without marks: what is shown where the page is linked. "" for a
        page that has none."""
        text = _UNSAID.sub("", _FENCE.sub("", (self.root / page.source).read_text(encoding="utf-8")))
        prose = (part.strip() for part in text.split("\n\n"))
        first = next((part for part in prose if part and part[0] not in "#|![<>-*+0123456789:"), "")
        plain = re.sub(r"[*`]|(?<!\w)_|_(?!\w)|</?[a-z]+>", "", _TO.sub(r"\1", " ".join(first.split())))
        return plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"

    def forgotten(self) -> list[Path]:
        """Pages of docs/ and statements of labs that the contents do not list."""
        kinds = (*(f"docs/{lang}/*.md" for lang in LANGUAGES), "labs/*/README*.md")
        there = {path.relative_to(self.root) for kind in kinds for path in self.root.glob(kind)}
        return sorted(there - {page.source for lang in LANGUAGES for page in self.listed(lang)})


def _source_of(root: Path, name: str, lang: str) -> Path:
    """ "docs/learner" in Spanish is docs/es/learner.md; "labs/00-hello-cuda" is its README.es.md."""
    first, _, rest = name.partition("/")
    if first == "docs":
        return Path("docs") / lang / f"{rest}.md"
    path = Path(name)
    if (root / path).is_dir():
        return path / localized("README.md", lang)
    return path.with_name(localized(f"{path.name}.md", lang))
