"""Every finding of the runtime has a chapter that exists, and sentences for each of its forms."""

import re
from pathlib import Path

import pytest

from onekernel.backends.simulator.findings import CHAPTERS
from onekernel.messages import area

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "src" / "onekernel" / "backends" / "simulator" / "runtime"
SOURCE = "\n".join(p.read_text(encoding="utf-8") for p in sorted(RUNTIME.rglob("*.cpp")))
CODES = sorted(set(re.findall(r'Finding(?: f)?\("([a-z-]+)"', SOURCE)))


def test_the_runtime_has_findings():
    assert len(CODES) > 15


@pytest.mark.parametrize("code", CODES)
def test_code_has_a_chapter_entry_and_a_sentence(code):
    assert code in CHAPTERS
    assert any(key == code or key.startswith(f"{code}-") for key in area("simulator"))


@pytest.mark.parametrize("chapter", sorted({c for c in CHAPTERS.values() if c}))
@pytest.mark.parametrize("language", ["en", "es"])
def test_chapter_and_anchor_exist(chapter, language):
    page, _, anchor = chapter.partition("#")
    text = (ROOT / "docs" / language / f"{page}.md").read_text(encoding="utf-8")
    assert f'<a id="{anchor}"></a>' in text


@pytest.mark.parametrize("kind", [*re.findall(r'refuse\(\*?site, "([a-z.-]+)"', SOURCE), "shared", "shared-opt-in"])
def test_each_refused_launch_has_its_sentence(kind):
    assert f"bad-launch-{kind}" in area("simulator")
