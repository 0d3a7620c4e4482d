"""storage_probe: the recorded answers are torch's own, predictions are read without running the file, and judged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from onekernel import cli, learners
from onekernel.cli.predict import ask_before_check
from onekernel.errors import UserError
from onekernel.gaps import starter
from onekernel.labs.reader import load
from onekernel.messages import area
from onekernel.minigpt.storage import (
    SHARED_PAIRS,
    TRUTH,
    committed,
    judge_predictions,
    judge_probe,
    observed_move,
    predictions,
    request,
)
from onekernel.sandbox.tasks.probe import run
from support.patience import HUNG_SECONDS

SOLUTION = Path(__file__).parents[2] / "solutions" / "storage_probe.py"


def changed(tmp_path: Path, right: str, wrong: str) -> Path:
    text = SOLUTION.read_text()
    assert text.count(right) == 1, right
    path = tmp_path / "storage_probe.py"
    path.write_text(text.replace(right, wrong))
    return path


@pytest.mark.slow
def test_the_answers_are_what_torch_does():
    assert judge_probe(run(SOLUTION, request())) == ()


@pytest.mark.gpu
def test_the_answers_are_what_torch_does_on_cuda():
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    assert judge_probe(run(SOLUTION, request(cuda=True))) == ()


@pytest.mark.slow
def test_half_moves_like_double(tmp_path):
    """The stand-in for .cuda() may be any dtype."""
    path = changed(tmp_path, "else model.double()", "else model.half()")
    path.write_text(path.read_text().replace("t.dtype == torch.float64", "t.dtype == torch.float16"))
    assert judge_probe(run(path, request())) == ()


def test_the_solution_predicts_everything():
    results = judge_predictions(predictions(SOLUTION.read_text()))
    assert [r.question for r in results] == list(TRUTH)
    assert all(r.right and r.messages == () for r in results)


def test_the_starter_has_no_prediction_and_says_so(tmp_path):
    text = starter(SOLUTION.read_text(), SOLUTION)
    given = predictions(text)
    assert set(given) == set(TRUTH) and set(given.values()) == {None}
    for result in judge_predictions(given):
        assert not result.right and result.question in result.messages[0].text("es")
    path = tmp_path / "storage_probe.py"
    path.write_text(text)
    said = judge_probe(run(path, request()))
    assert len(said) == 1 and "NotImplementedError: shares_storage" in said[0].text("es")


def test_a_wrong_prediction_is_explained():
    given = {**TRUTH, "share-half": True}
    wrong = [r for r in judge_predictions(given) if not r.right]
    assert [r.question for r in wrong] == ["share-half"]
    said = wrong[0].messages[0].text("en")
    assert "x.half()" in said and "The answer is no" in said
    assert "La respuesta es no" in wrong[0].messages[0].text("es")


def test_predictions_are_read_and_not_run():
    text = "raise SystemExit\nPREDICTIONS = {'share-half': False, 'share-view': 1, 'share-column': f()}\n"
    given = predictions(text)
    assert given == {"share-half": False, "share-view": None}
    for bad in ("x = 1", "PREDICTIONS = make()", ""):
        with pytest.raises(UserError, match="PREDICTIONS"):
            predictions(bad)
    with pytest.raises(SyntaxError):
        predictions("PREDICTIONS = {")


@pytest.mark.parametrize(
    ("right", "wrong", "pair"),
    [
        ("ours == theirs != 0", "a.data_ptr() == b.data_ptr()", "a later row"),
        ("ours == theirs != 0", "torch.equal(a, b)", "a later row"),
        ("ours == theirs != 0", "ours == theirs", "two tensors without memory"),
        ("ours == theirs != 0", "True", "a clone"),
    ],
)
def test_a_wrong_shares_storage_is_caught(tmp_path, right, wrong, pair):
    path = changed(tmp_path, right, wrong)
    found = judge_probe(run(path, request()))
    assert len(found) == 1 and found[0].key == "minigpt.shares-storage"
    assert found[0].values["pair"].key == f"minigpt.pair-{pair.replace(' ', '-')}"
    assert found[0].text("es") and found[0].text("en")


def test_a_changed_experiment_is_named(tmp_path):
    path = changed(tmp_path, '"share-half": x.half()', '"share-half": x')
    assert [f.values["name"] for f in judge_probe(run(path, request()))] == ["share-half"]


def test_a_question_that_observe_leaves_out_is_named(tmp_path):
    path = changed(tmp_path, "**observe_meta(), ", "")
    assert "KeyError: 'meta-same-parameters'" in judge_probe(run(path, request()))[0].text()


def test_what_an_untrusted_process_may_send():
    good = run(SOLUTION, request())
    for key in good:
        for bad in (None, np.zeros(2, np.uint8), good[key].astype(float), np.array(["x"] * len(good[key]))):
            answer = {k: v for k, v in good.items() if k != key}
            if bad is not None:
                answer[key] = bad
            assert judge_probe(answer)[0].key == "minigpt.probe-no-answer"


def test_every_question_has_its_words():
    said = area("minigpt")
    for question in TRUTH:
        assert f"probe-{question}" in said and f"why-{question}" in said
    for pair in SHARED_PAIRS:
        assert f"pair-{pair.replace(' ', '-')}" in said
    asked = {k.removeprefix("probe-") for k in said if k.startswith("probe-")} - {"no-answer", "note"}
    assert asked == set(TRUTH)


def run_alone(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-B", str(path)], capture_output=True, text=True, timeout=HUNG_SECONDS)


@pytest.mark.slow
def test_the_file_runs_by_itself():
    done = run_alone(SOLUTION)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) == 1 + len(TRUTH) and not any("<-" in line for line in lines)
    if not torch.cuda.is_available():
        assert "torch sees no GPU here" in lines[0]


@pytest.mark.slow
def test_run_by_itself_it_shows_nothing_before_a_commitment_and_never_a_traceback(tmp_path):
    path = tmp_path / "storage_probe.py"
    path.write_text(SOLUTION.read_text())
    done = run_alone(path)
    assert done.returncode == 1 and not done.stdout
    assert "onekernel predict storage_probe" in done.stderr and len(done.stderr.splitlines()) == 1
    (tmp_path / "predictions.json").write_text((SOLUTION.parent / "predictions.json").read_text())
    path.write_text(starter(SOLUTION.read_text(), SOLUTION))
    done = run_alone(path)
    assert done.returncode == 1 and done.stderr.splitlines() == [
        "shares_storage is still to be written: it finds out what is so."
    ]


@pytest.fixture
def ana(tmp_path, monkeypatch):
    """A learner's folder in a root of the real course, with the solution's file."""
    root = SOLUTION.parents[1]
    for part in ("labs", "solutions", "kernels", "docs"):
        (tmp_path / part).symlink_to(root / part)
    folder = tmp_path / "learners" / "ana"
    folder.mkdir(parents=True)
    (folder / SOLUTION.name).write_text(SOLUTION.read_text())
    monkeypatch.setenv("ONEKERNEL_ROOT", str(tmp_path))
    return folder


def onekernel(*words):
    return cli.main([*words, "--learner", "ana", "--lang", "en"])


@pytest.mark.slow
def test_the_report_names_the_move_that_was_observed(ana, capsys):
    (ana / "predictions.json").write_text((SOLUTION.parent / "predictions.json").read_text())
    for lang, answers in (("en", "29 of 29 answers right."), ("es", "29 de 29 respuestas correctas.")):
        assert cli.main(["check", "storage_probe", "--learner", "ana", "--lang", lang, "--device", "simulator"]) == 0
        told = said_of(capsys)
        assert answers in told and "model.double()" in told and "{" not in told
    assert "model.cuda()" in observed_move(cuda=True).text("es")


@pytest.mark.gpu
def test_on_a_gpu_the_report_names_cuda(ana, capsys):
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    (ana / "predictions.json").write_text((SOLUTION.parent / "predictions.json").read_text())
    assert onekernel("check", "storage_probe", "--device", "cuda") == 0
    assert "observed is model.cuda()" in said_of(capsys)


def said_of(capsys):
    captured = capsys.readouterr()
    return " ".join((captured.out + captured.err).split())


@pytest.mark.slow
def test_predictions_are_committed_once_and_only_then_is_the_truth_told(ana, capsys):
    file = ana / SOLUTION.name
    wrong = file.read_text().replace('"share-half": False', '"share-half": True')
    file.write_text(wrong)
    assert onekernel("check", "storage_probe", "--device", "simulator") == 1
    told = said_of(capsys)
    assert "3 / 6" in told and "onekernel predict storage_probe" in told and "The answer is" not in told

    assert onekernel("predict", "storage_probe") == 0
    assert json.loads((ana / "predictions.json").read_text())["storage_probe"]["answers"]["share-half"] == "True"
    assert "Committed" in said_of(capsys)
    file.write_text(SOLUTION.read_text())  # corrected afterwards: too late
    assert onekernel("predict", "storage_probe") == 0
    assert "share-half True" in said_of(capsys)
    onekernel("check", "storage_probe", "--device", "simulator")
    told = said_of(capsys)
    assert "5.9 / 6" in told and "x.half()" in told and "The answer is no" in told
    assert learners.existing(ana.parents[1], "ana").solved("storage_probe")


@pytest.mark.slow
def test_no_commitment_to_half_of_the_answers(ana, capsys):
    file = ana / SOLUTION.name
    file.write_text(starter(SOLUTION.read_text(), SOLUTION))
    assert onekernel("predict", "storage_probe") == 2
    assert "29 of the 29 questions in learners/ana/storage_probe.py" in said_of(capsys)
    assert onekernel("predict", "storage_probe", "--set", "share-half=True") == 2
    assert "in your file" in said_of(capsys)
    file.write_text("PREDICTIONS = {")
    assert onekernel("predict", "storage_probe") == 2
    assert "line 1" in said_of(capsys)
    file.write_text("")
    assert onekernel("predict", "storage_probe") == 2
    assert "PREDICTIONS" in said_of(capsys)
    assert not (ana / "predictions.json").exists()


def test_the_solutions_predictions_are_those_of_its_file():
    kept = learners.read_predictions(SOLUTION.parent)["storage_probe"]
    assert committed(kept) == predictions(SOLUTION.read_text()) == TRUTH


@pytest.mark.parametrize(("answer", "commits"), [("", False), ("no", False), ("yes", True), ("Sí", True)])
def test_before_a_check_a_terminal_asks_once_whether_to_commit(ana, monkeypatch, answer, commits):
    whole = load(SOLUTION.parents[1])
    learner, exercise = learners.existing(ana.parents[1], "ana"), whole.exercises["storage_probe"]
    asked = []
    monkeypatch.setattr("builtins.input", lambda prompt: asked.append(prompt) or answer)
    ask_before_check(whole, learner, exercise)
    assert len(asked) == 1 and bool(learner.predictions("storage_probe")) == commits
    (ana / SOLUTION.name).write_text(SOLUTION.read_text().replace("True,", "None,", 1))
    ask_before_check(whole, learner, exercise)  # committed, or not whole: nothing to ask
    assert len(asked) == 1
