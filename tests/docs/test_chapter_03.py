"""Chapter 03: every piece of Python runs, in order, and prints what the page says; both languages show one code, the
Spanish pages with the words of `support.spanish_code`.

`PYTHONPATH=tests python tests/docs/test_chapter_03.py` writes the printed text into both pages, after a new sweep was
recorded.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import pytest

from support.spanish_code import spanish

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("03-triton", *sorted(p.stem for p in ROOT.glob("docs/en/03-0*.md")))  # read in this order
PAGES = {language: [ROOT / "docs" / language / f"{name}.md" for name in NAMES] for language in ("en", "es")}
RESULTS = {language: ROOT / "docs" / language / "results.md" for language in PAGES}
FENCE = re.compile(r"^(?:<!-- triton (?P<version>\S+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


def whole(language: str) -> str:
    """The chapter's pages, one behind the other."""
    return "".join(page.read_text(encoding="utf-8") for page in PAGES[language])


def blocks(language: str) -> list[re.Match[str]]:
    """Every fenced block of the chapter, in order; `version` where its text belongs to one Triton version."""
    return list(FENCE.finditer(whole(language)))


def printed(language: str) -> dict[int, str]:
    """What each Python block of the page prints, by its place in the page."""
    from onekernel.triton.faults import choose_interpreter

    choose_interpreter()
    names: dict[str, object] = {"__name__": "chapter_03"}
    outputs = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, block in enumerate(blocks(language)):
            if block["kind"] != "python":
                continue
            path = Path(folder) / f"block_{i}.py"  # Triton reads a kernel's source from its file
            path.write_text(block["text"], encoding="utf-8")
            heard = io.StringIO()
            with contextlib.redirect_stdout(heard):
                exec(compile(block["text"], str(path), "exec"), names)
            outputs[i] = heard.getvalue()
    return outputs


def run_page(language: str, task: str) -> str:
    found = os.pathsep.join((str(ROOT / "src"), str(ROOT / "tests")))
    environment = os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": found}
    command = [sys.executable, __file__, task, language]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
@pytest.mark.slow
def test_every_snippet_runs_and_prints_what_the_page_says():
    assert "same" in run_page("en", "check")


def test_both_languages_show_the_same_code_text_and_anchors():
    shown = [[(b["kind"], b["text"], b["version"]) for b in blocks(language)] for language in PAGES]
    assert [(kind, spanish(text), version) for kind, text, version in shown[0]] == shown[1]
    assert sum(kind == "python" for kind, *_ in shown[0]) >= 9
    anchors = [ANCHOR.findall(whole(language)) for language in PAGES]
    assert anchors[0] == anchors[1] and len(set(anchors[0])) == len(anchors[0]) >= 9
    for language in PAGES:
        assert "<!-- table: h200/softmax/triton-vs-cuda -->" in RESULTS[language].read_text(encoding="utf-8")


def test_findings_of_the_backend_link_to_sections_that_exist():
    from onekernel.triton import faults, program, tuning, watch

    for module in (faults, program, tuning, watch):
        chapter, _, anchor = module.CHAPTER.partition("#")
        assert chapter in NAMES
        assert anchor in ANCHOR.findall((ROOT / "docs" / "en" / f"{chapter}.md").read_text(encoding="utf-8"))


def check(language: str) -> None:
    """Prints "same" where each text block is what the block before it printed; raises AssertionError elsewhere."""
    page, outputs = blocks(language), printed(language)
    for i, output in outputs.items():
        after = page[i + 1] if i + 1 < len(page) else None
        said = after["text"] if after and after["kind"] == "text" else ""
        if after and after["version"] and after["version"] != metadata.version("triton"):
            continue
        assert output == said, f"after\n{page[i]['text']}\nthe page says\n{said}\nbut it prints\n{output}"
    print("same")


def write() -> None:
    """Puts what the blocks print into both pages."""
    outputs = printed("en")
    for language, pages in PAGES.items():
        before = 0
        for path in pages:
            text = path.read_text(encoding="utf-8")
            found = list(FENCE.finditer(text))
            for i in reversed(range(len(found) - 1)):
                if before + i in outputs and found[i + 1]["kind"] == "text":
                    begin, end = found[i + 1].span("text")
                    said = outputs[before + i] if language == "en" else spanish(outputs[before + i])
                    text = text[:begin] + said + text[end:]
            path.write_text(text, encoding="utf-8")
            before += len(found)


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        check(sys.argv[2])
    else:
        os.chdir(ROOT)
        write()
