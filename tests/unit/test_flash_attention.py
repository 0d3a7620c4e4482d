"""The attention that chapter 05 reads: the same values as PyTorch's, in the interpreter and on a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "solutions" / "reading" / "flash_attention.py"
# Lengths: one key, fewer than a tile, tiles with and without a rest. The largest scores: a maximum late in the row.
CHILD = """
import json, sys, torch
sys.path.insert(0, sys.argv[1])
from flash_attention import flash_attention
device, dtype = (sys.argv[2], getattr(torch, sys.argv[3]))
torch.manual_seed(1)
found = []
for length, d, causal, growing in [(1, 16, True, 0), (40, 32, False, 0), (97, 64, True, 1), (128, 16, False, 1)]:
    q, k, v = (torch.randn(1, 2, length, d, device=device, dtype=dtype) for _ in range(3))
    if growing:
        k *= torch.linspace(0.1, 6, length, device=device, dtype=dtype)[:, None]
    want = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
    found.append((flash_attention(q, k, v, causal).double() - want).abs().max().item())
print(json.dumps(found))
"""


def errors(device: str, dtype: str, interpret: bool) -> list[float]:
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    if interpret:
        environment |= {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-c", CHILD, str(FILE.parent), device, dtype]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def broken_loops() -> bool:
    """Whether this pair of versions cannot interpret a loop with a run-time bound (docs/en/architecture.md)."""
    numpy = tuple(int(n) for n in metadata.version("numpy").split(".")[:2])
    return metadata.version("triton") == "3.6.0" and numpy >= (2, 4)


@pytest.mark.slow
@pytest.mark.skipif(broken_loops(), reason="Triton 3.6.0 cannot interpret loops with NumPy 2.4")
def test_attention_has_the_values_of_pytorch_in_the_interpreter() -> None:
    assert max(errors("cpu", "float32", interpret=True)) < 1e-5


def test_attention_has_the_values_of_pytorch_on_a_gpu() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    assert max(errors("cuda", "float16", interpret=False)) < 1e-2


def test_the_attention_to_read_stays_a_page() -> None:
    assert len(FILE.read_text(encoding="utf-8").splitlines()) <= 66
