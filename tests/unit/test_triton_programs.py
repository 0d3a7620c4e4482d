"""What a program asks of the builder is asked again by the others: same results, same findings at the same lines."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("triton")

KERNELS = """\
import torch
import triton
import triton.language as tl


@triton.jit
def loaded(x, at, n):
    return tl.load(x + at, mask=at < n, other=0.0)


@triton.jit
def ragged(x, y, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(pid % 2):
        total += loaded(x, pid * BLOCK + tl.arange(0, BLOCK), n)
    if pid % 4 == 3:
        total += tl.max(total, 0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, total + at, mask=at < n)


@triton.jit
def counted(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y, tl.sum(loaded(x, at, n), 0))


@triton.jit
def strays(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at))
"""
CALLS = """

def {name}_call(x, y):
    {name}[(10,)](x, y, 75, BLOCK=8)
    return y
"""
CHILD = """\
import os, sys
os.environ["TRITON_INTERPRET"] = "1"
import numpy as np
from onekernel.backends.base import Buffer
from onekernel.triton import build, programs

programs.FEWEST = int(sys.argv[2])
ran, again = [], programs.again
programs.again = lambda *args: ran.append(again(*args)) or ran[-1]
program = build(sys.argv[1], interpret=True)
program.prepare()
for kernel in sys.argv[3:]:
    x, y = np.arange(75, dtype=np.float32), np.zeros(75, np.float32)
    args = [Buffer(n, v.view(np.uint8).copy(), 0, v.nbytes, n == "y", 4) for n, v in (("x", x), ("y", y))]
    report = program.call(kernel + "_call", [*args, 75])
    print(args[1].memory.view(np.float32).tolist(), report.kernels)
    print([(f.code, f.line, str(f.message)) for f in report.findings])
    print(sum(ran), file=sys.stderr)
"""
NAMES = ["ragged", "counted", "strays"]


def test_programs_that_are_made_again_do_what_python_does(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(KERNELS + "".join(CALLS.format(name=name) for name in NAMES), encoding="utf-8")

    def run(fewest: int) -> tuple[str, list[int]]:
        words = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), str(fewest), *NAMES]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return done.stdout, [int(line) for line in done.stderr.splitlines()]

    kept, again = run(2)
    alone, none = run(1000)
    assert kept == alone
    assert (again, none) == ([7, 16, 25], [0, 0, 0])  # of ten programs one, or one for each path, is Python's
    assert "out-of-bounds-write" in kept
    line = KERNELS.splitlines().index("    tl.store(y + at, tl.load(x + at))") + 1
    assert f"('out-of-bounds-read', {line}, " in kept
