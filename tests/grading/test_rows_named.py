"""An access beyond a matrix by its rows: what is wrong with the row is said, where that can be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.corpus import graded

HEAD = """#include <cuda_runtime.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
BODY
}

extern "C" cudaError_t SLUG(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys,
                            cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    GRID
    softmax<<<(unsigned)blocks, 64, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
"""
FLAT = """    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, col = i % cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t c = 0; c < cols; c++) largest = fmaxf(largest, x[row * xs + c]);
    for (int64_t c = 0; c < cols; c++) sum += expf(x[row * xs + c] - largest);
    y[row * ys + col] = expf(x[row * xs + col] - largest) / sum;"""
OF_BLOCK = """    __shared__ float s[64];
    const int64_t row = blockIdx.x;
    const int t = threadIdx.x;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t c = 0; c < cols; c++) largest = fmaxf(largest, x[row * xs + c]);
    for (int64_t c = t; c < cols; c += 64) sum += expf(x[row * xs + c] - largest);
    s[t] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int k = 0; k < 64; k++) sum += s[k];
    float* out = y + row * ys;
    for (int64_t c = t; c < cols; c += 64) out[c] = expf(x[row * xs + c] - largest) / sum;"""
EACH = "const int64_t blocks = (rows * cols + 63) / 64;"
ONE_A_ROW = "const int64_t blocks = rows;"
LOOP = "Look how far the loop around it runs"


def first(folder: Path, slug: str, body: str, grid: str, old: str, new: str) -> tuple[str, str]:
    """The first sentence in both languages, of the file with a change."""
    text = HEAD.replace("BODY", body).replace("SLUG", slug).replace("GRID", grid)
    assert text.count(old) == 1
    path = folder / f"{slug}.cu"
    path.write_text(text.replace(old, new), encoding="utf-8")
    result = graded(path, slug, "simulator", frozenset({"shapes"}))
    failure = next(f for v in result.verdicts for f in v.failures)
    return failure.message.text("en"), failure.message.text("es")


@pytest.mark.parametrize(
    ("old", "new", "said", "dicho"),
    [
        ("row = i / cols", "row = i / rows", "divided by the columns, 64, it is row 1", "entre las columnas, 64"),
        ("c = 0; c < cols; c++) sum", "c = 0; c <= cols; c++) sum", "ends with `<=`", "acaba con `<=`"),
    ],
)
def test_a_flat_index_divided_by_the_rows_and_a_loop_that_runs_too_far(
    tmp_path: Path, old: str, new: str, said: str, dicho: str
) -> None:
    english, spanish = first(tmp_path, "softmax_naive", FLAT, EACH, old, new)
    assert said in english and dicho in spanish
    assert LOOP not in english


@pytest.mark.parametrize("old", ["y + row * ys", "int64_t row = blockIdx.x"])
def test_a_row_that_is_the_thread_s_is_the_block_s(tmp_path: Path, old: str) -> None:
    new = old.replace("row * ys", "threadIdx.x * ys").replace("blockIdx", "threadIdx")
    english, spanish = first(tmp_path, "softmax_block", OF_BLOCK, ONE_A_ROW, old, new)
    assert "It lies in row 8, the number of this thread" in english and "la fila es del bloque" in spanish


def test_a_row_that_is_neither_is_said_not_to_be_there(tmp_path: Path) -> None:
    changed = "y + (row + t / 8) * ys"
    english, spanish = first(tmp_path, "softmax_block", OF_BLOCK, ONE_A_ROW, "y + row * ys", changed)
    assert "It would be column 56 of row 8" in english and "lo que está mal es la fila" in spanish
    assert LOOP not in english


@pytest.mark.parametrize("grid", ["rows + 5", "rows * 2"])
def test_more_blocks_than_rows(tmp_path: Path, grid: str) -> None:
    english, _ = first(tmp_path, "softmax_block", OF_BLOCK, ONE_A_ROW, "blocks = rows", f"blocks = {grid}")
    assert "takes row 8, and there are 8 rows for" in english and LOOP not in english


@pytest.mark.parametrize("kept", ["static const int64_t", "const static int64_t", "static int64_t"])
def test_a_number_of_blocks_that_is_kept_from_the_first_call_is_named(tmp_path: Path, kept: str) -> None:
    english, spanish = first(tmp_path, "softmax_block", OF_BLOCK, ONE_A_ROW, "const int64_t blocks", f"{kept} blocks")
    assert english.startswith("Right when this input comes first") and "`blocks`" in english and "`blocks`" in spanish
    assert ("Take `static` away" in english) is ("const" in kept)
