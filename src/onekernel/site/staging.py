"""Zensical's input, written from the repository's own Markdown: one folder for each language, each link led to where
its target stands on the site. A file that is linked and is no Markdown becomes a page that shows it; a picture comes
along. What leads nowhere is collected and refused.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, localized
from onekernel.site import play
from onekernel.site.pages import Book, Page

PICTURES = {".svg", ".png", ".jpg", ".gif"}
SHOWN = {".cu": "cuda", ".h": "cpp", ".cpp": "cpp", ".py": "python", ".toml": "toml", ".json": "json"}
_CODE = re.compile(r"(^```.*?^```$|^~~~.*?^~~~$|``[^\n]+?``|`[^`\n]*`)", re.M | re.S)
_LINK = re.compile(r"(?P<open>\]\()(?P<to>[^)\s]+)(?P<close>\))")
_CROSS = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<to>[^)\s#]+\.md)\)")
_COMMENT = re.compile(r"<!--(?! play:).*?-->\n?", re.S)
_ANCHORED = re.compile(r'((?:^<a id="[\w-]+"></a>\n+)+)^(#{1,6} [^\n]+)$', re.M)
_PLOT = re.compile(r"(?<!\[)!\[[^\]]*\]\((?P<to>[^)\s]+\.png)\)")
_SHORT = re.compile(r"`[^`\n]{1,26}`$")
_WHOLE = re.compile(r"(?<=\d) (?=[%~])|(?<=\d) (?=x \d)|(?<=\d x) (?=\d)")
_LIST = re.compile(r"^((?!- |[\s|>#<])[^\n]+\n)(?=- )", re.M)  # a list right below a line, as CommonMark allows
_BUTTONS = re.compile(r"^(?:\[[^\]\n]+\]\([^)\n]+\)\n){2,}", re.M)  # lines that are a link and nothing else
_ID = re.compile(r'<a id="([\w-]+)"></a>')


@dataclass
class Stage:
    """What is written for one language: addresses that are done, links that lead nowhere."""

    book: Book
    lang: str
    folder: Path
    addresses: set[str] = field(default_factory=set)
    lost: list[str] = field(default_factory=list)
    waiting: deque[Page] = field(default_factory=deque)

    def fill(self) -> None:
        """Writes the contents' pages and, one after the other, whatever they lead to."""
        self.waiting.extend(self.book.listed(self.lang))
        while self.waiting:
            page = self.waiting.popleft()
            if page.address not in self.addresses:
                self.addresses.add(page.address)
                self._write(page.file, self._text(page))

    def _write(self, file: Path, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _text(self, page: Page) -> str:
        parts = _CODE.split((self.book.root / page.source).read_text(encoding="utf-8"))
        parts[::2] = [_COMMENT.sub("", part) for part in parts[::2]]
        parts[::2] = [_PLOT.sub(r"[\g<0>](\g<to>)", part) for part in parts[::2]]  # a touch shows it in full size
        parts[::2] = [_LIST.sub(r"\1\n", part) for part in parts[::2]]
        parts[::2] = [_WHOLE.sub("\N{NO-BREAK SPACE}", part) for part in parts[::2]]
        # A browser would end a line between `--` and an option's name.
        parts[1::2] = [f"{code}{{ .ok-short }}" if "-" in code and _SHORT.match(code) else code for code in parts[1::2]]
        parts[::2] = [_CROSS.sub(lambda found: self._across(page, found), part) for part in parts[::2]]
        parts[::2] = [_LINK.sub(lambda found: self._led(page, found), part) for part in parts[::2]]
        text = _ANCHORED.sub(_heading, "".join(parts))
        if page.address == "index":
            text = _BUTTONS.sub(_buttons, text)
        about = json.dumps(self._about(page), ensure_ascii=False)
        return f"---\ndescription: {about}\n---\n{play.placed(text, self.lang)}"

    def _about(self, page: Page) -> str:
        return self.book.about(page) or Message("site.about").text(self.lang)

    def _across(self, page: Page, found: re.Match[str]) -> str:
        """A link to the sibling in the other language leaves this language's folder."""
        target = self.book.at(self._inside(page, found["to"]))
        if target.lang == self.lang or target.address != page.address:
            return found[0]
        up = "../" * (0 if page.address == "index" else page.address.removesuffix("/index").count("/") + 1)
        rest = page.address.removesuffix("index")
        return f'<a href="{up}../{target.lang}/{rest}">{found["text"]}</a>'

    def _led(self, page: Page, found: re.Match[str]) -> str:
        to, hash_, anchor = found["to"].partition("#")
        if re.match(r"[a-z]+:", found["to"]) or not to:
            return found[0]
        target = self._inside(page, to)
        if not (self.book.root / target).exists():
            self.lost.append(f"{page.source}: {found['to']}")
            return found[0]
        there = os.path.relpath(self._staged(target), page.file.parent)
        return f"{found['open']}{there}{hash_}{anchor}{found['close']}"

    def _inside(self, page: Page, to: str) -> Path:
        return Path(os.path.normpath(page.source.parent / to))

    def _staged(self, target: Path) -> Path:
        """Where a file or folder of the repository stands in this language's folder, which it is brought to."""
        path = self.book.root / target
        if path.is_dir():
            readme = target / localized("README.md", self.lang)
            return self._staged(readme) if (self.book.root / readme).is_file() else self._listing(target)
        if target.suffix == ".md":
            there = Page(target, self.lang, self.book.at(target).address)
            self.waiting.append(there)
            return there.file
        if target.suffix in PICTURES:
            self._bring(target)
            return Path("files") / target
        return self._source(target)

    def _bring(self, target: Path) -> None:
        path = self.folder / "files" / target
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.book.root / target, path)

    def _source(self, target: Path) -> Path:
        """A page that shows a file as it stands."""
        there = Path("source") / f"{target}.md"
        if str(there) not in self.addresses:
            self.addresses.add(str(there))
            text = (self.book.root / target).read_text(encoding="utf-8")
            fence = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1)
            shown = f"{fence}{SHOWN.get(target.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"
            self._write(there, f"---\nsearch:\n  exclude: true\n---\n# {target.name}\n\n`{target}`\n\n{shown}")
        return there

    def _listing(self, target: Path) -> Path:
        """A page that names the files of a folder; those that can be shown are linked."""
        there = Path("source") / f"{target}.md"
        if str(there) not in self.addresses:
            self.addresses.add(str(there))
            lines = []
            for path in sorted(p.relative_to(self.book.root) for p in (self.book.root / target).iterdir()):
                known = path.suffix in SHOWN
                at = os.path.relpath(self._source(path), there.parent) if known else ""
                lines.append(f"- [{path.name}]({at})" if known else f"- `{path.name}`")
            self._write(there, f"# {target}\n\n" + "\n".join(lines) + "\n")
        return there


def stage(book: Book, folder: Path) -> dict[str, set[str]]:
    """Writes both languages below `folder`. The addresses of each. Raises UserError for links that lead nowhere, pages
    that no contents list, and pages that stand in one language alone."""
    shutil.rmtree(folder, ignore_errors=True)
    stages = [Stage(book, lang, folder / lang) for lang in LANGUAGES]
    for one in stages:
        one.fill()
    wrong = [Message("site.lost", {"link": link}) for one in stages for link in one.lost]
    wrong += [Message("site.forgotten", {"page": str(page)}) for page in book.forgotten()]
    first, *others = stages
    wrong += [Message("site.alone", {"page": page}) for o in others for page in sorted(o.addresses ^ first.addresses)]
    if wrong:
        raise UserError(Message("site.refused", {"list": "\n".join(f"  {one}" for one in wrong)}))
    return {one.lang: one.addresses for one in stages}


def _buttons(found: re.Match[str]) -> str:
    first, rest = (re.sub(r"\)$", "){ .md-button }", part, flags=re.M) for part in found[0].split("\n", 1))
    return first.replace(" }", " .md-button--primary }") + "\n" + rest


def _heading(found: re.Match[str]) -> str:
    """The last anchor above a heading becomes the heading's own, so that the table of contents leads to it."""
    *before, last = _ID.findall(found[1])
    return "".join(f'<a id="{name}"></a>\n\n' for name in before) + f"{found[2]} {{ #{last} }}"
