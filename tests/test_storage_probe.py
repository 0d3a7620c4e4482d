"""storage_probe: the recorded answers are torch's own, predictions are read without running the file, and judged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from onekernel.gaps import starter
from onekernel.messages import area
from onekernel.minigpt.storage import (
    SHARED_PAIRS,
    TRUTH,
    PredictionsError,
    judge_predictions,
    judge_probe,
    predictions,
)
from onekernel.minigpt.storage_run import run_probe

SOLUTION = Path(__file__).parents[1] / "solutions" / "storage_probe.py"


def changed(tmp_path: Path, right: str, wrong: str) -> Path:
    text = SOLUTION.read_text()
    assert text.count(right) == 1, right
    path = tmp_path / "storage_probe.py"
    path.write_text(text.replace(right, wrong))
    return path


def test_the_answers_are_what_torch_does():
    assert judge_probe(run_probe(SOLUTION)) == ()


@pytest.mark.gpu
def test_the_answers_are_what_torch_does_on_cuda():
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    assert judge_probe(run_probe(SOLUTION, cuda=True)) == ()


def test_half_moves_like_double(tmp_path):
    """The stand-in for .cuda() may be any dtype."""
    path = changed(tmp_path, "else model.double()", "else model.half()")
    path.write_text(path.read_text().replace("t.dtype == torch.float64", "t.dtype == torch.float16"))
    assert judge_probe(run_probe(path)) == ()


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
    said = judge_probe(run_probe(path))
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
        with pytest.raises(PredictionsError, match="PREDICTIONS"):
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
    found = judge_probe(run_probe(path))
    assert len(found) == 1 and found[0].key == "minigpt.shares-storage"
    assert found[0].values["pair"].key == f"minigpt.pair-{pair.replace(' ', '-')}"
    assert found[0].text("es") and found[0].text("en")


def test_a_changed_experiment_is_named(tmp_path):
    path = changed(tmp_path, '"share-half": x.half()', '"share-half": x')
    assert [f.values["name"] for f in judge_probe(run_probe(path))] == ["share-half"]


def test_a_question_that_observe_leaves_out_is_named(tmp_path):
    path = changed(tmp_path, "**observe_meta(), ", "")
    assert "KeyError: 'meta-same-parameters'" in judge_probe(run_probe(path))[0].text()


def test_what_an_untrusted_process_may_send():
    good = run_probe(SOLUTION)
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
    asked = {k.removeprefix("probe-") for k in said if k.startswith("probe-")} - {"no-answer"}
    assert asked == set(TRUTH)


def test_the_file_runs_by_itself():
    done = subprocess.run(
        [sys.executable, "-B", str(SOLUTION)], capture_output=True, text=True, check=True, timeout=120
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + len(TRUTH) and not any("<-" in line for line in lines)
    if not torch.cuda.is_available():
        assert "torch sees no GPU here" in lines[0]
