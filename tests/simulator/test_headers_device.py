"""Atomics, cached loads and stores, cooperative groups: kernels in the simulator, expectations from NumPy."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from onekernel import counts
from support.compilers import FAMILIES
from support.simulated import clean, run

pytestmark = pytest.mark.slow

BOTH = pytest.mark.parametrize("mode", ["fast", "check"])
EACH = pytest.mark.parametrize("compiler", FAMILIES)
PAIRED = pytest.mark.parametrize(("mode", "compiler"), [("check", FAMILIES[0]), ("fast", FAMILIES[-1])])


def kernel(x: str, y: str, body: str, threads: int = 64, blocks: str = "1", headers: str = "", start: int = 0) -> str:
    """A file whose `run` copies the last `start` elements of x to y, then launches k with the given body."""
    return f"""{headers}
__global__ void k(const {x}* x, {y}* y, long n) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
extern "C" cudaError_t run(const {x}* x, {y}* y, long n, cudaStream_t stream) {{
    n -= {start};
    if ({start} > 0) cudaMemcpyAsync(y, x + n, {start} * sizeof(*x), cudaMemcpyDeviceToDevice, stream);
    k<<<{blocks}, {threads}, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}}
"""


INTEGER = {"int": np.int32, "unsigned": np.uint32, "unsigned long long": np.uint64}
FOLDS = {
    "Add": np.add,
    "Min": np.minimum,
    "Max": np.maximum,
    "And": np.bitwise_and,
    "Or": np.bitwise_or,
    "Xor": np.bitwise_xor,
}


@PAIRED
@pytest.mark.parametrize("kind", INTEGER)
def test_integer_atomics_fold_every_thread(tmp_path: Path, kind: str, mode: str, compiler: str) -> None:
    dtype = INTEGER[kind]
    x = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, 512, dtype)
    y = np.array([0, np.iinfo(dtype).max, 0, np.iinfo(dtype).max, 0, 0], dtype)
    body = "".join(f"atomic{name}(y + {i}, x[i]);" for i, name in enumerate(FOLDS))
    source = kernel(kind, kind, body, blocks="n / 64", start=6)
    got = clean(tmp_path, source, np.concatenate([x, y]), np.zeros_like(y), mode, compiler)
    with np.errstate(over="ignore"):
        want = [fold.reduce(np.append(start, x)) for fold, start in zip(FOLDS.values(), y, strict=True)]
    np.testing.assert_array_equal(got, np.array(want).astype(dtype))


@BOTH
def test_other_integer_atomics(tmp_path: Path, mode: str) -> None:
    body = """
    atomicSub(y + 0, 3);
    atomicInc((unsigned*)y + 1, 9u);
    atomicDec((unsigned*)y + 2, 9u);
    if (i == 5) { y[3] = atomicExch(y + 4, 77); y[5] = atomicCAS(y + 6, 6, 60); y[7] = atomicCAS(y + 8, 1, 2); }
    atomicMin((long long*)(y + 10), (long long)-i);
    atomicAdd_block(y + 12, 1);
    atomicAdd_system(y + 13, 2);
    """
    x = np.array([0, 0, 0, 0, 4, 0, 6, 0, 8, 0, 5, 0, 0, 0], np.int32)
    got = clean(tmp_path, kernel("int", "int", body, 64, start=14), x, np.zeros_like(x), mode)
    counter = 0
    for _ in range(64):
        counter = 0 if counter >= 9 else counter + 1
    down = 0
    for _ in range(64):
        down = 9 if down == 0 or down > 9 else down - 1
    want = np.array([-192, counter, down, 4, 77, 6, 60, 8, 8, 0, 0, 0, 64, 128], np.int32)
    want[10:12] = np.array([-63], np.int64).view(np.int32)
    np.testing.assert_array_equal(got, want)


FLOATS = {
    "float": (np.float32, ""),
    "double": (np.float64, ""),
    "__half": (np.float16, "#include <cuda_fp16.h>"),
    "__nv_bfloat16": (ml_dtypes.bfloat16, "#include <cuda_bf16.h>"),
}


@PAIRED
@pytest.mark.parametrize("kind", FLOATS)
def test_float_atomics_add_without_losing_any(tmp_path: Path, kind: str, mode: str, compiler: str) -> None:
    dtype, headers = FLOATS[kind]
    x = (np.arange(129) % 3).astype(dtype)  # sums stay exact: bfloat16 counts to 256; the last element is 2
    source = kernel(kind, kind, "atomicAdd(y, x[i]);", 64, "n / 64", headers, start=1)
    got = clean(tmp_path, source, x, np.zeros(1, dtype), mode, compiler)
    assert float(got[0]) == 2 + 127


@BOTH
def test_pairs_are_added_by_component(tmp_path: Path, mode: str) -> None:
    x = np.append(np.arange(64), [0, 0]).astype(np.float16)
    headers = "#include <cuda_fp16.h>"
    body = "if (i < 32) atomicAdd((__half2*)y, ((const __half2*)x)[i]);"
    got = clean(tmp_path, kernel("__half", "__half", body, 64, "1", headers, start=2), x, np.zeros(2, np.float16), mode)
    np.testing.assert_array_equal(got, [x[::2].astype(int).sum(), x[1::2].astype(int).sum()])


def test_a_vector_atomic_is_refused_on_the_modelled_card(tmp_path: Path) -> None:
    from onekernel.backends.base import BuildError

    with pytest.raises(BuildError) as caught:
        run(
            tmp_path,
            kernel("float", "float", "atomicAdd((float4*)y, make_float4(1, 2, 3, 4));"),
            np.zeros(4, np.float32),
            np.zeros(4, np.float32),
        )
    assert caught.value.findings[0].line == 4


CACHED_LOADS = ["__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"]
CACHED_STORES = ["__stwb", "__stcg", "__stcs", "__stwt"]
VECTORS = {"float": 4, "float2": 8, "float4": 16, "int4": 16, "double2": 16, "uint2": 8, "short4": 8, "uchar4": 4}


@EACH
@pytest.mark.parametrize("vector", VECTORS)
def test_a_cached_access_is_one_access_of_the_whole_vector(tmp_path: Path, vector: str, compiler: str) -> None:
    size = VECTORS[vector]
    pairs = [(CACHED_LOADS[i % 6], CACHED_STORES[i % 4]) for i in range(6)]
    body = "".join(
        f"{store}(({vector}*)y + {64 * i} + i, {load}((const {vector}*)x + {64 * i} + i));"
        for i, (load, store) in enumerate(pairs)
    )
    x = np.random.default_rng(2).integers(0, 255, 6 * 64 * size, np.uint8)
    source = kernel("char", "char", body)
    got, report = run(tmp_path, source, x, np.zeros_like(x), "count", compiler)
    np.testing.assert_array_equal(got, x)
    assert report.findings == ()
    metrics = report.kernels[0].metrics
    # Six accesses by two warps; 32 lanes of `size` bytes are `size` sectors.
    for requests, sectors in (
        (counts.LOAD_REQUESTS, counts.LOAD_SECTORS),
        (counts.STORE_REQUESTS, counts.STORE_SECTORS),
    ):
        assert metrics[requests] == 12
        assert metrics[sectors] == 12 * size


def test_an_error_inside_a_cached_load_or_an_atomic_names_the_learners_line(tmp_path: Path) -> None:
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    _, report = run(tmp_path, kernel("float", "float", "y[i] = 0;\n    y[i] = __ldg(x + n + 1);"), x, y)
    assert ("out-of-bounds-read", 5) in {(f.code, f.line) for f in report.findings}
    _, report = run(tmp_path, kernel("float", "float", "y[i] = 0;\n    atomicAdd(y + n + 1, 1.0f);"), x, y)
    assert [(f.code, f.line) for f in report.findings] == [("out-of-bounds-write", 5)]


GROUPS = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
"""


@PAIRED
def test_tiles_exchange_and_reduce(tmp_path: Path, mode: str, compiler: str) -> None:
    body = """
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    const int v = x[i];
    int* out = y + i;
    out[0 * 128] = cg::reduce(warp, v, cg::plus<int>());
    out[1 * 128] = cg::reduce(tile, v, cg::less<int>());
    out[2 * 128] = tile.shfl(v, 3);
    out[3 * 128] = tile.shfl_down(v, 2);
    out[4 * 128] = tile.shfl_up(v, 1);
    out[5 * 128] = tile.shfl_xor(v, 4);
    out[6 * 128] = tile.ballot(v & 1);
    out[7 * 128] = tile.any(v % 5 == 0) + 2 * tile.all(v < 90);
    out[8 * 128] = block.thread_rank() * 10000 + warp.meta_group_rank() * 1000
                   + tile.meta_group_rank() * 100 + tile.thread_rank();
    out[9 * 128] = cg::inclusive_scan(tile, v);
    out[10 * 128] = cg::exclusive_scan(warp, v, cg::plus<int>());
    out[11 * 128] = block.size() + warp.num_threads() + tile.size();
    """
    x = np.random.default_rng(3).integers(0, 100, 128, np.int32)
    got = clean(
        tmp_path, kernel("int", "int", body, 128, "1", GROUPS), x, np.zeros(12 * 128, np.int32), mode, compiler
    ).reshape(12, 128)
    warps, tiles = x.reshape(-1, 32), x.reshape(-1, 8)
    rank = np.arange(128)
    spread = lambda per_group, size: np.repeat(per_group, size)  # noqa: E731
    np.testing.assert_array_equal(got[0], spread(warps.sum(1), 32))
    np.testing.assert_array_equal(got[1], spread(tiles.min(1), 8))
    np.testing.assert_array_equal(got[2], spread(tiles[:, 3], 8))
    np.testing.assert_array_equal(got[3], np.where(rank % 8 < 6, np.roll(x, -2), x))
    np.testing.assert_array_equal(got[4], np.where(rank % 8 > 0, np.roll(x, 1), x))
    np.testing.assert_array_equal(got[5], x[rank ^ 4])
    np.testing.assert_array_equal(got[6], spread(((tiles & 1) << np.arange(8)).sum(1), 8))
    np.testing.assert_array_equal(got[7], spread((tiles % 5 == 0).any(1) + 2 * (tiles < 90).all(1), 8))
    np.testing.assert_array_equal(got[8], rank * 10000 + rank // 32 * 1000 + rank % 32 // 8 * 100 + rank % 8)
    np.testing.assert_array_equal(got[9], tiles.cumsum(1).ravel())
    np.testing.assert_array_equal(got[10], (warps.cumsum(1) - warps).ravel())
    np.testing.assert_array_equal(got[11], 128 + 32 + 8)


@BOTH
def test_coalesced_groups(tmp_path: Path, mode: str) -> None:
    body = """
    y[i] = y[64 + i] = y[128 + i] = y[192 + i] = -1;
    if (x[i] % 3 == 0) {
        auto active = cg::coalesced_threads();
        y[i] = active.size() * 100 + active.thread_rank();
        y[64 + i] = cg::reduce(active, x[i], cg::plus<int>());
        y[128 + i] = active.shfl(x[i], active.size() - 1);
        y[192 + i] = active.ballot(x[i] % 2);
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, x[i] % 3);
    y[256 + i] = same.size() * 100 + same.thread_rank();
    cg::thread_group quarter = cg::tiled_partition(cg::this_thread_block(), 16);
    quarter.sync();
    y[320 + i] = quarter.size() * 100 + quarter.thread_rank();
    """
    x = np.random.default_rng(4).integers(0, 50, 64, np.int32)
    got = clean(tmp_path, kernel("int", "int", body, 64, "1", GROUPS), x, np.zeros(384, np.int32), mode).reshape(6, 64)
    for warp in (slice(0, 32), slice(32, 64)):
        values, lanes = x[warp], np.flatnonzero(x[warp] % 3 == 0)
        chosen = values[lanes]
        want = np.full((4, 32), -1)
        want[0, lanes] = len(lanes) * 100 + np.arange(len(lanes))
        want[1, lanes] = chosen.sum()
        want[2, lanes] = chosen[-1]
        want[3, lanes] = ((chosen % 2) << np.arange(len(lanes))).sum()
        np.testing.assert_array_equal(got[:4, warp], want)
        for label in range(3):
            lanes = np.flatnonzero(values % 3 == label)
            np.testing.assert_array_equal(got[4, warp][lanes], len(lanes) * 100 + np.arange(len(lanes)))
    np.testing.assert_array_equal(got[5], 1600 + np.arange(64) % 16)


@BOTH
def test_one_thread_of_a_group_calls_a_function(tmp_path: Path, mode: str) -> None:
    body = """
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, x[i] % 3);
    __shared__ int calls[32];
    calls[i] = 0;
    __syncthreads();
    cg::invoke_one(same, [](int* at, int v) { atomicAdd(at, v); }, calls + x[i] % 3, 1);
    __syncthreads();
    y[i] = calls[i];
    y[32 + i] = cg::invoke_one_broadcast(same, [=] { return 10 + x[i] % 3; });
    """
    x = np.random.default_rng(4).integers(0, 50, 32, np.int32)
    got = clean(tmp_path, kernel("int", "int", body, 32, "1", GROUPS), x, np.zeros(64, np.int32), mode)
    np.testing.assert_array_equal(got[:4], [1, 1, 1, 0])
    np.testing.assert_array_equal(got[32:], 10 + x % 3)


@BOTH
def test_the_place_of_a_bit_is_found_from_a_base_in_either_direction(tmp_path: Path, mode: str) -> None:
    body = "y[i] = (int)__fns(0x8421f00fu, x[i] & 31, i % 9 - 4);"
    x = np.random.default_rng(5).integers(0, 32, 256, np.int32)
    bits = [at for at in range(32) if 0x8421F00F >> at & 1]

    def place(base: int, offset: int) -> int:
        if offset == 0:
            return base if base in bits else -1
        on = [at for at in bits if at >= base] if offset > 0 else [at for at in reversed(bits) if at <= base]
        return on[abs(offset) - 1] if abs(offset) <= len(on) else -1

    got = clean(tmp_path, kernel("int", "int", body, 256, "1"), x, np.zeros(256, np.int32), mode)
    np.testing.assert_array_equal(got, [place(int(b), i % 9 - 4) for i, b in enumerate(x)])


@BOTH
def test_wide_values_are_exchanged_word_by_word(tmp_path: Path, mode: str) -> None:
    body = """
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float4 v = ((const float4*)x)[i];
    ((float4*)y)[i] = warp.shfl_xor(v, 1);
    """
    x = np.arange(128, dtype=np.float32)
    got = clean(tmp_path, kernel("float", "float", body, 32, "1", GROUPS), x, np.zeros_like(x), mode)
    np.testing.assert_array_equal(got.reshape(32, 4), x.reshape(32, 4)[np.arange(32) ^ 1])


@PAIRED
@pytest.mark.parametrize(("kind", "header"), [("__half", "cuda_fp16.h"), ("__nv_bfloat16", "cuda_bf16.h")])
def test_narrow_types_in_a_kernel(tmp_path: Path, kind: str, header: str, mode: str, compiler: str) -> None:
    body = f"""
    __shared__ {kind} tile[64];
    tile[i] = x[i] * {kind}(2.0f);
    __syncthreads();
    float sum = float(tile[63 - i]);
    sum = __shfl_xor_sync(0xffffffffu, sum, 1);
    {kind}2 pair = {kind}2(x[i], tile[i]);
    pair = __shfl_down_sync(0xffffffffu, pair, 1);
    y[i] = {kind}(sum);
    y[64 + i] = __hadd(pair.x, pair.y);
    """
    dtype = FLOATS[kind][0]
    x = np.random.default_rng(5).integers(-60, 60, 64).astype(dtype)
    got = clean(
        tmp_path, kernel(kind, kind, body, 64, "1", f"#include <{header}>"), x, np.zeros(128, dtype), mode, compiler
    )
    values = x.astype(np.float64)
    np.testing.assert_array_equal(got[:64].astype(np.float64), 2 * values[63 - (np.arange(64) ^ 1)])
    below = np.where(np.arange(64) % 32 < 31, np.roll(values, -1), values)
    np.testing.assert_array_equal(got[64:].astype(np.float64), 3 * below)


def test_assert_names_its_line(tmp_path: Path) -> None:
    source = kernel("int", "int", "y[i] = 0;\n    assert(x[i] < 50);", 64, "1", "#include <cassert>")
    x = np.arange(64, dtype=np.int32)
    _, report = run(tmp_path, source, x, np.zeros(64, np.int32))
    assert report.status_name == "cudaErrorAssert"
    assert [f.line for f in report.findings] == [5]
    clean(tmp_path, source, x % 50, np.zeros(64, np.int32))
    off = "#define NDEBUG\n" + source
    clean(tmp_path, off, x, np.zeros(64, np.int32))


def test_trap_stops_the_launch(tmp_path: Path) -> None:
    source = kernel("int", "int", "y[i] = 0;\n    if (i == 3) __trap();")
    _, report = run(tmp_path, source, np.zeros(64, np.int32), np.zeros(64, np.int32))
    assert report.status_name != "cudaSuccess"
    assert [f.line for f in report.findings] == [5]


def test_the_clock_does_not_run_backwards(tmp_path: Path) -> None:
    body = "const long long t = clock64();\n    __nanosleep(10);\n    y[i] = clock64() >= t;"
    got = clean(tmp_path, kernel("int", "int", body), np.zeros(64, np.int32), np.zeros(64, np.int32))
    np.testing.assert_array_equal(got, 1)
