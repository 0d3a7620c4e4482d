"""Kernels that their name alone does not tell, in the launches that teaching code writes: packs, macros."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import build

SAID = """6.5 0 0
0 0 0
3.5 0 0
3 3 0
3 3 6
4 2 12
0 0 4 6 12
"""


@pytest.mark.slow
def test_packs_and_macros_launch_the_kernel_that_is_meant(capfd: pytest.CaptureFixture[str]) -> None:
    done = build([Path(__file__).with_name("launched.cu")]).run(limit=20)
    assert capfd.readouterr().out == SAID
    assert done.findings == ()
