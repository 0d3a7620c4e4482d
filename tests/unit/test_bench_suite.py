"""The bench of the test suite, on a suite of three tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audits.suite import run

TESTS = """
import subprocess, sys
import pytest
BUSY = "import time\\nwhile time.process_time() < 0.4: pass"
def test_one(): subprocess.run([sys.executable, "-c", BUSY])
def test_left_behind(): subprocess.Popen([sys.executable, "-c", BUSY])
@pytest.mark.skip
def test_three(): pass
"""


@pytest.mark.slow
def test_tests_and_seconds_are_recorded_and_a_failure_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "find_root", lambda: tmp_path)
    tests, kept = tmp_path / "test_few.py", tmp_path / "results" / "cpu" / "suite.json"
    words = ["--cores", "1", "--out", str(tmp_path / "results")]
    tests.write_text(TESTS)
    assert run.main([*words, "--only", "fast", "all"]) == 0
    first = json.loads(kept.read_text())
    assert [(r["part"], r["cores"], r["passed"], r["skipped"]) for r in first["runs"]] == [
        ("fast", 1, 2, 1), ("all", 1, 2, 1),
    ]  # fmt: skip
    assert all(0.8 < r["processor_seconds"] < 60 and r["seconds"] > 0.4 for r in first["runs"])
    assert [row[2] for row in first["tables"]["runs"]["rows"]] == ["2", "2"]
    tests.write_text("def test_one(): pass\n")
    assert run.main([*words, "--only", "all"]) == 0
    second = json.loads(kept.read_text())
    assert second["runs"][0] == first["runs"][0] and second["runs"][1]["passed"] == 1
    tests.write_text("def test_one(): assert False\n")
    assert run.main([*words, "--only", "all"]) == 1
    assert json.loads(kept.read_text()) == second and str(kept) in capsys.readouterr().out
