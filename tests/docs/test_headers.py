"""The first lines of every solution and rung: the commands that they name can be typed."""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from onekernel import cli, messages
from onekernel.labs.reader import load
from support import rules

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    p for f in ("solutions", "solutions/ladder") for p in sorted((ROOT / f).glob("*.*")) if p.suffix in (".cu", ".py")
]
LINE = re.compile(r"^(?:// )?(Check|Bench|Run): +(.+)$", re.MULTILINE)
COMMAND = re.compile(r"((?:onekernel|python) .*?)(?: {2,}|$)")


def commands(path: Path) -> dict[str, str]:
    """What the header says under Check, Bench and Run; only the lines before the first of code."""
    head = re.split(r"^(?:#include|import|from) ", path.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
    return dict(LINE.findall(head))


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    monkeypatch.setenv("ONEKERNEL_LANG", "en")
    monkeypatch.setattr(messages, "_chosen", None)


@pytest.mark.slow
def test_a_header_says_how_to_check_and_bench_and_each_command_can_be_typed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def wrong(path: Path) -> None:
        said = commands(path)
        assert {"Check", "Bench"} <= set(said)
        for label, text in said.items():
            found = COMMAND.match(text)
            assert found or re.match(r"(none\b.*: |nothing )", text), f"{label}: no command, nor why there is none"
            if found:
                _can_be_typed(shlex.split(found[1]), capfd)

    rules.each(FILES, wrong, "write the commands in the file's first lines so that they can be typed")


@functools.cache
def collected(file: str) -> list[str]:
    """The names of the tests in that file."""
    command = [sys.executable, "-m", "pytest", file, "--collect-only", "-q", "--corpora", "-p", "no:cacheprovider"]
    env = {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"}  # those of whoever runs this would add up
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env)
    assert answer.returncode == 0, answer.stdout[-300:]
    return [line.partition("::")[2] for line in answer.stdout.splitlines() if "::" in line]


def _can_be_typed(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    if words[:2] == ["onekernel", "check"]:
        assert set(words[2:]) <= set(load(ROOT).exercises), words
    elif words[:2] == ["onekernel", "bench"]:
        assert cli.main([*words[1:], "--dry-run"]) == 0, words
        assert f"{words[2]} (" in capfd.readouterr().out
    elif words[:3] == ["python", "-m", "pytest"]:
        file, option, name = words[3:]
        assert option == "-k" and [test for test in collected(file) if name in test], f"{words} selects no test"
    elif words[:2] == ["python", "-m"]:
        module = ROOT / words[2].replace(".", "/")
        assert (module / "__main__.py").is_file() or module.with_suffix(".py").is_file(), words
    else:
        file = words[1].replace("learners/YOURNAME/", "kernels/")  # where a learner's own files come from
        assert words[0] == "python" and (ROOT / file).is_file(), words


@pytest.mark.parametrize("name", ["ladder/8_none", "vector_add"])
def test_what_has_no_bench_is_told_what_has_one(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", name, "--dry-run"]) == 2
    told = capfd.readouterr().err
    assert name in told and ("ladder/4_online" if name.startswith("ladder") else "softmax_tuned") in told
