"""What is right for some sizes alone is seen in the text; nobody loses points by it."""

from __future__ import annotations

import pytest

from onekernel.simulator.compilation.lint import lint

HEAD = "__global__ void k(const float* x, float* y, int64_t n) {\n"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("for (int o = 16; o; o /= 2) v += __shfl_sync(~0u, v, o);", [("shuffle-lane", {"name": "o"})]),
        ("for (int o = 1; o < 32; o <<= 1)\n    v += __shfl_sync(~0u, v, o, 32);", [("shuffle-lane", {"name": "o"})]),
        ("for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);\nv = __shfl_sync(~0u, v, 0);", []),
        ("for (int k = 0; k < 32; k++) s += __shfl_sync(~0u, v, k);", []),
        ("v += __shfl_down_sync(0xffffffffu, v, o, 16);", [("shuffle-width", {"width": "16"})]),
        ("v = fmaxf(v, __shfl_xor_sync(m, f(v, 1), o, HALF));", [("shuffle-width", {"width": "HALF"})]),
        ("v += __shfl_down_sync(0xffffffffu, v, o, 32);", []),
        ("v += __shfl_down_sync(0xffffffffu, v, o, warpSize);", []),
        ("v = __shfl_sync(0xffffffffu, v, 16);", []),  # of lane 16
        ("y[i] = x[i & (n - 1)];", [("masked-index", {"name": "n"})]),
        ("y[i] = x[i & (BLOCK - 1)];", []),  # a constant that is known to be a power of two
        ("y[i] = x[i & (count - 1)];", []),  # nobody's size
        ("if (i < n && (n - 1) > 0) y[i] = 0;", []),
    ],
)
def test_a_line_is_suspected(line: str, found: list[tuple[str, dict[str, object]]]) -> None:
    assert [(key, values) for _, _, key, values in lint({"k.cu": HEAD + line + "\n}"})] == found
