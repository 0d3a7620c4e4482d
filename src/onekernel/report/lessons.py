"""What a page for a student takes from the chapters: of the section that explains a failure its title, its first
paragraph and its first picture, so that the page needs nothing beside it."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onekernel.report.text import chapter_link

_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
_HEADING = re.compile(r"^#+ +.+$", re.MULTILINE)
_AT_A_HEADING = re.compile(r'(?:\s|<a id="[\w-]+"></a>)*#')
MOST_BYTES = 300_000  # of a picture; a larger one is left to the chapter


@dataclass(frozen=True)
class Lesson:
    """A section of a chapter. `picture` is an address with the picture in it; "" where the section has none."""

    chapter: str
    link: str
    title: str
    text: str
    picture: str
    alt: str


@cache
def lesson(root: Path, chapter: str, lang: str) -> Lesson | None:
    """The section `PAGE#ANCHOR` of the course at `root`; None where there is none."""
    page, _, anchor = chapter.partition("#")
    path = root / "docs" / lang / f"{page}.md"
    if not chapter or not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    if anchor:
        mark = f'<a id="{anchor}"></a>'
        if mark not in text:
            return None
        above, text = text.split(mark, 1)
        if not _AT_A_HEADING.match(text):  # the anchor of a whole page stands below its title
            text = "".join(_HEADING.findall(above)[-1:]) + text
    title, body = _section(text)
    picture = re.search(r"^!\[(?P<alt>[^\]]*)\]\((?P<file>[^)]+)\)", body, re.MULTILINE)
    shown, alt = (_embedded(path.parent / picture["file"]), picture["alt"]) if picture else ("", "")
    return Lesson(chapter, chapter_link(chapter, lang), title, _paragraph(body), shown, alt)


def _section(text: str) -> tuple[str, str]:
    """The title and the text of the first section."""
    heading = _HEADING.search(text)
    if not heading:
        return "", text
    body = text[heading.end() :]
    return _plain(heading[0].lstrip("# ")), re.split(r"^#+ ", body, maxsplit=1, flags=re.MULTILINE)[0]


def _paragraph(body: str) -> str:
    """The first paragraph of prose."""
    for part in re.split(r"\n\s*\n", body.strip("\n")):
        words = part.strip()
        if words and not re.match(r"(!\[|<|\||```|    |[-*] |\d+\. |#|\*\*|>)", part.lstrip("\n")):
            return _plain(" ".join(words.split()))
    return ""


def _plain(text: str) -> str:
    """Markdown's words alone."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(?<!<)</?[a-z][a-z0-9]*(?: [^<>]*)?>|[*`]", "", text)  # a tag, and not kernel<<<blocks>>>


def _embedded(path: Path) -> str:
    """A picture as an address that holds it."""
    kind = _KINDS.get(path.suffix)
    if kind is None or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return ""
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
