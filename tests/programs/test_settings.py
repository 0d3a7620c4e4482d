"""What the host may ask about devices, streams and events; device functions that few programs call."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import build


@pytest.mark.slow
def test_questions_have_answers_and_seldom_functions_compute(capfd: pytest.CaptureFixture[str]) -> None:
    done = build([Path(__file__).with_name("settings.cu")]).run(limit=20)
    assert capfd.readouterr().out == "0 wrong\n"
    assert done.findings == ()
