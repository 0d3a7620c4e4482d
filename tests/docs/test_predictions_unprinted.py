"""What learners predict is printed in no page, statement or starter that they read before, and not in their guide."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from onekernel.course import find_root
from support import rules

ROOT = find_root(Path(__file__).parent)
ANSWERS = json.loads((ROOT / "solutions" / "predictions.json").read_text(encoding="utf-8"))
GUIDES = [f"docs/{lang}/learner.md" for lang in ("en", "es")]
STATEMENT = ("README.md", "README.es.md", "hints.md", "hints.es.md")
PAGES = {
    "softmax_naive": [
        *GUIDES, *(f"labs/01-naive-kernel/{name}" for name in STATEMENT), "kernels/softmax_naive.cu",
        *(f"docs/{lang}/01-13-coalescing.md" for lang in ("en", "es")),
    ],
    "gemm_naive": [
        *GUIDES, *(f"labs/06-gemm/{name}" for name in STATEMENT), "kernels/gemm_naive.cu",
        *(f"docs/{lang}/06-{name}.md" for lang in ("en", "es") for name in ("gemm", "01-naive")),
    ],
}  # fmt: skip
EVERYWHERE = {"1", "256"}  # numbers like any other: one store, a block's threads
ALSO = {"softmax_naive": {"128 KiB", "33.69", "33,69"}, "gemm_naive": {"6.3 MB", "6,3 MB", "106 kB"}}


@pytest.mark.parametrize("slug", PAGES)
def test_no_page_that_a_learner_reads_before_predicting_has_the_answer(slug: str) -> None:
    said = [answer for answer in ANSWERS[slug]["answers"].values() if answer not in EVERYWHERE]
    forms = {form for answer in said for form in (answer, answer.replace(".", ","))} | ALSO[slug]

    def printed(page: str) -> list[str]:
        text = (ROOT / page).read_text(encoding="utf-8")
        return sorted(form for form in forms if re.search(rf"(?<![\d.,]){re.escape(form)}(?!\d)", text))

    rules.each(PAGES[slug], printed, "a learner predicts this; take it out of the page")


@pytest.mark.parametrize(
    "page", ["kernels/softmax_naive.cu", "docs/en/01-13-coalescing.md", "docs/es/01-13-coalescing.md"]
)
def test_what_is_read_before_the_prediction_does_not_write_the_formula(page: str) -> None:
    assert not re.search(r"2 ?(?:\*|x) ?cols ?\+ ?1", (ROOT / page).read_text(encoding="utf-8"))
