"""The tuning log: rounds are read in both languages, the tool fills one in at a time, predictions come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.grading.tuning_log import fill, kernel_hash, ready_to_measure, rounds

ROUND = """## {word} {n}: shuffles

**{p}:** {prediction}

**{c}:** the tree

**{m}:**
<!-- measured -->
<!-- /measured -->

**{e}:** {explanation}

"""
ENGLISH = {"word": "Round", "p": "Prediction", "c": "Change", "m": "Measured", "e": "Explanation"}
SPANISH = {"word": "Ronda", "p": "Predicción", "c": "Cambio", "m": "Medido", "e": "Explicación"}
WHY = "it was right, because the barriers between the levels of the tree are gone now"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "softmax_tuned.cu"
    path.write_text("// one")
    return path


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_a_round_is_complete_once_it_is_predicted_changed_measured_explained(words, kernel: Path) -> None:
    text = ROUND.format(n=1, prediction="2 barriers instead of 18", explanation=WHY, **words)
    assert rounds(text)[0].missing([]) == "log-measured"
    ready_to_measure(text, kernel)
    (complete,) = rounds(fill(text, kernel, ["2 barriers a row"]))
    assert complete.missing([]) is None
    assert complete.kernel == kernel_hash(kernel)
    assert complete.missing([kernel_hash(kernel)]) == "log-same-kernel"


def test_what_is_missing_is_told(kernel: Path) -> None:
    vague = ROUND.format(n=1, prediction="faster", explanation=WHY, **ENGLISH)
    assert rounds(vague)[0].missing([]) == "log-prediction"
    curt = fill(ROUND.format(n=1, prediction="2x", explanation="it is faster", **ENGLISH), kernel, ["x"])
    assert rounds(curt)[0].missing([]) == "log-explanation"


def test_no_measurement_without_a_prediction_a_change_and_a_place(kernel: Path) -> None:
    vague = ROUND.format(n=1, prediction="faster", explanation="", **ENGLISH)
    with pytest.raises(ValueError, match="predict"):
        ready_to_measure(vague, kernel)
    measured = fill(ROUND.format(n=1, prediction="2x", explanation=WHY, **ENGLISH), kernel, ["x"])
    with pytest.raises(ValueError, match="no empty measurement"):
        ready_to_measure(measured, kernel)
    second = measured + ROUND.format(n=2, prediction="3x", explanation="", **ENGLISH)
    with pytest.raises(ValueError, match="same file"):
        ready_to_measure(second, kernel)
    kernel.write_text("// two")
    ready_to_measure(second, kernel)
