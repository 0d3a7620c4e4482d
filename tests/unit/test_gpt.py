"""`onekernel gpt`: the text, with NumPy and with kernels; of a wrong kernel, the first step that it spoils."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from onekernel import cli, doctor, messages
from onekernel.cli.console import console
from onekernel.minigpt import weights
from onekernel.minigpt.kernels import write
from onekernel.minigpt.port_check import worst_ulp
from support.course import ROOT
from support.slips import slips

PROMPT = "A warp"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ana(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("docs", "labs", "kernels", "solutions"):
        (tmp_path / name).symlink_to(ROOT / name)
    folder = tmp_path / "learners" / "ana"
    folder.mkdir(parents=True)
    for name, value in (("ONEKERNEL_ROOT", str(tmp_path)), ("ONEKERNEL_LEARNER", "ana"), ("COLUMNS", "1000")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(doctor, "settle", lambda *_: ("simulator", None))  # its own tests try the machine
    monkeypatch.setattr("onekernel.cli.console.WIDEST", 1000)
    console.cache_clear()
    return folder


@pytest.fixture
def run(ana: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(messages, "_chosen", None)
        code = cli.main(["gpt", PROMPT, *words])
        return code, *capsys.readouterr()

    return run


def test_numpy_goes_on_with_the_text(run: Run) -> None:
    code, out, _ = run("--length", "20")
    assert code == 0 and out.startswith(PROMPT) and len(out.rstrip("\n")) >= len(PROMPT) + 15


def test_what_is_asked_in_vain_is_told(run: Run, ana: Path) -> None:
    for words, said in (
        (["--use", "gemm_naive"], "--with-my-kernels"),
        (["--with-my-kernels", "--temperature", "1"], "--temperature"),
        (["--with-my-kernels", "--use", "vector_add"], "gemm_naive, gemm_tiled"),
        (["--with-my-kernels"], "gemm_naive.cu"),
    ):
        code, out, err = run(*words)
        assert (code, out, said in err) == (2, "", True), (words, err)
    shutil.copy(ROOT / "kernels" / "gemm_naive.cu", ana)  # a starter is no kernel yet
    assert run("--with-my-kernels")[0] == 2


@pytest.mark.slow
def test_right_kernels_write_numpys_text(run: Run) -> None:
    chosen = ["--with-my-kernels", "--solutions", "--use", "gemm_naive", "--use", "softmax_naive", "--length", "5"]
    text = write(weights.SHIPPED_CONFIG, weights.load(), PROMPT, 5).text
    code, out, _ = run(*chosen)
    assert code == 0 and out.startswith(f"{text}\n")
    assert "gemm_naive + softmax_naive: " in out and "tokens/s on the simulator" in out and "200 launches" in out
    assert "writes the same text" in out and "of 1,280 logits" in out and "ULP" in out
    assert "escribe el mismo texto" in run(*chosen, "--lang", "es")[1]


@pytest.mark.slow
def test_a_wrong_kernel_is_named_by_the_first_step_that_is_wrong(run: Run, ana: Path) -> None:
    gemm, softmax = ana / "gemm_tiled.cu", ana / "softmax_naive.cu"
    slip = next(s for s in slips() if s.name == "gemm-transpose-ignored")
    right = (ROOT / "tests" / "slips" / "gemm.cu").read_text("utf-8")
    shutil.copy(ROOT / "solutions" / "softmax_naive.cu", softmax)
    gemm.write_text(slip.text(), encoding="utf-8")
    code, out, err = run("--with-my-kernels")
    assert (code, out) == (1, "")
    assert "gemm_tiled" in err and "blocks.0.attention.scores, 6 x 24 times 24 x 6" in err and "allowed" in err

    gemm.write_text(right, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "wrong" / "naive_sum_drops_last.cu", softmax)
    code, _, err = run("--with-my-kernels", "--lang", "es")
    assert code == 1 and "softmax_naive" in err and "blocks.0.attention.weights, 24 x 6" in err and "se admite" in err

    gemm.write_text(right.replace("return cudaGetLastError();", "return cudaErrorInvalidValue;"), encoding="utf-8")
    code, _, err = run("--with-my-kernels")
    assert code == 1 and "gemm_tiled did not finish. cudaErrorInvalidValue" in err


def test_distances_of_float32_are_counted_in_its_own_numbers() -> None:
    one = np.float32([1.0, -0.0, -1.0])
    assert worst_ulp(one, np.float32([1.0, 0.0, -1.0])) == 0
    assert worst_ulp(np.nextafter(one, np.float32(9)), one) == 1
    assert worst_ulp(np.float32([-1e-45]), np.float32([1e-45])) == 2
