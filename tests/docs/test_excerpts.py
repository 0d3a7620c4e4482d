"""Code that a page shows of a tested file is that file's."""

from __future__ import annotations

from pathlib import Path

import pytest

from audits.book import excerpts
from onekernel import comments
from onekernel.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
CUDA = """// twice(x) is called below.
__device__ float twice(float x) {
    if (x < 0) {
        return 0;
    }
    return 2 * x;
}

template <typename T>
__global__ void kernel(const T* x,
                       T* y) {
    y[0] = twice(x[0]);
}
"""
PYTHON = "import a\n\n\n@jit\ndef tile(x):\n    return x\n\n\ndef tile_of(x):\n    return tile(x)\n"


def test_every_excerpt_is_what_the_file_says() -> None:
    assert excerpts.refresh(ROOT, check=True) == []
    pages = [p for p in (ROOT / "docs").rglob("*.md") if "<!-- excerpt: solutions/" in p.read_text(encoding="utf-8")]
    assert len(pages) >= 4 and all("```cuda\n" in p.read_text(encoding="utf-8") for p in pages)


def test_a_function_is_found_by_its_name_alone() -> None:
    assert excerpts.function(CUDA, ".cu", "twice") == "".join(CUDA.splitlines(keepends=True)[1:7])
    kernel = excerpts.function(CUDA, ".cu", "kernel")
    assert kernel is not None and kernel.startswith("__global__") and kernel.endswith("}\n")
    assert excerpts.function(PYTHON, ".py", "tile") == "@jit\ndef tile(x):\n    return x\n"
    assert excerpts.function(CUDA, ".cu", "x") is None and excerpts.function(CUDA + CUDA, ".cu", "twice") is None


def test_an_excerpt_is_written_anew_and_a_lost_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "k.cu").write_text(CUDA)
    page = tmp_path / "docs" / "en" / "p.md"
    page.write_text("# P\n\n<!-- excerpt: k.cu twice -->\nold\n<!-- /excerpt -->\n\nend\n")
    assert excerpts.refresh(tmp_path, check=True) == [page] == excerpts.refresh(tmp_path)
    assert "-->\n```cuda\n__device__ float twice" in page.read_text() and "old" not in page.read_text()
    assert page.read_text().endswith("}\n```\n<!-- /excerpt -->\n\nend\n") and excerpts.refresh(tmp_path) == []
    (tmp_path / "k.cu").write_text("")
    with pytest.raises(UserError, match=r"docs/en/p\.md"):
        excerpts.refresh(tmp_path)


def test_a_spanish_page_shows_an_excerpt_with_spanish_comments(tmp_path: Path) -> None:
    (tmp_path / "docs" / "es").mkdir(parents=True)
    (tmp_path / "k.cu").write_text("__device__ int one() {\n    return 1;   // not two\n}\n")
    (tmp_path / "comments.es.txt").write_text("not two\n    no dos\n")
    page = tmp_path / "docs" / "es" / "p.md"
    page.write_text("<!-- excerpt: k.cu one -->\n<!-- /excerpt -->\n")
    excerpts.refresh(tmp_path)
    assert "return 1;   // no dos\n" in page.read_text()


def test_the_spanish_comments_of_a_folder_are_those_of_its_files() -> None:
    for words in (ROOT / "solutions").rglob("comments.es.txt"):
        told = {line for file in words.parent.glob("*.cu") for line in comments.told(file.read_text("utf-8"), ".cu")}
        assert [line for line in comments.table(words) if line not in told] == [], words
