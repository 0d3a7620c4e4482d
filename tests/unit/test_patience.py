"""A process that stands still is stopped, unless others had the processors meanwhile."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from onekernel.sandbox import process

NAP = [sys.executable, "-c", "import time; time.sleep(1.5)"]


@pytest.mark.parametrize(("queued", "timed_out"), [(lambda pid: 0.0, True), (lambda pid: time.monotonic(), False)])
def test_the_time_in_which_others_had_the_processors_is_not_its_own(tmp_path: Path, monkeypatch, queued, timed_out):
    monkeypatch.setattr(process, "_queued", queued)
    ended = process.run(NAP, folder=tmp_path, env=dict(os.environ), timeout=60.0, patience=lambda: (1, 0.3))
    assert ended.timed_out is timed_out


def test_what_the_kernel_says_of_waiting_is_seconds():
    assert 0.0 <= process._queued(os.getpid()) < 1e6
    assert process._queued(2**22 + 1) == 0.0
