"""The NumPy model, its weights, its command; the course's own port against it."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from onekernel.minigpt import weights
from onekernel.minigpt.arithmetic import Reproducible
from onekernel.minigpt.config import Config
from onekernel.minigpt.model import MiniGPT

PACKAGE = Path(weights.__file__).parent
SMALL = Config(vocabulary=19, context=12, width=12, heads=2, blocks=2)


@pytest.fixture(scope="module")
def trained() -> MiniGPT:
    return MiniGPT(weights.SHIPPED_CONFIG, weights.load())


def test_the_past_does_not_see_the_future():
    model = MiniGPT(SMALL, weights.random(SMALL, 0))
    tokens = np.array([[3, 1, 4, 1, 5, 9]])
    other = tokens.copy()
    other[0, 4] = 2
    a, b = model.logits(tokens), model.logits(other)
    np.testing.assert_array_equal(a[0, :4], b[0, :4])
    assert (a[0, 4:] != b[0, 4:]).all()


def test_rows_of_a_batch_do_not_see_each_other():
    model = MiniGPT(SMALL, weights.random(SMALL, 0), Reproducible(np))
    tokens = np.random.default_rng(1).integers(0, SMALL.vocabulary, (3, 7))
    together = model.logits(tokens)
    for row in range(3):
        assert model.logits(tokens[row : row + 1]).tobytes() == together[row].tobytes()


def test_both_arithmetics_agree_to_rounding(trained):
    tokens = np.frombuffer(b"A warp is a group of threads", np.uint8)[None].astype(int)
    exact = MiniGPT(trained.config, weights.load(), Reproducible(np)).logits(tokens)
    native = trained.logits(tokens)
    assert np.abs(native - exact).max() < 1e-12 * np.abs(native).max()


@pytest.mark.slow
def test_it_learned_the_text(trained):
    """Bits per byte over the corpus's training part. A model that learned nothing needs 8; letter frequencies alone
    need 4.1, pairs of letters 3.3."""
    text = np.frombuffer((PACKAGE / "corpus.txt").read_bytes(), np.uint8).astype(int)
    text = text[: len(text) * 9 // 10]
    count = (len(text) - 1) // 128
    logits = trained.logits(text[: count * 128].reshape(count, 128))
    logits -= logits.max(axis=-1, keepdims=True)
    chosen = np.take_along_axis(logits, text[1 : count * 128 + 1].reshape(count, 128, 1), axis=-1)[..., 0]
    bits = (np.log(np.exp(logits).sum(axis=-1)) - chosen).mean() / np.log(2)
    recorded = json.loads((PACKAGE / "training.json").read_text())["train_bits_per_byte"]
    assert bits == pytest.approx(recorded, abs=0.01)
    assert bits < 1.5


@pytest.mark.slow
def test_generate_goes_on_with_words_of_the_text(trained):
    written = trained.generate("A warp is", 60)
    assert written.startswith("A warp is") and len(written) == 69
    known = set((PACKAGE / "corpus.txt").read_text().split())
    words = written.split()[3:-1]
    assert sum(w in known for w in words) > 0.8 * len(words), written
    drawn = trained.generate("A warp is", 12, temperature=2.0, seed=3)
    assert drawn == trained.generate("A warp is", 12, temperature=2.0, seed=3)
    assert drawn != trained.generate("A warp is", 12, temperature=2.0, seed=4)


def test_any_text_is_a_prompt(trained):
    assert trained.generate("", 3).startswith("\n")
    assert trained.generate("memoria rápida: ñ 線", 2).startswith("memoria rápida: ñ 線")
    assert len(trained.generate("x" * 200, 2)) == 202  # longer than the context: the last 128 bytes are looked at


def test_bad_input_gets_a_clear_sentence():
    model = MiniGPT(SMALL, weights.random(SMALL, 0))
    with pytest.raises(ValueError, match=r"1 to 12 positions\), not \(1, 13\)"):
        model.logits(np.zeros((1, 13), int))
    broken = weights.random(SMALL, 0)
    broken["norm.gain"] = broken["norm.gain"][:-1]
    with pytest.raises(ValueError, match=r"weight norm.gain: \(12,\) expected, \(11,\) given"):
        MiniGPT(SMALL, broken)
    del broken["norm.gain"]
    with pytest.raises(ValueError, match="none given"):
        MiniGPT(SMALL, broken)


def test_the_weights_are_the_recorded_ones(tmp_path):
    assert weights.SHIPPED.stat().st_size <= 4_000_000
    assert hashlib.sha256(weights.SHIPPED.read_bytes()).hexdigest() == weights.SHIPPED_SHA256
    shapes = {name: array.shape for name, array in weights.load().items()}
    assert shapes == weights.SHIPPED_CONFIG.shapes()
    changed = tmp_path / "weights.npz"
    changed.write_bytes(weights.SHIPPED.read_bytes()[:-1] + b"!")
    with pytest.raises(weights.WeightsError, match="expects"):
        weights.load(changed)


def test_an_archive_that_would_run_code_is_not_opened(tmp_path):
    path = tmp_path / "weights.npz"
    buffer = io.BytesIO()
    np.savez(buffer, evil=np.array([{"a": 1}], dtype=object))
    path.write_bytes(buffer.getvalue())
    with pytest.raises(ValueError, match="allow_pickle"):
        weights.load(path, sha256=None)


def test_the_corpus_is_the_one_that_was_trained_on():
    record = json.loads((PACKAGE / "training.json").read_text())
    assert hashlib.sha256((PACKAGE / "corpus.txt").read_bytes()).hexdigest() == record["corpus_sha256"]
    assert sum(w.size for w in weights.load().values()) == record["parameters"]


@pytest.mark.slow
def test_training_learns_and_exports_what_numpy_loads(capsys):
    from onekernel.minigpt.train import train

    small = Config(context=16, width=12, heads=2, blocks=1)
    trained, figures = train(small, steps=60, batch=8, peak=1e-2, decay=0.1, dropout=0.0, seed=0)
    again, _ = train(small, steps=60, batch=8, peak=1e-2, decay=0.1, dropout=0.0, seed=0)
    assert all(again[name].tobytes() == array.tobytes() for name, array in trained.items())
    assert figures["train_bits_per_byte"] < 5.0  # 8: knows nothing
    text = np.frombuffer((PACKAGE / "corpus.txt").read_bytes()[:17], np.uint8).astype(int)
    logits = MiniGPT(small, trained).logits(text[None, :16])[0]
    odds = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    assert -np.log2(odds[np.arange(16), text[1:]]).mean() < 6.0


def test_the_model_imports_numpy_alone():
    """model.py, config.py, arithmetic.py and weights.py: the standard library, numpy and each other."""
    for name in ("model", "config", "arithmetic", "weights"):
        for node in ast.walk(ast.parse((PACKAGE / f"{name}.py").read_text())):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or ""] if node.level == 0 else []
                assert node.level == 0 or node.module == "config"
            for module in modules:
                assert module.split(".")[0] in {*sys.stdlib_module_names, "numpy"}, (name, module)


def test_rows_of_unused_bytes_are_what_lab_04_says(trained):
    """The answer to lab 04's third question, with its figures."""
    used = set((PACKAGE / "corpus.txt").read_bytes())
    rows = trained.weights["token_embedding"]
    unused = rows[[byte for byte in range(256) if byte not in used]]
    lengths = np.linalg.norm(unused, axis=1, keepdims=True)
    cosines = (unused / lengths) @ (unused / lengths).T
    assert len(used) == 52
    assert cosines.mean() == pytest.approx(0.999, abs=5e-4)
    assert lengths.mean() > np.linalg.norm(rows[sorted(used)], axis=1).mean()
