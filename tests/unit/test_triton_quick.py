"""The interpreter's repeated work is done once a launch, and nothing else changes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def double(x):
    return x + x


@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for _ in range(4):
        v = double(v)
    tl.store(y + i, v + tl.max(tl.load(x + i), 0))
"""
CHILD = """\
import os
os.environ["TRITON_INTERPRET"] = "1"
import importlib.util, sys, torch
from triton.runtime import interpreter
from onekernel.triton.quick import hasten
searches, search = [], interpreter._patch_builtin
interpreter._patch_builtin = lambda *args: (searches.append(1), search(*args))[1]
hasten()
spec = importlib.util.spec_from_file_location("mine", sys.argv[1])
mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
for launch in range(2):
    x, y = torch.arange(8.0) + launch, torch.empty(8)
    mine.kernel[(20,)](x, y, BLOCK=8)
    assert torch.equal(y, x * 16 + x.max()), y
print(len(searches))
"""


def said(child, kernel, tmp_path):
    """What a process of its own prints that runs `child` on a file with this kernel."""
    (tmp_path / "mine.py").write_text(kernel)
    command = [sys.executable, "-c", child, str(tmp_path / "mine.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_the_language_is_searched_once_a_launch(tmp_path):
    searches = int(said(CHILD, KERNEL, tmp_path))
    assert 0 < searches < 40  # 20 programs with 5 calls each, twice: without it, some hundreds


SUMS = """\
import triton
import triton.language as tl


@triton.jit
def kernel(y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, i * 2_000_000_000 + 1)
"""
COUNTS = """\
import os
os.environ["TRITON_INTERPRET"] = "1"
import importlib.util, sys, torch
from triton.language import core
from triton.runtime import interpreter
from onekernel.triton.quick import hasten
operations, operation = [], interpreter.InterpreterBuilder.binary_op
interpreter.InterpreterBuilder.binary_op = lambda *args: (operations.append(1), operation(*args))[1]
described, describe = [], core.block_type.__init__
core.block_type.__init__ = lambda *args: (described.append(1), describe(*args))[1]
hasten()
spec = importlib.util.spec_from_file_location("mine", sys.argv[1])
mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
y = torch.empty(8, dtype=torch.int32)
mine.kernel[(20,)](y, BLOCK=8)
assert torch.equal(y, torch.arange(8, dtype=torch.int32) * 2_000_000_000 + 1), y  # wraps, as on a GPU
assert core.block_type(core.int32, [8]) != core.block_type(core.int64, [8])
assert core.block_type(core.int32, [8]).with_element_ty(core.int64).shape[0] == 8
try:
    core.block_type(core.int32, [7])
except ValueError:
    print(len(operations), len(described))
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_a_sum_is_made_once_and_a_type_described_once(tmp_path):
    operations, described = map(int, said(COUNTS, SUMS, tmp_path).split())
    assert operations == 2 * 20  # a product and a sum in each of 20 programs
    assert 0 < described < 12
