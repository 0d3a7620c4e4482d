"""audits/right_files: what it says of a file, what it keeps, and what its table counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from audits import records
from audits.right_files.run import FIRST, main, of_file
from audits.right_files.tables import tables
from support.course import ROOT

WRONG = ROOT / "tests" / "wrong"
FAST = "add_double_ceil"


@pytest.mark.slow
def test_a_file_that_is_refused_is_told_with_its_check() -> None:
    assert of_file(ROOT, ROOT / "tests" / "right" / f"{FAST}.cu", "vector_add", "simulator", FIRST) == []
    said = of_file(ROOT, WRONG / "add_drops_last.cu", "vector_add", "simulator", FIRST)
    assert said and all(sentence.startswith("vector_add.") for sentence in said)


@pytest.mark.slow
def test_an_interrupted_run_goes_on_with_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cpu" / "right_files.json"
    words = [FAST, "--out", str(path.parent)]
    assert main([*words, "--seeds", "1"]) == 0
    kept = records.read(path)
    kept["files"][FAST]["seeds"][str(FIRST)] = ["vector_add.1: as it was"]
    records.write(path, kept)
    assert main([*words, "--seeds", "2", "--resume"]) == 1  # the first seed's word stays, and is a refusal
    data = records.read(path)
    assert data["files"] == {FAST: {"exercise": "vector_add", "seeds": {
        str(FIRST): ["vector_add.1: as it was"], str(FIRST + 1): []}}}  # fmt: skip
    assert main([*words, "--seeds", "1"]) == 0  # without --resume a file is graded anew
    assert records.read(path)["files"][FAST]["seeds"] == {str(FIRST): []}


def test_the_table_counts_gradings_and_files_that_always_pass() -> None:
    said = {"exercise": "gelu", "seeds": {"1": [], "2": ["gelu.1: wrong"]}}
    data = {"files": {"a": said, "b": {"exercise": "gelu", "seeds": {"1": []}}}, "machine": "m", "date": "d",
            "command": "c"}  # fmt: skip
    rows = tables(data)["exercises"]["rows"]
    assert rows[0] == ["`gelu`", "2", "3", "1", "1"] and rows[-1][1:] == rows[0][1:]
