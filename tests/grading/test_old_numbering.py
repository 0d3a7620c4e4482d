"""A learner's folder from before lab 03 became 03-triton and 04-pytorch: read, shown, graded, and nothing is lost."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from onekernel import cli, messages
from onekernel.cli.console import console
from onekernel.numerals import number
from support.course import COURSE

ROOT = Path(__file__).parents[2]
# What the course of 2026-11-21 kept for the worked example's learner, when lab 03 held all three exercises.
BEFORE = ROOT / "tests" / "support" / "learner_of_0_1_0"
THREE = ("softmax_triton", "storage_probe", "torch_minigpt")

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def eva(tmp_path: Path) -> Path:
    """The folder of Eva, who began then, in a course of today."""
    for shared in ("labs", "docs", "solutions", "kernels"):
        (tmp_path / shared).symlink_to(ROOT / shared)
    folder = tmp_path / "learners" / "eva"
    shutil.copytree(BEFORE, folder)
    for file in (ROOT / "learners" / "borja").glob("*.[cp][uy]"):
        shutil.copy(file, folder)
    hints = json.loads((folder / "hints.json").read_text())
    (folder / "hints.json").write_text(json.dumps({**hints, "softmax_triton": 2, "torch_minigpt": 1}))
    return folder


@pytest.fixture
def say(eva: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Runs a command line as Eva; returns its exit code, what it wrote, what it complained about."""
    monkeypatch.setenv("ONEKERNEL_ROOT", str(eva.parents[1]))
    monkeypatch.setenv("ONEKERNEL_LEARNER", "eva")
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(messages, "_chosen", None)
        console.cache_clear()
        code = cli.main([*words])
        return (code, *capsys.readouterr())

    return run


def scores(folder: Path) -> dict:
    return json.loads((folder / "scores.json").read_text())["exercises"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_status_shows_what_was_earned_under_the_lab_of_today(eva: Path, say: Say, language: str) -> None:
    code, out, _ = say("status", *(lab.name for lab in COURSE.labs), "--lang", language)
    assert code == 0
    best = {slug: kept["best"] for slug, kept in scores(eva).items()}
    rows = dict(re.findall(r"^  \S (\w+) (.*)$", out, re.M))
    for slug, kept in best.items():
        assert f" {number(kept['earned'], 'g', language)} / " in rows[slug], slug  # of today's points
    assert rows["softmax_triton"].endswith(messages.say("cli.hints-read", count=2))
    three = r" 03: Triton\n.* softmax_triton .*\n\n.* 04: PyTorch\n.* storage_probe .*\n.* torch_minigpt .*\n\n"
    assert re.search(three, out)
    earned = number(sum(kept["earned"] for kept in best.values()), "g", language)
    assert re.search(rf"\b{re.escape(earned)} (of|de) \d+ ", out)


@pytest.mark.slow
def test_a_check_of_lab_04_scores_the_predictions_of_then_and_keeps_everything(eva: Path, say: Say) -> None:
    pytest.importorskip("torch")
    before, kept = scores(eva), {f: (eva / f).read_bytes() for f in ("predictions.json", "hints.json")}
    code, out, _ = say("check", "04")
    assert code == 0, out
    after = scores(eva)
    assert list(after) == list(before)
    for slug in before:
        assert after[slug]["best"]["earned"] == before[slug]["best"]["earned"], slug
        if slug not in THREE[1:]:
            assert after[slug] == before[slug]
    assert {after[slug]["last"]["date"] > before[slug]["last"]["date"] for slug in THREE[1:]} == {True}
    assert {f: (eva / f).read_bytes() for f in kept} == kept
    evidence = (eva / "profile.md").read_text(encoding="utf-8").partition("<!-- evidence -->")[2]
    assert re.findall(r"^\| (\w+) \| [\d.]+ /", evidence, re.M) == list(before)


def test_to_start_again_adds_what_is_new_and_changes_nothing(eva: Path, say: Say) -> None:
    shutil.copy(ROOT / "learners" / "borja" / "tuning_log.md", eva)
    before = {p.name: p.read_bytes() for p in eva.iterdir() if p.is_file()}
    assert say("start", "eva")[0] == 0
    after = {p.name: p.read_bytes() for p in eva.iterdir() if p.is_file()}
    assert before.items() <= after.items()
    for name in after.keys() - before.keys():  # the exercises of labs that came since
        assert after[name] == (ROOT / "kernels" / name).read_bytes(), name


@pytest.mark.parametrize(("language", "both"), [("en", "03-triton or 04-pytorch"), ("es", "03-triton o 04-pytorch")])
@pytest.mark.parametrize("name", ["03-triton-and-pytorch", "labs/03-triton-and-pytorch/"])
def test_the_old_name_of_the_lab_is_answered_with_both_of_its_parts(
    say: Say, name: str, language: str, both: str
) -> None:
    for words in (["check", name], ["check", name, "--solutions"], ["hint", name]):
        code, out, err = say(*words, "--lang", language)
        assert (code, out, f"'{name}'" in err, both in err) == (2, "", True, True)
        assert len(err.splitlines()) == 1
