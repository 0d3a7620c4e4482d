"""The README's commands are the ones that are tested, in both languages, and its links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel.course import find_root

ROOT = find_root(Path(__file__).parent)
READMES = ("README.md", "README.es.md")


def blocks(name: str) -> list[str]:
    return re.findall(r"```bash\n(.*?)\n```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)


def test_both_languages_give_the_same_commands() -> None:
    assert blocks("README.md") == blocks("README.es.md")


def test_each_command_is_complete_by_itself() -> None:
    check, test = blocks("README.md")[:2]
    for command in (check, test):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert check.endswith(".venv/bin/onekernel check --solutions 00 01 02")
    assert test.endswith(".venv/bin/pytest -n auto --dist worksteal")


def test_ci_runs_the_readmes_own_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extract = next(line for line in script.splitlines() if line.startswith("test_command="))
    done = subprocess.run(
        ["bash", "-c", f'{extract}\nprintf %s "$test_command"'], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == blocks("README.md")[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_runs_the_same_tests_and_ci_the_same_linters() -> None:
    (made,) = commands("test-all")
    typed = blocks("README.md")[1].rpartition(" && ")[2]
    assert made == typed.replace(".venv/bin/pytest", ".venv/bin/python -m pytest")
    assert commands("test") == [f'{made} -m "not slow"']
    assert "make check" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    checked = [line.partition(" -m ")[2] or line for line in commands("check")]
    parts = [f".venv/bin/onekernel author {part} --check" for part in ("starters", "stamp")]
    pages = [f"audits.book {part} --check" for part in ("tables", "drawings")]
    assert checked == ["ruff check", "mypy", *parts, *pages]


def commands(target: str) -> list[str]:
    """What `make target` runs where .venv is there."""
    words = ["make", "--no-print-directory", "-n", "-o", ".venv/bin/python", target]
    asked = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}  # of a make that runs the tests
    done = subprocess.run(words, cwd=ROOT, env=asked, capture_output=True, text=True, check=True)
    return [line.strip() for line in done.stdout.splitlines()]


PAGES = [ROOT / "docs" / lang / page for lang in ("en", "es") for page in ("learner.md", "instructor.md")]
PAGES.append(ROOT / "profiles" / "README.es.md")


@pytest.mark.skipif(not all(p.is_file() for p in PAGES), reason="the guides are not written yet")
@pytest.mark.parametrize("name", READMES)
def test_every_link_and_folder_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    folders = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    assert links and folders
    assert [path for path in links + folders if not (ROOT / path).exists()] == []


def test_github_runs_what_is_run_at_home() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert re.findall(r"^ +- run: (.*)$", workflow, re.MULTILINE) == [".ci/run"]


def test_the_container_is_the_bare_debian_that_the_readme_speaks_of() -> None:
    (packages,) = re.findall(r"`sudo apt install ([^`]+)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    container = ROOT / ".devcontainer"
    assert f" {packages} " in (container / "Dockerfile").read_text(encoding="utf-8")
    made = json.loads((container / "devcontainer.json").read_text(encoding="utf-8"))
    assert (container / made["build"]["dockerfile"]).is_file()
    assert os.access(ROOT / made["postCreateCommand"], os.X_OK)


@pytest.mark.parametrize("name", READMES)
def test_the_front_page_has_the_recording_and_three_pictures(name: str) -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (ROOT / name).read_text(encoding="utf-8"))
    assert len(pictures) == 4 and "session" in pictures[0][1]
    assert all(len(told) > 40 and (".es." in path) == (".es." in name) for told, path in pictures)
