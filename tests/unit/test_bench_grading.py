"""The corpora a few tests at a time, with results that outlive an interrupted run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audits.grading import corpora
from onekernel.errors import UserError

OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--device")
    parser.addoption("--corpora", action="store_true")
"""
TESTS = """
import pytest
from pathlib import Path

@pytest.mark.parametrize("n", range(5))
def test_wrong(n):
    with Path("ran").open("a") as file: file.write(f"{n} ")
    if n == 1: pytest.skip("sees nothing")
    assert n != 2
"""


def test_a_folder_without_them_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="lists no tests"):
        corpora.run(tmp_path, 1, "simulator")


@pytest.mark.slow
def test_what_a_run_has_kept_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "OF_A_PROCESS", 2)
    file = tmp_path / corpora.TESTS
    file.parent.mkdir(parents=True)
    file.write_text(TESTS)
    (tmp_path / "conftest.py").write_text(OPTIONS)
    kept = tmp_path / "kept"
    first = corpora.run(tmp_path, 2, "simulator", kept=kept)
    assert {how: first[how] for how in ("passed", "skipped", "failed")} == {"passed": 3, "skipped": 1, "failed": 1}
    assert first["names"] == ["test_wrong[2]"]
    book = kept / corpora.KEPT
    lines = book.read_text().splitlines()
    book.write_text("".join(line + "\n" for line in lines if json.loads(line)["test"].endswith(("[0]", "[2]"))))
    (tmp_path / "ran").unlink()
    again = corpora.run(tmp_path, 2, "simulator", kept=kept)
    assert {**again, "seconds": 0} == {**first, "seconds": 0}
    assert sorted((tmp_path / "ran").read_text().split()) == ["1", "3", "4"]
