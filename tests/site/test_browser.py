"""Every page of the built site in a browser, in both languages, on a phone and on a desk: no error, no request that
fails or goes elsewhere, nothing wider than the window, each picture told in words; search, switch and pieces work."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onekernel.bench.cards import cards
from onekernel.messages import LANGUAGES
from onekernel.site import serve
from onekernel.site.build import build

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = (1440, 390)
BROWSERS = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
MISSING = [name for name in ("zensical", "playwright") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (extras docs and browser)"),
]
# What is wrong with a page at the window's present width, as sentences.
LOOK = r"""() => {
  const wrong = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) {
    const all = [...document.querySelectorAll('article *')];
    const past = all.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 2);
    wrong.push(`${wide} px wide in a window of ${innerWidth}: ` + past.map((e) => e.outerHTML.slice(0, 90)));
  }
  for (const img of document.querySelectorAll('article img')) {
    if (!img.complete || !img.naturalWidth) wrong.push(`not shown: ${img.src}`);
    if (img.alt.length < 15) wrong.push(`no words for ${img.src}`);
  }
  for (const svg of document.querySelectorAll('article svg[role=img]'))
    if (!svg.getAttribute('aria-label')) wrong.push('a piece without words');
  if (!document.querySelector('article h1')) wrong.push('no title');
  for (const text of document.querySelectorAll('article p, article li, article td')) {
    const plain = [...text.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('');
    if (/\]\(|^(```|\|)|\n(\d+\.|-) /.test(plain)) wrong.push(`Markdown is left: ${text.textContent.slice(0, 80)}`);
  }
  return wrong;
}"""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of pytest, common to its processes."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def address(shared: Path) -> Iterator[str]:
    """Where the site is served; it is built once, whichever of pytest's processes comes first."""
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "docs" / "done").exists():
            build(ROOT, shared / "docs")
            (shared / "docs" / "done").touch()
    server = serve.server(shared / "docs" / "site", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as play:
        opened = None
        for path in (None, *BROWSERS):  # Playwright's own, else one of the system's
            with suppress(Error):
                opened = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
                break
        if opened is None:
            pytest.skip("no Chromium is installed: apt install chromium, or playwright install chromium")
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """A page that notes what goes wrong on it in `noted`."""
    shown = browser.new_page()
    shown.noted = []
    shown.on("console", lambda said: shown.noted.append(said.text) if said.type in ("error", "warning") else None)
    shown.on("pageerror", lambda error: shown.noted.append(str(error)))
    # What a page still fetches when it is left is given up, which is no fault of it.
    given_up = "net::ERR_ABORTED"
    failed = lambda asked: asked.failure != given_up and shown.noted.append(f"failed: {asked.url}")  # noqa: E731
    shown.on("requestfailed", failed)
    shown.on("response", lambda got: shown.noted.append(f"{got.status}: {got.url}") if got.status >= 400 else None)
    elsewhere = lambda asked: not asked.url.startswith((address, "data:", "blob:"))  # noqa: E731
    shown.on("request", lambda asked: shown.noted.append(f"elsewhere: {asked.url}") if elsewhere(asked) else None)
    yield shown
    shown.close()


def addresses(lang: str, root: Path) -> list[str]:
    pages = (path.parent.relative_to(root) for path in (root / lang).rglob("index.html"))
    return sorted(f"{path}/" for path in pages)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_page_is_sound_on_a_desk_and_on_a_phone(lang: str, address: str, page: Any, shared: Path) -> None:
    root = shared / "docs" / "site"
    wrong = []
    for url in addresses(lang, root):
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(address + url, wait_until="load")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{url} at {width}: {said}" for said in page.evaluate(LOOK)]
        wrong += [f"{url}: {said}" for said in page.noted]
        page.noted.clear()
        other = page.locator("[data-switch]").get_attribute("href")
        there = (root / url / other).resolve().relative_to(root)
        if there.parts[0] == lang or there.parts[1:] != Path(url).parts[1:] or not (root / there).is_dir():
            wrong.append(f"{url}: the switch leads to {there}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("url", "to"), [("en/no/such/page/", "en/"), ("es/nada", "es/")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_wrong_address_leads_to_the_front_page(url: str, to: str, scheme: str, address: str, page: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": WIDTHS[1], "height": 700})
    assert page.goto(address + url, wait_until="load").status == 404
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(f"[data-to='{to}']").click()
    page.wait_for_url(address + to)
    assert page.locator("article h1").count() == 1
    page.noted.clear()  # the address that was not there


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_front_page_says_what_it_is_to_whoever_links_to_it(lang: str, address: str, page: Any) -> None:
    page.goto(f"{address}{lang}/", wait_until="load")
    said = {m.get_attribute("property"): m.get_attribute("content") for m in page.locator("meta[property]").all()}
    assert said["og:title"] in page.title() and said["og:description"] and said["og:locale"] == lang
    assert page.locator("article .md-button").count() == 2 and page.locator("article img").count() == 3


@pytest.mark.parametrize(("lang", "words"), [("en", "coalesced"), ("es", "carriles"), ("es", "maximo")])
def test_search_finds_pages_of_its_language(lang: str, words: str, address: str, page: Any) -> None:
    from playwright.sync_api import Error

    page.goto(f"{address}{lang}/")
    for _ in range(6):  # a key is heard only once the theme's script of the search runs; a second one would close it
        page.keyboard.press("Control+k")
        with suppress(Error):
            page.wait_for_selector("input:focus", timeout=5000)
            break
    page.keyboard.type(words)
    page.wait_for_selector("a[href*='?h=']")
    found = page.eval_on_selector_all("a[href*='?h=']", "links => links.map(link => link.pathname)")
    assert found and all(path.startswith(f"/{lang}/") for path in found)
    assert page.noted == []


def test_the_switch_keeps_the_page_and_the_place(address: str, page: Any) -> None:
    page.goto(f"{address}en/01-04-bounds/#bounds")
    page.click("[data-switch]")
    page.wait_for_function("location.pathname === '/es/01-04-bounds/' && location.hash === '#bounds'")
    assert page.evaluate("document.documentElement.lang") == "es"
    page.goto(address)
    page.wait_for_url(f"{address}en/")  # the browser's own language


def test_a_name_in_a_table_breaks_at_its_underscores_and_is_copied_whole(address: str, page: Any) -> None:
    page.set_viewport_size({"width": WIDTHS[1], "height": 900})
    page.goto(f"{address}en/results/")
    name = page.locator("article th code", has_text="softmax_tuned").first
    assert name.text_content() == "softmax_tuned" and "softmax_<wbr>tuned" in name.inner_html()
    assert page.noted == []


def test_the_theme_is_switched_and_drawings_follow(address: str, page: Any) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{address}en/00-motivation/")
    picture = page.locator("article img[src$='.svg']").first
    picture.scroll_into_view_if_needed()
    light = picture.screenshot()
    page.locator("label[for^=__palette]:visible").first.click()
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    assert picture.screenshot() != light and page.noted == []


# Stride and offset of a load of a warp; its sectors and, in shared memory, its wavefronts, as the simulator
# counts them (test_play.py).
ACCESS = {(1, 0): (4, 1), (1, 1): (5, 1), (2, 0): (8, 2), (0, 5): (1, 1), (32, 0): (32, 32), (33, 31): (32, 1)}


@pytest.mark.parametrize(
    ("lang", "words", "moved"),
    [("en", ("sectors?", "wavefronts?"), "1,024"), ("es", ("sector(?:es)?", "wavefronts?"), "1024")],
)
def test_what_is_dragged_shows_the_sectors_and_wavefronts_of_the_simulator(
    lang: str, words: tuple[str, str], moved: str, address: str, page: Any
) -> None:
    page.goto(f"{address}{lang}/02-bank-conflicts/")
    piece = page.locator("[data-play=access]")
    stride, offset = piece.locator("input").all()
    for (step, start), counted in ACCESS.items():
        stride.fill(str(step))
        offset.fill(str(start))
        told = piece.locator(".play-told").inner_text()
        got = tuple(int(re.search(rf"(\d+) {word}\b", told)[1]) for word in words)  # type: ignore[index]
        assert got == counted, (step, start, told)
        assert piece.locator("svg").get_attribute("aria-label") == told
    assert f"{moved} bytes" in told and page.noted == []


@pytest.mark.parametrize(("lang", "roofs"), [("en", ("memory", "arithmetic")), ("es", ("memoria", "aritmética"))])
def test_the_roof_that_binds_changes_at_the_ridge(lang: str, roofs: tuple[str, str], address: str, page: Any) -> None:
    page.goto(f"{address}{lang}/00-motivation/")
    piece = page.locator("[data-play=roofline]")
    for name, card in cards().items():
        piece.locator("select").select_option(label=card.name)
        at = 100 * np.log10(card.ridge)
        for intensity, binding in zip((np.floor(at) - 1, np.ceil(at) + 1), roofs, strict=True):
            piece.locator("input").fill(str(int(intensity)))
            first = piece.locator(".play-told").inner_text().split(":")[0]
            assert re.search(rf"\b{binding}\b", first), (name, first)
    assert page.noted == []


@pytest.mark.parametrize(
    ("lang", "next_", "other"), [("en", "next element", "another row"), ("es", "elemento siguiente", "otra fila")]
)
def test_the_online_softmax_is_stepped_to_the_sum_of_its_row(
    lang: str, next_: str, other: str, address: str, page: Any
) -> None:
    page.goto(f"{address}{lang}/02-04-online-softmax/")
    piece = page.locator("[data-play=online]")
    step = piece.get_by_role("button", name=next_)
    for _ in range(4):  # its rows
        while step.is_enabled():
            step.click()
        texts = [text.replace(",", ".") for text in piece.locator("svg text").all_text_contents()]
        row = np.array([float(text) for text in texts[0:12:2]])  # an element, then its weight
        assert texts[-1].split() == ["m", "=", f"{row.max():g}", "s", "=", f"{np.exp(row - row.max()).sum():.5g}"]
        piece.get_by_role("button", name=other).click()
    assert page.noted == []
