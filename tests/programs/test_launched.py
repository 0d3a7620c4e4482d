"""Kernels that their name alone does not tell, in the launches that teaching code writes: packs, macros."""

from __future__ import annotations

import re
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


@pytest.mark.slow
def test_a_kernel_has_its_own_name_however_it_is_launched() -> None:
    path = Path(__file__).with_name("named.cu")
    said = [name.strip() for name in re.findall(r"// (.*)", path.read_text())[1:] for name in name.split(";")]
    refused = {name.removeprefix("refused: ") for name in said if name.startswith("refused: ")}
    done = build([path], mode="count").run(limit=20, quiet=True)
    assert [k.kernel for k in done.kernels] == [name for name in said if not name.startswith("refused: ")]
    assert {f.message.values["kernel"] for f in done.findings} == refused
