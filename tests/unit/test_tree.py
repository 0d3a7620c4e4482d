"""What must not stand in any file of the repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_no_file_holds_the_marks_of_an_unfinished_merge() -> None:
    command = ["git", "grep", "-lE", "^(<<<<<<<|>>>>>>>) ", "--", ".", ":!*.svg"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if found.returncode > 1:
        pytest.skip("not in a git repository")
    assert found.stdout.split() == []
