"""What NVIDIA's compiler may make of accesses, as far as the file's text tells."""

from __future__ import annotations

import pytest

from onekernel.simulator.doubts.narrowing import narrowed_of
from onekernel.simulator.doubts.waiting import sunk_of
from onekernel.simulator.facts import facts_of


@pytest.mark.parametrize(
    ("kind", "statement", "narrows"),
    [
        ("unsigned", "y[0] = x[1] % 256;", True),
        ("uint", "y[0] = x[1] % 256;", True),
        ("int", "y[0] = x[1] % 256;", False),  # of a negative number it needs the sign
        ("int64_t", "f(w * x); int v = x[1];", True),  # a product declares no pointer of that name
        ("int64_t", "int64_t v = x[1];", False),
    ],
)
def test_a_part_of_an_integer_may_be_loaded_alone(kind: str, statement: str, narrows: bool) -> None:
    text = f"__global__ void k(const {kind}* x, int* y, int w)\n{{\n    {statement}\n}}"
    assert narrowed_of(facts_of(text)) == ([(3, 3)] if narrows else [])


@pytest.mark.parametrize(
    ("value", "used", "waits"),
    [
        ("float v = x[1];", "if (n == 0) y[0] = v;", True),
        ("float v = x[1];", "auto g = [=](int i) mutable -> float { return v * i; };", True),
        ("float v = x[1];", "y[0] = v;", False),
        ("*y = x[1];", "if (n == 0) *y = x[2];", False),  # a store is no value that waits
        ("float v = x[1]; bool same = v == w;", "if (n == 0) y[0] = same;", True),
    ],
)
def test_a_value_may_wait_for_the_branch_that_alone_uses_it(value: str, used: str, waits: bool) -> None:
    text = f"__global__ void k(const float* x, float* y, int n, float w)\n{{\n    {value}\n    {used}\n}}"
    assert bool(sunk_of(facts_of(text))) is waits
