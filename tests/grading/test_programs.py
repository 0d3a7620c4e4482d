"""What lab 03 asks of a kernel's programs: a single tile per row is right everywhere, and not all of the lab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.checks.programs.reasons import words_of_reasons
from onekernel.course import find_root
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load

COURSE = load(find_root(Path(__file__).parent))
ONE_TILE = '''
import torch, triton
import triton.language as tl

@triton.jit
def softmax(x, y, cols, xs, ys, BLOCK: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * xs + c, mask=c < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v))
    tl.store(y + row * ys + c, (e / tl.sum(e)).to(y.dtype.element_ty), mask=c < cols)

def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        softmax[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
    return out
'''
TUNED = '''
import triton

WARPS = (4, 8, 16)  # {beside}

# {above}
@triton.autotune(configs=[triton.Config({{}}, num_warps=w) for w in WARPS], key=["cols"])
@triton.jit
def kernel(x):
    pass  # words that are about something else and stand somewhere else count for nothing at all here
'''


def codes(path: Path) -> list[set[str]]:
    exercise = COURSE.exercises["softmax_triton"]
    some = tuple(c for c in exercise.checks if c.kind.name == "programs")
    asked = replace(exercise, checks=some, dtypes=("float32",))
    result = grade(Submission(COURSE, asked, path, "simulator", seed=1))
    return [{f.code for f in v.failures} for v in result.verdicts]


@pytest.mark.slow
def test_a_tile_per_row_lacks_what_the_later_steps_ask_for(tmp_path):
    pytest.importorskip("triton")
    path = tmp_path / "softmax_triton.py"
    path.write_text(ONE_TILE)
    assert codes(path) == [{"tile"}, {"shared-rows"}, {"configurations"}]
    assert codes(COURSE.solution(COURSE.exercises["softmax_triton"])) == [set()] * 3


def test_reasons_stand_beside_the_configurations():
    nothing = words_of_reasons(TUNED.format(beside="", above=""))
    assert nothing == 0
    assert words_of_reasons(TUNED.format(beside="few shuffles, or more latency hidden", above="")) == 6
    assert words_of_reasons(TUNED.format(beside="few", above="warps to try: 4, 8")) == 4
    assert words_of_reasons(TUNED.format(beside="bla " * 30, above="")) == 1
    assert words_of_reasons("def (") == 0
    assert words_of_reasons("x = 1  # a file without any configuration at all, however many words it has") == 0
