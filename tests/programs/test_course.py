"""Programs as university courses and posts have them: the right ones print what they should and cause no finding; each
wrong one, with a typical mistake, is told at its line and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import build
from onekernel.simulator import cccl
from support.marks import marked

COURSE = Path(__file__).with_name("course")
RIGHT = sorted(p.stem for p in COURSE.glob("*.cu") if not p.stem.endswith("_wrong"))
WRONG = sorted(p.stem for p in COURSE.glob("*_wrong.cu"))


def _require_thrust(path: Path) -> None:
    if "<thrust/" in path.read_text(encoding="utf-8") and cccl.find() is None:
        pytest.skip("no CCCL: pip install nvidia-cuda-cccl")


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_prints_what_it_should(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = COURSE / f"{name}.cu"
    _require_thrust(path)
    done = build([path]).run(limit=30)
    said = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("// Prints: ")
    assert (capfd.readouterr().out.strip(), done.status) == (said, 0)
    assert [f"{f.line}: {f.code}" for f in done.findings if f.severity != "note"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_told_at_its_line(name: str) -> None:
    path = COURSE / f"{name}.cu"
    _require_thrust(path)
    wanted = marked(path)
    done = build([path]).run(limit=30, quiet=True)
    found = {(f.code, f.line) for f in done.findings if f.severity != "note"}
    assert wanted and found == wanted
