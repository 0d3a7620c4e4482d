"""CuPy: lab 00's kernel through RawModule, DLPack without a copy, and the model and its arithmetic on CuPy arrays."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from onekernel.loading import load_module
from onekernel.minigpt import weights
from onekernel.minigpt.arithmetic import Reproducible
from onekernel.minigpt.model import MiniGPT, Native
from onekernel.minigpt.port_request import RANDOM_CONFIG
from support.patience import HUNG_SECONDS

SOLUTIONS = Path(__file__).parents[2] / "solutions"
EXAMPLE = SOLUTIONS / "cupy_vector_add.py"


def on_gpu():
    """(cupy, torch), or a skip that says what is missing."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    return pytest.importorskip("cupy"), torch


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_the_kernel_has_the_name_that_the_example_asks_for(tmp_path):
    """What CuPy's nvcc backend does, without CuPy: the whole .cu to a cubin, and the mangled name inside."""
    name = re.search(r'^KERNEL = "(.*)"', EXAMPLE.read_text(), re.M)
    assert name
    cubin = tmp_path / "vector_add.cubin"
    subprocess.run(
        ["nvcc", "--cubin", "-arch=sm_80", "-o", cubin, SOLUTIONS / "vector_add.cu"], check=True, timeout=HUNG_SECONDS
    )
    assert name[1].encode() in cubin.read_bytes()


@pytest.mark.gpu
def test_the_same_cu_runs_through_cupy_on_torchs_memory():
    cupy, torch = on_gpu()
    example = load_module(EXAMPLE)
    kernel = example.load(SOLUTIONS / "vector_add.cu")
    for n in (0, 1, 255, 1_000_003):
        a, b = (torch.randn(n, device="cuda") for _ in range(2))
        out = example.vector_add(kernel, a, b)
        assert torch.equal(out, a + b)
        if n:
            assert cupy.from_dlpack(out).data.ptr == out.data_ptr()
    with pytest.raises(ValueError, match="contiguous float32"):
        example.vector_add(kernel, torch.zeros(4, 4, device="cuda").T, torch.zeros(4, 4, device="cuda"))


@pytest.mark.gpu
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_the_model_runs_unchanged_on_cupy(seed):
    cupy, _ = on_gpu()
    config = weights.SHIPPED_CONFIG if seed is None else RANDOM_CONFIG
    w = weights.load() if seed is None else weights.random(config, seed)
    tokens = np.random.default_rng(3).integers(0, config.vocabulary, (2, 9))
    ours = MiniGPT(config, w, Reproducible(np)).logits(tokens)
    theirs = cupy.asnumpy(MiniGPT(config, w, Reproducible(cupy)).logits(tokens))
    assert ours.tobytes() == theirs.tobytes()
    native = cupy.asnumpy(MiniGPT(config, w, Native(cupy)).logits(tokens))
    assert np.abs(native - ours).max() < 1e-12 * np.abs(ours).max()
