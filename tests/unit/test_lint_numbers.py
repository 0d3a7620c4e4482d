"""A variable of 16 bits that is added to is seen in the text, in each way that people write it; nobody loses points."""

from __future__ import annotations

import pytest

from onekernel.simulator.compilation.lint import lint
from onekernel.simulator.read.causes import goes_down

HEAD = "template <typename T>\n__global__ void k(const T* x, T* y, int64_t n) {\n"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("T sum = (T)0;\nsum += x[0];", [("T", "sum")]),
        ("T sum = (T)0;\nsum = (T)((float)sum + (float)x[0]);", [("T", "sum")]),
        ("__half sum = __float2half(0.0f);\nsum = __hadd(sum, x[0]);", [("__half", "sum")]),
        ("__nv_bfloat16 sum{};\nsum = __hfma(x[0], x[1], sum);", [("__nv_bfloat16", "sum")]),
        ("__shared__ T parts[32];\nparts[t] += parts[t + half];", [("T", "parts")]),
        ("float sum = 0;\nsum += (float)x[0];", []),
        ("T e = (T)expf(v);\nsum += (float)e;", []),
        ("T e = x[0];\ny[0] = e + x[1];", []),
    ],
)
def test_a_sum_in_16_bits_is_suspected(lines: str, found: list[tuple[str, str]]) -> None:
    seen = [v for _, _, key, v in lint({"k.cu": HEAD + lines + "\n}"}) if key == "narrow-sum"]
    assert seen == [{"type": kind, "name": name} for kind, name in found]


@pytest.mark.parametrize(
    ("loop", "line", "stride"),
    [
        ("for (int64_t j = 0; j < cols; ++j) {", "s += x[j * x_stride + row];", "x_stride"),
        ("for (int c = threadIdx.x; c < n_cols; c += 32)", "s += x[row + ldx * c];", "ldx"),
        ("for (int64_t j = 0; j < cols; ++j) {", "s += x[row * x_stride + j];", ""),
        ("for (int64_t r = 0; r < rows; ++r) {", "s += x[r * x_stride + col];", ""),
        ("for (int64_t j = 0; j < cols; ++j) {", "s += x[row * x_stride + j * 4];", ""),
    ],
)  # fmt: skip
def test_a_column_that_is_multiplied_by_a_stride_is_seen(tmp_path, loop: str, line: str, stride: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"// first\n{loop}\n    {line}\n")
    assert goes_down(str(path), 3).get("stride", "") == stride
