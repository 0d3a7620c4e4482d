"""The bench of the test suite, on a suite of four tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audits.suite import run
from support.patience import HUNG_SECONDS

TESTS = """
import os, subprocess, sys, time
import pytest
BUSY = "import time\\nwhile time.process_time() < 0.4: pass"
def test_one(): subprocess.run([sys.executable, "-c", BUSY])
def test_left_behind(): subprocess.Popen([sys.executable, "-c", BUSY])
def test_gone_once_it_ends():
    orphan = "import subprocess; print(subprocess.Popen(['sleep', '0.2']).pid, flush=True)"
    pid = int(subprocess.run([sys.executable, "-c", orphan], stdout=subprocess.PIPE).stdout)
    until = time.monotonic() + PATIENCE
    while os.path.exists(f"/proc/{pid}"):
        assert time.monotonic() < until
        time.sleep(0.05)
@pytest.mark.skip
def test_four(): pass
"""


@pytest.mark.slow
def test_tests_and_seconds_are_recorded_and_a_failure_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "find_root", lambda: tmp_path)
    tests, kept = tmp_path / "test_few.py", tmp_path / "results" / "cpu" / "suite.json"
    words = ["--cores", "1", "--out", str(tmp_path / "results")]
    tests.write_text(TESTS.replace("PATIENCE", str(HUNG_SECONDS)))
    assert run.main([*words, "--only", "fast", "all"]) == 0
    first = json.loads(kept.read_text())
    assert [(r["part"], r["cores"], r["passed"], r["skipped"]) for r in first["runs"]] == [
        ("fast", 1, 3, 1), ("all", 1, 3, 1),
    ]  # fmt: skip
    assert all(0.8 < r["processor_seconds"] < 60 and r["seconds"] > 0.4 for r in first["runs"])
    assert [row[2] for row in first["tables"]["runs"]["rows"]] == ["3", "3"]
    tests.write_text("def test_one(): pass\n")
    assert run.main([*words, "--only", "all"]) == 0
    second = json.loads(kept.read_text())
    assert second["runs"][0] == first["runs"][0] and second["runs"][1]["passed"] == 1
    tests.write_text("def test_one(): assert False\n")
    assert run.main([*words, "--only", "all"]) == 1
    assert json.loads(kept.read_text()) == second and str(kept) in capsys.readouterr().out
