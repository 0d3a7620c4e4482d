"""Tensor-core fragments and asynchronous copies in the simulator, against matrix products and slices of NumPy."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from onekernel.backends.base import BuildError
from support.compilers import FAMILIES
from support.simulated import clean, run

pytestmark = pytest.mark.slow

PRODUCT = """
#include <mma.h>
using namespace nvcuda;
using Operand = {operand};
using Sum = {total};
using Memory = {memory};
__global__ void k(const float* x, float* y, long n) {{
    constexpr int M = {m}, N = {n}, K = {k};
    __shared__ Memory a[M * K], b[K * N];
    __shared__ Sum c[M * N];
    for (int i = threadIdx.x; i < M * K; i += 32) a[i] = Memory(x[i]);
    for (int i = threadIdx.x; i < K * N; i += 32) b[i] = Memory(x[M * K + i]);
    for (int i = threadIdx.x; i < M * N; i += 32) c[i] = Sum(1.0f);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, Operand, wmma::{a_layout}> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Operand, wmma::{b_layout}> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> fc;
    wmma::load_matrix_sync(fa, a, {a_stride});
    wmma::load_matrix_sync(fb, b, {b_stride});
    {change}
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] * Sum(2.0f);
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32) y[i] = float(c[i]);
}}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {{
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}}
"""
TYPES = {
    "half": ("__half", "__half", "float", np.float16),
    "half-sum": ("__half", "__half", "__half", np.float16),
    "bf16": ("__nv_bfloat16", "__nv_bfloat16", "float", ml_dtypes.bfloat16),
    "int8": ("signed char", "signed char", "int", np.int8),
    "tf32": ("wmma::precision::tf32", "float", "float", np.float32),
    "double": ("double", "double", "double", np.float64),
}
SHAPES = [("half", 16, 16, 16), ("half", 32, 8, 16), ("half", 8, 32, 16), ("half-sum", 16, 16, 16)]
SHAPES += [("bf16", 16, 16, 16), ("int8", 16, 16, 16), ("tf32", 16, 16, 8), ("double", 8, 8, 4)]


def source(kind: str, m: int, n: int, k: int, a_row: bool = True, b_row: bool = True, change: str = "") -> str:
    operand, memory, total, _ = TYPES[kind]
    return PRODUCT.format(
        operand=operand, memory=memory, total=total, m=m, n=n, k=k, change=change,
        a_layout="row_major" if a_row else "col_major", a_stride="K" if a_row else "M",
        b_layout="row_major" if b_row else "col_major", b_stride="N" if b_row else "K",
    )  # fmt: skip


def operands(kind: str, m: int, n: int, k: int, a_row: bool, b_row: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.random.default_rng(m * n + k).integers(-8, 8, m * k + k * n).astype(np.float32)
    a, b = x[: m * k].astype(np.float64), x[m * k :].astype(np.float64)
    return x, a.reshape(m, k) if a_row else a.reshape(k, m).T, b.reshape(k, n) if b_row else b.reshape(n, k).T


@pytest.mark.parametrize(("a_row", "b_row", "compiler"), [(True, True, FAMILIES[0]), (False, False, FAMILIES[-1])])
@pytest.mark.parametrize(("kind", "m", "n", "k"), SHAPES)
def test_a_tile_is_multiplied(
    tmp_path: Path, kind: str, m: int, n: int, k: int, a_row: bool, b_row: bool, compiler: str
) -> None:
    x, a, b = operands(kind, m, n, k, a_row, b_row)
    got = clean(tmp_path, source(kind, m, n, k, a_row, b_row), x, np.zeros(m * n, np.float32), "check", compiler)
    np.testing.assert_array_equal(got.reshape(m, n), 2 * (a @ b + 1))


@pytest.mark.parametrize(("kind", "m", "n", "k"), SHAPES[3:])
def test_operands_may_be_changed_after_their_load(tmp_path: Path, kind: str, m: int, n: int, k: int) -> None:
    x, a, b = operands(kind, m, n, k, True, True)
    change = "for (auto& v : fa.x) v = v + v;\n    if (threadIdx.x == 3) fb.x[0] = fb.x[0] - fb.x[0];"
    got = clean(tmp_path, source(kind, m, n, k, change=change), x, np.zeros(m * n, np.float32))
    without = b.copy()
    without.flat[3] = 0  # the model's place of lane 3's first element
    np.testing.assert_array_equal(got.reshape(m, n), 2 * (2 * a @ without + 1))


def test_tf32_reads_ten_bits(tmp_path: Path) -> None:
    x = np.zeros(256, np.float32)
    x[0], x[128] = 1 + 2.0**-11, 1
    plain = clean(tmp_path, source("tf32", 16, 16, 8), x, np.zeros(256, np.float32))
    change = "for (auto& v : fa.x) v = wmma::__float_to_tf32(v);"
    rounded = clean(tmp_path, source("tf32", 16, 16, 8, change=change), x, np.zeros(256, np.float32))
    assert (plain[0], rounded[0]) == (2 * (1 + 1), 2 * (1 + 1 + 2.0**-10))


def test_a_shape_that_cuda_lacks_is_a_build_error(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        run(tmp_path, source("half", 16, 16, 8), np.zeros(256, np.float32), np.zeros(256, np.float32))
    assert "wmma fragment" in caught.value.log


COPIES = """
#include <cuda_pipeline.h>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* y, long n) {{
    __shared__ alignas(16) float tile[512];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const int i = threadIdx.x;
    {body}
}}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {{
    k<<<1, 64, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}}
"""
PIPED = """
    constexpr int N = 128;  // floats a stage; two stages in flight
    auto pipe = cuda::make_pipeline(block, &state);
    for (int s = 0; s < 2; ++s) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile + s * N, x + s * N, cuda::aligned_size_t<16>(N * sizeof(float)), pipe);
        pipe.producer_commit();
    }
    for (int s = 0; s < 4; ++s) {
        pipe.consumer_wait();
        const float* now = tile + s % 2 * N;
        y[s * N + i] = now[N - 1 - i];
        y[s * N + 64 + i] = now[63 - i];
        pipe.consumer_release();
        if (s + 2 < 4) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile + s % 2 * N, x + (s + 2) * N, sizeof(float) * N, pipe);
            pipe.producer_commit();
        }
    }
"""
PRIMITIVES = """
    __pipeline_memcpy_async(tile + 4 * i, x + 4 * i, 16);
    __pipeline_memcpy_async(tile + 256 + 2 * i, x + 256 + 2 * i, 8);
    __pipeline_commit();
    __pipeline_memcpy_async(tile + 384 + i, x + 384 + i, 4);
    __pipeline_memcpy_async(tile + 448 + i, x + 448 + i, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int s = 0; s < 4; ++s) {
        y[s * 128 + i] = tile[s * 128 + 127 - i];
        y[s * 128 + 64 + i] = tile[s * 128 + 63 - i];
    }
"""
GROUPED = """
    cg::memcpy_async(block, tile, x, sizeof(float) * 511);
    cg::memcpy_async(block, tile + 511, x + 511, sizeof(float));
    cg::wait(block);
    for (int s = 0; s < 4; ++s) {
        y[s * 128 + i] = tile[s * 128 + 127 - i];
        y[s * 128 + 64 + i] = tile[s * 128 + 63 - i];
    }
"""


@pytest.mark.parametrize(("mode", "compiler"), [("count", FAMILIES[0]), ("fast", FAMILIES[-1])])
@pytest.mark.parametrize("body", [PIPED, PRIMITIVES, GROUPED], ids=["pipeline", "primitives", "groups"])
def test_asynchronous_copies_arrive(tmp_path: Path, body: str, mode: str, compiler: str) -> None:
    x = np.random.default_rng(1).random(512, np.float32)
    got = clean(tmp_path, COPIES.format(body=body), x, np.zeros(512, np.float32), mode, compiler)
    np.testing.assert_array_equal(got.reshape(4, 128), x.reshape(4, 128)[:, ::-1])


def test_the_rest_of_a_copy_is_zeroed(tmp_path: Path) -> None:
    body = "__pipeline_memcpy_async(tile + 4 * i, x + 4 * i, 16, 8); __pipeline_commit(); __pipeline_wait_prior(0);\n"
    body += "for (int j = 0; j < 4; ++j) y[4 * i + j] = tile[4 * i + j];"
    x = np.random.default_rng(2).random(256, np.float32) + 1
    got = clean(tmp_path, COPIES.format(body=body), x, np.zeros(256, np.float32))
    want = x.reshape(64, 4).copy()
    want[:, 2:] = 0
    np.testing.assert_array_equal(got.reshape(64, 4), want)


def test_a_missing_barrier_after_a_copy_is_a_race(tmp_path: Path) -> None:
    body = "__pipeline_memcpy_async(tile + i, x + i, 4);\n    __pipeline_commit(); __pipeline_wait_prior(0);\n"
    body += "    y[i] = tile[63 - i];"
    text = COPIES.format(body=body)
    line = text.splitlines().index("    " + body.splitlines()[0]) + 1
    _, report = run(tmp_path, text, np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert any("race" in f.code and f.line in (line, line + 2) for f in report.findings), [
        str(f) for f in report.findings
    ]


def test_a_copy_of_another_size_is_stopped(tmp_path: Path) -> None:
    body = "y[i] = 0;\n    __pipeline_memcpy_async(tile, x, 12);"
    _, report = run(tmp_path, COPIES.format(body=body), np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert report.status_name != "cudaSuccess"
    assert len(report.findings) == 1
