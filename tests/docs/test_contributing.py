"""The page for contributors: its recipe "add an exercise" is carried out, in a copy, exactly as it stands there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.patience import HUNG_SECONDS

ROOT = Path(__file__).parents[2]
PAGES = {language: ROOT / "docs" / language / "contributing.md" for language in ("en", "es")}
STEP = re.compile(r"^<!-- (?P<what>file|append|run)(?:: (?P<path>\S+))? -->\n```\w+\n(?P<text>.*?)^```$", re.M | re.S)
RUN = {
    "onekernel": [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main())"],
    "python": [sys.executable],
}


def steps(language: str) -> list[tuple[str, str | None, str]]:
    """What the recipe writes (file, append) and runs, in order."""
    found = STEP.finditer(PAGES[language].read_text(encoding="utf-8"))
    return [(step["what"], step["path"], step["text"]) for step in found]


def test_both_languages_give_the_same_steps() -> None:
    assert steps("en") == steps("es")
    assert {what for what, _, _ in steps("en")} == {"file", "append", "run"}


@pytest.mark.slow
def test_an_exercise_is_added_by_the_recipe(tmp_path: Path) -> None:
    """The last commands of the recipe are the test: full points for the solution, none for the starter."""
    copy(tmp_path)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ONEKERNEL_", "PYTEST_"))}
    environment["PYTHONPATH"] = str(tmp_path / "src")
    ran = []
    for what, path, text in steps("en"):
        if what == "run":
            for line in text.splitlines():
                first, *rest = shlex.split(line)
                done = subprocess.run(
                    [*RUN[first], *rest], cwd=tmp_path, env=environment, capture_output=True, text=True,
                    timeout=HUNG_SECONDS,
                )  # fmt: skip
                assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
                ran.append((line, done.stdout))
            continue
        assert path and (tmp_path / path).is_file() == (what == "append"), path
        with (tmp_path / path).open("a", encoding="utf-8") as file:
            file.write(text)
    said = dict(ran)
    assert re.search(r"log_sum_exp +\w+ passed +6 / 6", said["onekernel check --solutions log_sum_exp"])
    starter = (tmp_path / "kernels" / "log_sum_exp.cu").read_text(encoding="utf-8")
    assert "TODO" in starter and "logf(" not in starter
    (graded,) = (out for line, out in ran if "test_gaps" in line)
    assert re.search(r"\b[6-9] passed", graded), graded


def copy(to: Path) -> None:
    """The repository's files, as a clone would hold them."""
    names = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(names, cwd=ROOT, capture_output=True, text=True)
    files = (Path(name) for name in listed.stdout.split("\0") if name) if listed.returncode == 0 else everything()
    for file in files:
        if (ROOT / file).is_file():
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            (to / file).write_bytes((ROOT / file).read_bytes())


def everything() -> list[Path]:
    """The files of a copy without git: .ci/run makes one."""
    parts = ("bench", "docs", "kernels", "labs", "learners", "profiles", "solutions", "src", "tests")
    files = [p for part in parts for p in (ROOT / part).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return [p.relative_to(ROOT) for p in (*files, *ROOT.glob("*.*"), ROOT / "Makefile")]
