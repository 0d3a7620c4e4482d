"""The bytes of closed memory are given to the watch alone, and inputs that are held to the worker alone."""

import sys
from pathlib import Path

import numpy as np
import pytest

from onekernel.sandbox.held import Held

torch = pytest.importorskip("torch")

FILE = '''import sys
import torch
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)

def double(x, out=None):
    out = torch.empty_like(x) if out is None else out
    add[(1,)](x, out, x.numel(), BLOCK=64)
    {then}
    return out
'''
ASKS = {
    "its function": "memory.opened().__enter__()",
    "its method": "memory._open()",
    "its end": "memory.__exit__()",
    "the event itself": "sys.audit('onekernel.open')",
    "a new one": "memory.__enter__()",
    "a tensor of its own": "memory._there[out.data_ptr()] = 4; sys.audit('onekernel.close', memory._there)",
}


def called(folder: Path, then: str) -> tuple[set[str], np.ndarray]:
    from onekernel import triton
    from onekernel.backends.base import Buffer

    path = folder / "double.py"
    found = 'memory = sys.modules["onekernel.triton.closed"].ClosedMemory.active\n    '
    path.write_text(FILE.format(then=found + then), encoding="utf-8")
    program = triton.build(path, interpret=True)
    program.prepare()
    numbers = np.arange(40, dtype=np.float32)
    x = Buffer("x", numbers.view(np.uint8).copy(), 0, 160, False, 4)
    y = Buffer("y", np.full(160, 7, np.uint8), 0, 160, True, 4)
    report = program.call("double", [x, y, 40])
    return {f.code for f in report.findings}, y.memory.view(np.float32)


@pytest.mark.parametrize("way", ASKS)
def test_a_file_cannot_ask_for_the_bytes(tmp_path: Path, way: str) -> None:
    codes, _ = called(tmp_path, ASKS[way])
    assert codes == {"raised"}


def test_a_right_file_gets_what_its_kernel_wrote(tmp_path: Path) -> None:
    codes, y = called(tmp_path, "out.copy_(out.clone())")
    assert (codes, y.tolist()) == (set(), [n + 1.0 for n in range(40)])


def test_inputs_open_only_for_who_closed_them(tmp_path: Path) -> None:
    (tmp_path / "inputs").write_bytes(bytes(range(100)))
    held = Held(tmp_path / "inputs")
    held.close()
    with pytest.raises(PermissionError):
        sys.audit("onekernel.rights", 3, 0, 100)
    with pytest.raises(PermissionError):
        _take(held)


def _take(held: Held) -> None:
    from onekernel.backends.base import Buffer

    held.take([Buffer("x", held.part(0, 100), 0, 100, False, 4)])
