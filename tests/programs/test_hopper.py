"""The small programs of the pages on Hopper: each compiles as its header says, and is right on the simulator.
tests/gpu/test_hopper_gpu.py runs them on a card."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel.messages import LANGUAGES
from programs.test_run import onekernel
from support import rules
from support.patience import HUNG_SECONDS

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "solutions" / "reading" / "hopper").glob("*.cu"))
ARCH = "sm_90a"
RUN = re.compile(r"^// Run: (nvcc .+) && \./(\w+)$", re.M)


def test_there_is_a_program_for_each_page_and_the_page_leads_to_it() -> None:
    assert [p.stem[:2] for p in PROGRAMS] == ["1_", "2_", "3_", "4_", "5_", "6_"]
    pages = {lang: sorted((ROOT / "docs" / lang).glob("06-08[a-z]-*.md")) for lang in LANGUAGES}

    def lacking(program: Path) -> list[str]:
        at = PROGRAMS.index(program)
        own = [pages[lang][at] for lang in LANGUAGES]
        return [str(page) for page in own if f"hopper/{program.name})" not in page.read_text(encoding="utf-8")]

    rules.each(PROGRAMS, lacking, "its page shows another program, or none")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on this machine")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
@pytest.mark.slow
def test_a_program_is_compiled_by_the_command_in_its_header(path: Path, tmp_path: Path) -> None:
    (told,) = RUN.findall(path.read_text(encoding="utf-8"))
    command = [str(tmp_path / word) if word == told[1] else word for word in shlex.split(told[0])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HUNG_SECONDS, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert (tmp_path / told[1]).is_file()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
@pytest.mark.slow
def test_a_program_is_right_on_the_simulator(path: Path) -> None:
    done = onekernel("run", "-arch", ARCH, path)
    assert done.returncode == 0 and " 0 of " in done.stdout, done.stdout + done.stderr
    assert "0 errors, 0 warnings" in done.stderr, done.stderr


def test_a_program_that_computes_something_else_says_so(tmp_path: Path) -> None:
    """The reader of 2_mbarrier.cu takes each value twice: the host's reference differs."""
    text = (PROGRAMS[1]).read_text(encoding="utf-8")
    right = "seen = seen * 31 + slot[lane];"
    assert text.count(right) == 1
    path = tmp_path / "wrong.cu"
    path.write_text(text.replace(right, "seen = seen * 31 + 2 * slot[lane];"), encoding="utf-8")
    done = onekernel("run", "-arch", ARCH, path)
    assert "32 of 32 lanes wrong" in done.stdout and "status 1" in done.stderr, done.stdout + done.stderr
