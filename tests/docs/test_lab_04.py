"""Lab 04's pages: what they promise is so, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onekernel.minigpt.port_check import KERNEL, NATIVE
from onekernel.minigpt.port_request import PARTS
from onekernel.minigpt.storage import TRUTH

ROOT = Path(__file__).parents[2]
LAB = ROOT / "labs" / "04-pytorch"


def test_the_statement_has_the_checks_and_their_limits():
    for name in ("README.md", "README.es.md"):
        text = (LAB / name).read_text(encoding="utf-8")
        for part in PARTS:
            assert f"| **{part}** |" in text
        assert f"{len(TRUTH)}" in text and f"{NATIVE:.0e}" in text and f"{KERNEL:.0e}".replace("e-0", "e-") in text


def test_the_spanish_statement_has_every_question():
    text = (LAB / "README.es.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \| ¿?", text, re.M)[: len(TRUTH)] == list(TRUTH)


@pytest.mark.parametrize("name", ["hints.md", "hints.es.md"])
def test_three_hints_for_each_exercise(name):
    text = (LAB / name).read_text(encoding="utf-8")
    for slug in ("storage_probe", "torch_minigpt"):
        section = text.split(f"## {slug}\n")[1].split("\n## ")[0]
        assert re.findall(r"^### (\d)$", section, re.M) == ["1", "2", "3"]
