"""What lab 03 asks of a kernel's programs: a single tile per row is right everywhere, and not all of the lab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.sandbox.reasons import words_of_reasons
from support.course import COURSE

ONE_TILE = """
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
"""
TUNED = """
import triton

WARPS = (4, 8, 16)  # {beside}

# {above}
@triton.autotune(configs=[triton.Config({{}}, num_warps=w) for w in WARPS], key=["cols"])
@triton.jit
def kernel(x):
    pass  # words that are about something else and stand somewhere else count for nothing at all here
"""


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


WRITTEN = {
    "loop": """
SOME = []
for w in (4, 8, 16):
    # {}
    SOME.append(triton.Config({{}}, num_warps=w))
@triton.autotune(SOME, ["cols"])""",
    "annotated": """
SOME: list = [triton.Config({{}}, num_warps=w) for w in (4, 8)]  # {}
@triton.autotune(configs=SOME, key=["cols"])""",
    "generator": """
def some():
    # {}
    warps = (4, 8, 16)
    for w in warps:
        yield triton.Config({{}}, num_warps=w)
@triton.autotune(configs=list(some()), key=["cols"])""",
    "imported by name": """
SOME = [
    Config({{}}, num_warps=4),  # {}
    Config({{}}, num_warps=8),
]
@autotune(configs=SOME, key=["cols"])""",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_reasons_count_beside_configurations_that_code_makes(written):
    file = written.format("few shuffles, or more latency hidden") + "\n@triton.jit\ndef kernel(x):\n    pass\n"
    assert words_of_reasons(file) == 6


BY_LENGTH = """
import torch, triton
import triton.language as tl

@triton.jit
def tile(x, y, cols, xs, ys, BLOCK: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * xs + c, mask=c < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v))
    tl.store(y + row * ys + c, (e / tl.sum(e)).to(y.dtype.element_ty), mask=c < cols)

SOME = []
for warps in {warps}:
    # few warps: short rows are reduced by shuffles alone; many warps hide the latency that a long row's loads have
    SOME.append(triton.Config({{}}, num_warps=warps))
tuned = triton.autotune(SOME, key=["cols"])(tile)

def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    rows, cols = x.shape
    if x.numel():
        kernel = tuned if {tuned_where} else tile
        kernel[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
"""
THREE = "(4, 8, 16)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tuned_where", "warps", "counts"),
    [
        ("True", THREE, True),
        ("cols < 100", THREE, True),
        ("cols > 65536", THREE, True),
        ("False", THREE, False),
        ("True", "(4,)", False),
        ("True", "(4, 4, 4)", False),
    ],
    ids=["always", "short rows", "long rows", "never", "one", "thrice the same"],
)
def test_an_autotuner_counts_wherever_it_is_called(tmp_path, tuned_where, warps, counts):
    pytest.importorskip("triton")
    path = tmp_path / "softmax_triton.py"
    path.write_text(BY_LENGTH.format(tuned_where=tuned_where, warps=warps))
    exercise = COURSE.exercises["softmax_triton"]
    # Another check first: its calls leave their keys behind, and the autotuner asks nobody about a key that it knows.
    some = tuple(c for c in exercise.checks if c.options.get("feature") == "configurations")
    before = tuple(replace(c, id=f"{c.id}-before") for c in some)
    asked = replace(exercise, checks=(*before, *some), dtypes=("float32",))
    result = grade(Submission(COURSE, asked, path, "simulator", seed=1))
    assert [v.status for v in result.verdicts] == ["passed" if counts else "failed"] * 2
