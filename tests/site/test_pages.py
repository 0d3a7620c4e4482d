"""The Markdown becomes the pages of the site: the same addresses in both languages, no link that leads nowhere."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from onekernel.errors import UserError
from onekernel.messages import LANGUAGES
from onekernel.site.build import THEME, project, requests
from onekernel.site.pages import LONGEST, Book
from onekernel.site.staging import stage

ROOT = Path(__file__).resolve().parents[2]
CONFIG = '[[section]]\nen = "All"\nes = "Todo"\npages = ["README", "docs/a", "labs/one"]\n'
PAGES = {
    "README.md": "# Home\n\n[A](docs/en/a.md#here)\n\n**En español: [README.es.md](README.es.md).**\n",
    "README.es.md": "<!-- en: 00 -->\n# Casa\n\n[A](docs/es/a.md#here)\n\n[English](README.md)\n",
    "docs/en/a.md": '# `A` page\n\n<a id="here"></a>\n\n## Part\n\n![a picture](../img/p.svg)\n\n'
    "![a plot](../img/p.png) `--lang es`, `a - b` of 9 % and 8 x 4\n\nTwo:\n- one\n- two\n",
    "docs/es/a.md": '<!-- en: 00 -->\n# Página `A`\n\n<a id="here"></a>\n\n## Parte\n\n![un dibujo](../img/p.es.svg)\n',
    "docs/img/p.png": "a picture",
    "labs/one/README.md": "# Lab\n\n[file](../../code/k.cu), [folder](../../code), [log](../../code/log.md)\n",
    "labs/one/README.es.md": "# Lab\n\n[fichero](../../code/k.cu), [carpeta](../../code), [log](../../code/log.md)\n",
    "docs/img/p.svg": "<svg/>",
    "docs/img/p.es.svg": "<svg/>",
    "code/k.cu": "// ``` in a comment\nint k;\n",
    "code/log.md": "# A log\n",
    "docs/site.toml": CONFIG,
}


@pytest.fixture
def book(tmp_path: Path) -> Book:
    for name, text in PAGES.items():
        path = tmp_path / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Book(tmp_path / "repo")


def test_this_repository_has_the_same_pages_in_both_languages(tmp_path: Path) -> None:
    done = stage(Book(ROOT), tmp_path / "pages")
    assert done["en"] == done["es"] and {"index", "learner", "labs/00-hello-cuda/index"} <= done["en"]
    for lang in LANGUAGES:
        assert len(list((tmp_path / "pages" / lang).rglob("*.md"))) == len(done[lang])


def test_links_lead_to_where_the_targets_stand(book: Book, tmp_path: Path) -> None:
    stage(book, tmp_path / "pages")
    home = (tmp_path / "pages" / "es" / "index.md").read_text(encoding="utf-8")
    assert "[A](a.md#here)" in home and '<a href="../en/">English</a>' in home and "<!--" not in home
    lab = (tmp_path / "pages" / "en" / "labs" / "one" / "index.md").read_text(encoding="utf-8")
    assert "(../../source/code/k.cu.md)" in lab and "(../../source/code.md)" in lab and "(../../code/log.md)" in lab
    page = (tmp_path / "pages" / "es" / "a.md").read_text(encoding="utf-8")
    assert "## Parte { #here }" in page and "(files/docs/img/p.es.svg)" in page
    assert (tmp_path / "pages" / "es" / "files" / "docs" / "img" / "p.es.svg").is_file()
    assert "````cuda\n// ``` in" in (tmp_path / "pages/en/source/code/k.cu.md").read_text(encoding="utf-8")


def test_a_plot_opens_in_full_size_and_what_belongs_together_stays_on_a_line(book: Book, tmp_path: Path) -> None:
    stage(book, tmp_path / "pages")
    page = (tmp_path / "pages" / "en" / "a.md").read_text(encoding="utf-8")
    assert "[![a plot](files/docs/img/p.png)](files/docs/img/p.png)" in page and "\n![a picture](" in page
    assert "`--lang es`{ .ok-short }" in page and "9\N{NO-BREAK SPACE}%" in page
    assert "Two:\n\n- one\n- two\n" in page  # Python-Markdown begins no list within a paragraph
    assert "8\N{NO-BREAK SPACE}x\N{NO-BREAK SPACE}4" in page


def test_a_front_page_takes_the_place_of_the_readme_and_shows_its_links_as_buttons(book: Book, tmp_path: Path) -> None:
    for lang in LANGUAGES:
        page = book.root / "docs" / lang / "index.md"
        page.write_text("# Front\n\nWhat it *is*, in [a word](a.md).\n\n[Go](a.md)\n[Look](a.md)\n", encoding="utf-8")
    config = CONFIG.replace('["README"', '["docs/index", "README"')
    (book.root / "docs" / "site.toml").write_text(config, encoding="utf-8")
    done = stage(Book(book.root), tmp_path / "pages")
    assert {"index", "readme"} <= done["en"]
    front = (tmp_path / "pages" / "en" / "index.md").read_text(encoding="utf-8")
    assert "[Go](a.md){ .md-button .md-button--primary }\n[Look](a.md){ .md-button }" in front
    assert front.startswith('---\ndescription: "What it is, in a word."\n---\n')
    readme = (tmp_path / "pages" / "es" / "readme.md").read_text(encoding="utf-8")
    assert '<a href="../../en/readme">' in readme


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_said_of_a_page_is_its_own_and_short(lang: str) -> None:
    book = Book(ROOT)
    said = {page.source: book.about(page) for page in book.listed(lang)}
    assert all(len(text) <= LONGEST for text in said.values())
    marked = [f"{source}: {text}" for source, text in said.items() if re.search(r"[`|]|</?[a-z]+>|\]\(|\*\*|^$", text)]
    assert not marked, "\n".join(marked)
    assert len(set(said.values())) == len(said)


def test_the_page_for_a_wrong_address_is_whole_by_itself() -> None:
    text = (THEME / "404.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="(?!/")', text) and all(f'lang="{lang}"' in text for lang in LANGUAGES)


def test_a_title_is_the_pages_first_heading(book: Book) -> None:
    assert project(book, "es")["nav"] == [
        {"Todo": [{"Casa": "index.md"}, {"Página A": "a.md"}, {"Lab": "labs/one/index.md"}]}
    ]


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (lambda root: (root / "docs/en/a.md").write_text("# A\n\n[x](gone.md)\n"), "docs/en/a.md: gone.md"),
    "a picture": (lambda root: (root / "docs/img/p.es.svg").unlink(), "docs/es/a.md: ../img/p.es.svg"),
    "a page of the contents": (lambda root: (root / "docs/es/a.md").unlink(), "docs/es/a.md"),
    "no title": (lambda root: (root / "README.md").write_text("text\n"), "README.md"),
    "a page that nobody lists": (lambda root: shutil.copy(root / "docs/en/a.md", root / "docs/en/b.md"), "b.md"),
    "one language": (lambda root: (root / "README.es.md").write_text("# C\n[f](tests)\n"), "tests"),
    "a file in one language": (
        lambda root: (root / "README.es.md").write_text("# C\n[f](docs/site.toml)\n"),
        "source/docs/site.toml",
    ),
    "an unknown piece": (lambda root: (root / "docs/en/a.md").write_text("# A\n\n<!-- play: chess -->\n"), "chess"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_refused_by_its_name(what: str, book: Book, tmp_path: Path) -> None:
    damage, named = BROKEN[what]
    damage(book.root)
    with pytest.raises(UserError) as refused:
        stage(book, tmp_path / "pages")
        project(book, "en")
    assert named in str(refused.value)


def test_requests_to_other_hosts_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<link rel="canonical" href="https://a.org"><a href="https://b.org">b</a><script src="//c.org/x.js"></script>'
        '<link rel="stylesheet" href="https://d.org/x.css"><img src="local.png"><img src="http://e.org/x.png">'
    )
    assert requests(page) == ["//c.org/x.js", "https://d.org/x.css", "http://e.org/x.png"]
