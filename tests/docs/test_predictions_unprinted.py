"""What learners predict is printed neither in their guide nor in the statement or the starter of the exercise."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from onekernel.course import find_root

ROOT = find_root(Path(__file__).parent)
ANSWERS = json.loads((ROOT / "solutions" / "predictions.json").read_text(encoding="utf-8"))["softmax_naive"]["answers"]
PAGES = [
    *(ROOT / "docs" / lang / "learner.md" for lang in ("en", "es")),
    *(ROOT / "labs" / "01-naive-kernel" / name for name in ("README.md", "README.es.md", "hints.md", "hints.es.md")),
    ROOT / "kernels" / "softmax_naive.cu",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_page_that_a_learner_reads_before_predicting_has_the_answer(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    said = [answer for answer in ANSWERS.values() if len(answer) > 1]  # "1" is a word like any other
    forms = {form for answer in said for form in (answer, answer.replace(".", ","))} | {"128 KiB", "33.69", "33,69"}
    printed = [form for form in forms if re.search(rf"(?<![\d.,]){re.escape(form)}(?!\d)", text)]
    assert not printed
