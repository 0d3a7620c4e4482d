"""What the host may ask about devices, streams and events; device functions that few programs call."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import build
from support.marks import marked


@pytest.mark.slow
def test_questions_have_answers_and_seldom_functions_compute(capfd: pytest.CaptureFixture[str]) -> None:
    done = build([Path(__file__).with_name("settings.cu")]).run(limit=20)
    assert capfd.readouterr().out == "0 wrong\n"
    assert done.findings == ()


@pytest.mark.slow
def test_what_cuda_13_has_no_more_runs_and_is_told() -> None:
    path = Path(__file__).with_name("gone.cu")
    done = build([path]).run(limit=20, quiet=True)
    assert {(f.code, f.line) for f in done.findings} == marked(path)
    assert {f.severity for f in done.findings} == {"warning"}
    assert "cudaDevAttrClockRate" in done.findings[0].message.text("es")
