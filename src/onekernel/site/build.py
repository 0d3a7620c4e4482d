"""The site, built strictly: a link that leads nowhere, a warning of Zensical's or a request to another host ends it."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, localized
from onekernel.site.pages import Book
from onekernel.site.staging import stage

THEME = Path(__file__).parent / "theme"
NAMES = {"en": "English", "es": "Español"}
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {}, "md_in_html": {}, "tables": {}, "sane_lists": {},
    "toc": {"permalink": True, "toc_depth": 3},
    "pymdownx.highlight": {"pygments_lang_class": True, "guess_lang": False},
    "pymdownx.superfences": {}, "pymdownx.inlinehilite": {},
}  # fmt: skip


def build(root: Path, work: Path, url: str = "") -> Path:
    """Builds both languages below `work`, for a host that shows them at `url`, if that is known. The folder of the
    site. Raises UserError with all that is wrong."""
    if importlib.util.find_spec("zensical") is None:
        raise UserError(Message("site.no-zensical"))
    book, site = Book(root), work / "site"
    stage(book, work / "pages")
    shutil.rmtree(site, ignore_errors=True)
    for lang in LANGUAGES:
        shutil.copytree(THEME / "assets", work / "pages" / lang / "assets" / "onekernel", dirs_exist_ok=True)
        config = work / f"{lang}.toml"
        config.write_text(_toml({"project": project(book, lang, url)}), encoding="utf-8")
        _zensical(config)
    shutil.copyfile(THEME / "index.html", site / "index.html")
    for folder in (site, *(site / lang for lang in LANGUAGES)):  # hosts look for it in the one or the other
        shutil.copyfile(THEME / "404.html", folder / "404.html")
    (site / ".nojekyll").touch()
    foreign = sorted({f"  {path.relative_to(site)}: {url}" for path in site.rglob("*.html") for url in requests(path)})
    if foreign:
        raise UserError(Message("site.foreign", {"list": "\n".join(foreign)}))
    return site


def project(book: Book, lang: str, url: str = "") -> dict[str, Any]:
    """Zensical's configuration of one language; paths are relative to the file that holds it."""
    palette = [
        {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "blue", "accent": "blue",
         "toggle": {"icon": "lucide/sun", "name": Message("site.to-dark").text(lang)}},
        {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "blue", "accent": "blue",
         "toggle": {"icon": "lucide/moon", "name": Message("site.to-light").text(lang)}},
    ]  # fmt: skip
    return {
        "site_name": "OneKernel",
        **({"site_url": f"{url.rstrip('/')}/{lang}/"} if url else {}),
        "site_description": Message("site.about").text(lang),
        "docs_dir": f"pages/{lang}",
        "site_dir": f"site/{lang}",
        "nav": [{s.titles[lang]: [_entry(book, name, lang) for name in s.names]} for s in book.sections],
        "extra_css": ["assets/onekernel/site.css"],
        "extra_javascript": [f"assets/onekernel/{name}.js" for name in ("model", "names", "play", "switch")],
        "extra": {
            "alternate": [{"name": NAMES[x], "link": f"../{x}/", "lang": x} for x in LANGUAGES],
            "card": localized("files/bench/results/h200/roofline.png", lang),
        },
        "theme": {
            "language": lang,
            "font": False,  # the system's fonts: nothing is fetched
            "custom_dir": str(THEME / "overrides"),
            "features": ["content.code.copy", "navigation.footer", "navigation.top", "toc.follow", "search.highlight"],
            "palette": palette,
        },
        "markdown_extensions": EXTENSIONS,
    }


def _entry(book: Book, name: str, lang: str) -> dict[str, str]:
    page = book.page(name, lang)
    return {book.title(page): str(page.file)}


def _zensical(config: Path) -> None:
    words = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", config.name]
    done = subprocess.run(words, cwd=config.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        told = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).strip()
        raise UserError(Message("site.zensical", {"said": told}))


class _Requests(HTMLParser):
    """What a browser fetches for a page by itself, where it is at another host."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        fetched = said.get("rel") not in ("canonical", "alternate") if tag == "link" else tag not in ("a", "form")
        for name in ("src", "href", "srcset", "data", "poster"):
            url = said.get(name) or ""
            if fetched and re.match(r"(?:https?:)?//", url):
                self.urls.append(url)


def requests(path: Path) -> list[str]:
    """Addresses at other hosts that an HTML file has a browser fetch."""
    parser = _Requests()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser.urls


def _toml(data: dict[str, Any]) -> str:
    """TOML of nested tables: JSON's texts, numbers, lists and truths are TOML's; a table is written inline."""

    def written(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {written(v)}" for key, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(written, value)) + "]"
        return json.dumps(value, ensure_ascii=False)

    lines = []
    for name, table in data.items():
        lines += [f"[{name}]", *(f"{key} = {written(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"
