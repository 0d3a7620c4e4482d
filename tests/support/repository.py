"""A copy of the repository's files, for tests that change them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.course import ROOT


def copy(to: Path) -> None:
    """The files, as a clone would hold them."""
    names = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(names, cwd=ROOT, capture_output=True, text=True)
    files = (Path(name) for name in listed.stdout.split("\0") if name) if listed.returncode == 0 else _everything()
    for file in files:
        if (ROOT / file).is_file():
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            (to / file).write_bytes((ROOT / file).read_bytes())


def _everything() -> list[Path]:
    """The files of a copy without git: .ci/run makes one."""
    parts = ("audits", "bench", "docs", "kernels", "labs", "learners", "profiles", "solutions", "src", "tests")
    files = [p for part in parts for p in (ROOT / part).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return [p.relative_to(ROOT) for p in (*files, *ROOT.glob("*.*"), ROOT / "Makefile")]
