"""Numbers inside sentences: written from results and profiles, in the page's language; an unknown one is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from audits.book import values
from onekernel.errors import UserError

ROOT = Path(__file__).parents[2]
SENTENCE = "It runs at <!-- value: h200 {what} -->{old}<!-- /value --> of it."
RUNG = "percent float32 8192x4096 ladder/4_online"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for folder in ("bench/results/h200", "profiles/h200"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for lang in ("en", "es"):
        (tmp_path / "docs" / lang).mkdir(parents=True)
    return tmp_path


def test_no_value_in_the_pages_is_stale() -> None:
    assert values.refresh(ROOT, check=True) == []
    used = [page for page in (ROOT / "docs").glob("*/*.md") if "<!-- value:" in page.read_text(encoding="utf-8")]
    assert len(used) >= 2


def test_a_stale_value_is_found_then_written_in_each_language(repository: Path) -> None:
    pages = [repository / "docs" / lang / "page.md" for lang in ("en", "es")]
    for page in pages:
        page.write_text(SENTENCE.format(what="profile softmax_block over-copy", old="9"), encoding="utf-8")
    assert values.refresh(repository, check=True) == pages and ">9<" in pages[0].read_text()
    assert values.refresh(repository) == pages
    written = [re.findall(r"-->([\d.,]+)<!--", page.read_text())[0] for page in pages]
    assert re.fullmatch(r"1\.\d\d", written[0]) and written[1] == written[0].replace(".", ",")
    assert values.refresh(repository, check=True) == []


def test_each_kind_of_value(repository: Path) -> None:
    kept = json.loads((ROOT / "profiles/h200/softmax_block.json").read_text())
    metrics = kept["kernels"][0]["metrics"]
    issue = metrics["sm__issue_active.avg.pct_of_peak_sustained_elapsed"]
    roofs = json.loads((ROOT / "bench/results/h200/roofline.json").read_text())["roofs"]
    cells = json.loads((ROOT / "bench/results/h200/softmax.json").read_text())["cells"]
    (cell,) = [c["contenders"] for c in cells if (c["dtype"], c["rows"], c["cols"]) == ("float32", 8192, 4096)
               and not c["shift"]]  # fmt: skip
    shown = {
        RUNG: f"{100 * cell['copy']['median_s'] / cell['ladder/4_online']['median_s']:.0f}",
        "roof copy": f"{roofs['copy'] / 1e12:.2f}",
        "roof ridge": f"{roofs['fma'] / roofs['copy']:.1f}",
        "profile softmax_block issue": f"{issue:.0f}",
    }
    lengths = json.loads((ROOT / "bench/results/h200/softmax_lengths.json").read_text())["tables"]["speed"]
    (row,) = [row for row in lengths["rows"] if row[0] == 1000]
    shown["cell softmax_lengths/speed | 1000 | float32"] = row[1]
    shown["cell softmax_lengths/speed | 1000 | float32 | 2"] = row[1].split(" / ")[1]
    assert {what: values.value("h200", what.split(), repository, "en") for what in shown} == shown
    assert 30 < float(values.value("h200", ["profile", "softmax_block", "long_scoreboard"], repository, "en")) < 60


@pytest.mark.parametrize(
    "what",
    ["percent float32 8192x4096 nobody", "percent float32 1x1 copy", "percent float32 8192x4096", "roof none",
     "profile nobody issue", "profile softmax_block luck", "speed", "cell softmax_lengths/speed | 7 | float32",
     "cell softmax_lengths/speed | 1000 | weight", "cell softmax_lengths/speed | 1000 | float32 | 3", "cell gemm"],
)  # fmt: skip
def test_a_number_that_nobody_measured_is_refused_by_name(repository: Path, what: str) -> None:
    page = repository / "docs" / "en" / "page.md"
    page.write_text(SENTENCE.format(what=what, old="1"), encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(what)):
        values.refresh(repository)



def test_lines_of_code_are_those_that_a_machine_reads() -> None:
    python = '"""Says\nwhat."""\nimport os  # why\n\n# note\ndef f():\n    """Doc."""\n    return os\n'
    assert values.code_lines(python, "a.py") == ["import os  # why", "def f():", "    return os"]
    assert values.code_lines("// a\n\nint x;  // b\n#include <x>\n", "a.cu") == ["int x;  // b", "#include <x>"]
