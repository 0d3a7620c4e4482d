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
from onekernel.triton.shortcuts import take_shortcuts
searches, search = [], interpreter.inspect.getmembers
interpreter.inspect.getmembers = lambda *args: (searches.append(1), search(*args))[1]
take_shortcuts()
spec = importlib.util.spec_from_file_location("mine", sys.argv[1])
mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
for launch in range(2):
    x, y = torch.arange(8.0) + launch, torch.empty(8)
    mine.kernel[(20,)](x, y, BLOCK=8)
    assert torch.equal(y, x * 16 + x.max()), y
print(len(searches))
"""


REDUCES = """\
import triton
import triton.language as tl


@triton.jit
def later(a, b):
    return b


@triton.jit
def join(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    return m, s1 * tl.exp(m1 - m) + s2 * tl.exp(m2 - m)


@triton.jit
def kernel(x, y):
    r, c = tl.arange(0, 4)[:, None], tl.arange(0, 8)[None, :]
    v = tl.load(x + r * 8 + c)
    tl.store(y + tl.arange(0, 4), tl.reduce(v, 1, later))
    tl.store(y + 4 + c, tl.reduce(v, 0, later, keep_dims=True))
    m, s = tl.reduce((v, v * 0 + 1.0), 1, join)
    tl.store(y + 12 + tl.arange(0, 4), m)
    tl.store(y + 16 + tl.arange(0, 4), s)
    tl.store(y + 20, tl.reduce(v, None, later))
"""
REDUCED = """\
import os
os.environ["TRITON_INTERPRET"] = "1"
import importlib.util, sys, torch
from onekernel.triton.shortcuts import take_shortcuts
take_shortcuts()
spec = importlib.util.spec_from_file_location("mine", sys.argv[1])
mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
calls, join = [], mine.join.fn
mine.join.fn = lambda *args: (calls.append(1), join(*args))[1]
x, y = torch.randn(4, 8), torch.empty(21)
mine.kernel[(1,)](x, y)
want = torch.cat([x[:, -1], x[-1], x.amax(1), torch.exp(x - x.amax(1, keepdim=True)).sum(1), x[-1, -1:]])
assert torch.allclose(y, want), (y, want)
print(len(calls))
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
def test_the_language_is_searched_once(tmp_path):
    searches = int(said(CHILD, KERNEL, tmp_path))
    assert 0 < searches < 8  # 20 programs with 5 calls each, twice: without it, some hundreds


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
from onekernel.triton.shortcuts import take_shortcuts
operations, operation = [], interpreter.InterpreterBuilder.binary_op
interpreter.InterpreterBuilder.binary_op = lambda *args: (operations.append(1), operation(*args))[1]
described, describe = [], core.block_type.__init__
core.block_type.__init__ = lambda *args: (described.append(1), describe(*args))[1]
take_shortcuts()
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
    assert operations == 2  # a product and a sum in the first of 20 programs, then NumPy alone
    assert 0 < described < 12


RULES = """\
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, z, n, scale, KIND: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, 16)
    a, b = tl.load(x + row * 16 + i).to(KIND), tl.load(y + row * 16 + i)
    total = tl.zeros((16,), tl.float32)
    for start in range(0, n, 4):
        total += tl.where(i < start, a * b, b - a) + (a + a) * scale + start
    total = tl.maximum(total, -0.0) / (1.0 + tl.exp(tl.abs(b))) + (total + 0.0) * tl.maximum(-b, 0.0)
    square = a[:, None] * b[None, :] + (i[:, None] // 3 % 2 == (n - i[None, :]) % 2)
    mixed = (i.to(tl.int64) * n + row) * (i | 5) & 1023
    at = z + row * 288 + i
    tl.store(at, total)
    tl.store(at + 16, mixed.to(tl.float32) + (1 / (b + 2)) - (i >= n) * b)
    tl.store(z + row * 288 + 32 + i[:, None] * 16 + i[None, :], square)
"""
COMPARED = """\
import os
os.environ["TRITON_INTERPRET"] = "1"
import hashlib, importlib.util, sys, torch
import triton.language as tl
from triton.language.semantic import TritonSemantic
from onekernel.triton import type_rules
from onekernel.triton.faults import fix_interpreter
from onekernel.triton.shortcuts import take_shortcuts
fix_interpreter()  # loops whose bound is a number of run time: 3.6.0 cannot with NumPy 2.4
type_rules.MOST_CACHED = {most}
checks, check = [], TritonSemantic.binary_op_type_checking_impl
TritonSemantic.binary_op_type_checking_impl = lambda *args, **how: (checks.append(1), check(*args, **how))[1]
take_shortcuts()
spec = importlib.util.spec_from_file_location("mine", sys.argv[1])
mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
digest = hashlib.sha256()
for seed, kind in enumerate([tl.float32, tl.float16, tl.float64, tl.float32, tl.int32]):
    torch.manual_seed(seed)
    x, y, z = torch.randn(40, 16) * 3, torch.randn(40, 16), torch.zeros(40, 288)
    mine.kernel[(40,)](x, y, z, 13 + seed, 0.1 * seed - 0.1, KIND=kind)
    mine.kernel[(40,)](x, x, z, 13, -0.0, KIND=kind)
    digest.update(z.numpy().tobytes())
print(len(checks), digest.hexdigest())
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_rules_for_types_are_gone_through_once_and_give_the_same_bits(tmp_path):
    anew, plain = said(COMPARED.format(most=0), RULES, tmp_path).split()
    kept, same = said(COMPARED.format(most=8192), RULES, tmp_path).split()
    assert same == plain
    assert int(kept) * 20 < int(anew)  # 400 programs, five types


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_a_reduction_by_ones_own_function_calls_it_for_all_pairs_at_once_in_their_order(tmp_path):
    """`later` is not commutative: it gives the last element. Element by element, `join` would be called 28 times."""
    assert said(REDUCED, REDUCES, tmp_path) == "3\n"
