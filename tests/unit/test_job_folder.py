"""A job's folder goes with its job, and where the grader was killed with the next one that grades."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from onekernel.sandbox import job_folder

KILLED = """
import os, signal
from onekernel.sandbox import job_folder
with job_folder.opened() as folder:
    (folder / "out").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_graders_folder_is_removed_by_the_next_one_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    left = subprocess.run([sys.executable, "-c", KILLED], env=dict(os.environ))
    assert left.returncode == -signal.SIGKILL
    (dead,) = tmp_path.iterdir()
    foreign = tmp_path / "onekernel-mine"
    foreign.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / job_folder.LOCK).touch()
    (link := tmp_path / "onekernel-link").symlink_to(tmp_path / "elsewhere")
    others = {foreign, link, tmp_path / "elsewhere"}
    with job_folder.opened() as alive:
        assert set(tmp_path.iterdir()) == {dead, alive, *others}, "it may be another's that begins at this moment"
        for folder in (dead, alive, link):
            os.utime(folder / job_folder.LOCK, (0, 0))
        job_folder._clean.cache_clear()
        with job_folder.opened() as second:
            assert set(tmp_path.iterdir()) == {alive, second, *others}
    assert set(tmp_path.iterdir()) == others and (tmp_path / "elsewhere" / job_folder.LOCK).exists()
