"""What is said of an access beyond an end: by its instruction, its loop and its launch, and no more than they tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Finding
from support.simulated import run

HEAD = "#include <cuda_fp16.h>\n#include <cuda_pipeline.h>\n#include <mma.h>\nusing namespace nvcuda;\n#define T 16\n"
LAUNCH = """
extern "C" cudaError_t run(const float* x, float* y, long long n, cudaStream_t stream) {
    kernel<<<GRID, BLOCK, 0, stream>>>(x, y, (int)n);
    return cudaGetLastError();
}
"""


def found(folder: Path, body: str, grid: str = "1", block: str = "32", n: int = 4096, out: int = 4096) -> list[Finding]:
    kernel = f"__global__ void kernel(const float* x, float* y, int n) {{\n{body}\n}}\n"
    launch = LAUNCH.replace("GRID", grid).replace("BLOCK", block)
    x, y = np.ones(n, np.float32), np.zeros(out, np.float32)
    return [f for f in run(folder, HEAD + kernel + launch, x, y)[1].findings if f.severity == "error"]


TILE = """
    __shared__ float s[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k LESS 64; k += T) {
        s[threadIdx.y][threadIdx.x] = x[(INDEX + threadIdx.y) * 64 + col];
        __syncthreads();
        for (int j = 0; j < T; j++) sum += s[j][threadIdx.x];
        __syncthreads();
    }
    y[row * 64 + col] = sum;
"""


@pytest.mark.parametrize(
    ("less", "index", "said", "dicho"),
    [
        ("<", "k * T", "`k` already goes on by T in the loop of line 11", "`k` ya avanza de T en T"),
        ("<=", "k", "The loop of line 11 ends with `<=`", "El bucle de la línea 11 acaba con `<=`"),
        ("<", "k + 64", "It is the first thread of the first block", "Es el primer hilo del primer bloque"),
    ],
)
def test_a_tile_that_leaves_a_matrix_of_whole_tiles_hangs_over_no_edge(
    tmp_path: Path, less: str, index: str, said: str, dicho: str
) -> None:
    every = found(tmp_path, TILE.replace("LESS", less).replace("INDEX", index), "dim3(4, 4)", "dim3(T, T)")
    assert [f.code for f in every] == ["out-of-bounds-read"]  # and no race of it with what is stored beside
    assert said in every[0].message.text("en") and dicho in every[0].message.text("es")
    assert "hangs over" not in every[0].message.text("en")


def test_a_tile_that_may_hang_over_an_edge_is_told_so_under_a_condition(tmp_path: Path) -> None:
    ragged = TILE.replace("LESS", "<").replace("INDEX", "k").replace("< 64", "< 60")
    (finding,) = found(tmp_path, ragged, "dim3(4, 4)", "dim3(T, T)", n=60 * 64)
    assert "Where a side of the matrix is not a multiple of the tile's" in finding.message.text("en")


FRAGMENT = """
    __shared__ half s[SHAPE];
    __shared__ float other[256];
    for (int i = threadIdx.x; i < COUNT; i += 32) (&s FIRST)[i] = __float2half(x[i]);
    __syncwarp();
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> f;
    wmma::load_matrix_sync(f, &s FIRST, STRIDE);
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::store_matrix_sync(other, c, 16, wmma::mem_row_major);
    y[threadIdx.x] = other[threadIdx.x] + __half2float(f.x[0]);
"""


@pytest.mark.parametrize(
    ("shape", "first", "count", "stride", "said"),
    [
        (
            "16][16",
            "[0][0]",
            256,
            "32",
            "which lie 32 elements apart, as its argument says; the rows of s lie 16 apart",
        ),
        ("16", "[0]", 16, "16", "from the pointer on 256 elements must be there"),
        ("256", "[0]", 256, "n / 128", "whose lines lie `n / 128` elements apart, as its argument says"),
    ],
)
def test_a_fragment_is_told_its_distance_and_no_thread(
    tmp_path: Path, shape: str, first: str, count: int, stride: str, said: str
) -> None:
    body = FRAGMENT.replace("SHAPE", shape).replace("FIRST", first).replace("COUNT", str(count))
    every = found(tmp_path, body.replace("STRIDE", stride))
    assert [f.code for f in every] == ["out-of-bounds-shared-read"]  # what lies beside the array is no other finding
    assert said in every[0].message.text("en") and "threadIdx" not in every[0].message.text("en")
    assert every[0].chapter == "06-07-tensor-cores#tensor-cores"


@pytest.mark.parametrize(
    ("body", "block", "said", "unsaid"),
    [
        ("__shared__ float s[16]; s[threadIdx.x] = x[0]; __syncthreads(); y[threadIdx.x] = s[threadIdx.x / 2];",
         "32", "The index is the thread's number in its block, which has 32 threads", "grid"),
        ("__shared__ float s[32]; int i = blockIdx.x * 32 + threadIdx.x; s[i] = x[i]; y[i] = s[i];",
         "32", "The index is the thread's number in the whole grid", "declaration"),
        ("__shared__ float s[8][8]; s[threadIdx.x][2] = x[0]; y[threadIdx.x] = s[threadIdx.x % 8][2];",
         "32", "It is declared with 8 rows, and this is row 8", "grid"),
        ("__shared__ float s[4]; if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x[0]; y[threadIdx.x] = 1;",
         "256", "The index is the warp's number in its block, which has 8 warps", "grid"),
        ("__shared__ float s[16]; s[threadIdx.x * 3 % 40] = x[0]; y[threadIdx.x] = 1;",
         "32", "It is as long as its declaration says: how far does the index go here?", "grid"),
    ],
)  # fmt: skip
def test_an_index_of_shared_memory_is_told_what_it_is(
    tmp_path: Path, body: str, block: str, said: str, unsaid: str
) -> None:
    every = found(tmp_path, body, "2", block)
    told = next(f.message.text("en") for f in every if f.code == "out-of-bounds-shared-write")
    assert said in told and unsaid not in told


def test_lanes_of_one_warp_are_told_that_one_may_store(tmp_path: Path) -> None:
    body = "__shared__ float s[4]; s[threadIdx.y] = x[threadIdx.x]; __syncthreads(); y[threadIdx.y] = s[threadIdx.y];"
    (finding, *_) = found(tmp_path, body.replace("x[threadIdx.x]", "x[threadIdx.x] * threadIdx.x"), "1", "dim3(32, 4)")
    told = finding.message.text("en")
    assert "let one lane store" in told and "s[threadIdx.y * 32 + threadIdx.x]" in told
    assert "threadIdx.x / 32" not in told  # which is 0 throughout such a block


def test_a_race_that_other_warps_may_have_is_not_told_to_the_first_alone(tmp_path: Path) -> None:
    """Only the first warp has come to it with this input; the block has eight, and nothing keeps them away."""
    body = """
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) s[threadIdx.x] += s[(threadIdx.x + 1) % 256];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x];
"""
    told = [f.message.text("en") for f in found(tmp_path, body, "1", "256", n=8)]
    assert any("Race on s" in text for text in told) and not any("__syncwarp() is enough" in text for text in told)
    of_one = [f.message.text("en") for f in found(tmp_path, body.replace("256", "32"), "1", "32", n=8)]
    assert any("__syncwarp() is enough" in text for text in of_one)


def test_what_a_copy_overwrites_is_not_told_to_wait_for_it(tmp_path: Path) -> None:
    body = """
    __shared__ float s[32];
    float sum = 0;
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);
    __pipeline_commit();
    for (int k = 1; k < 4; k++) {
        __pipeline_wait_prior(0);
        __syncthreads();
        __pipeline_memcpy_async(&s[threadIdx.x], &x[32 * k + threadIdx.x], 4);
        __pipeline_commit();
        sum += s[threadIdx.x];
    }
    y[threadIdx.x] = sum;
"""
    (finding, *_) = found(tmp_path, body)
    assert finding.code == "missing-wait"
    assert "already fills anew" in finding.message.text("en") and "let it fill another buffer" in finding.message.text(
        "en"
    )
    assert "llenando de nuevo" in finding.message.text("es")
    plain = """
    __shared__ float s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);
    __pipeline_commit();
    y[threadIdx.x] = s[threadIdx.x];
"""
    assert "without having waited for that copy" in found(tmp_path, plain)[0].message.text("en")


INDEXED = "int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y; float v = x[row] * (row + col * 2);\n"


@pytest.mark.parametrize(
    ("body", "column"),
    [
        (INDEXED + "if (row < 8) y[row * n + col] = v;", "col"),
        (INDEXED + "int at = row * n + col; if (at < 8 * n) y[at] = v;", "col"),
        (INDEXED + "for (int j = 0; j < 4; j++) if (row * n + col < 8 * n) y[row * n + col + j] = v;", "col + j"),
        (INDEXED + "if (row >= 8) return;\ny[(long long)row * n + threadIdx.x + blockIdx.x * blockDim.x] = v;",
         "threadIdx.x + blockIdx.x*blockDim.x"),
        (INDEXED + "y[row * n + col] += v + 1;", "col"),
    ],
)  # fmt: skip
def test_a_column_that_is_compared_with_no_size_is_named(tmp_path: Path, body: str, column: str) -> None:
    """32 threads in x for 20 columns: those beyond come to the next row, where a block of its own is."""
    (race,) = [f for f in at_width(tmp_path, body) if f.code == "race-global"]
    assert f"The column, {column}, is compared with no size" in race.message.text("en")
    assert f"La columna, {column}, no se compara con ningún tamaño" in race.message.text("es")


def at_width(folder: Path, body: str) -> list[Finding]:
    """Rows of 20 columns in a grid of 1 x 8 blocks of 32 threads."""
    return found(folder, "n = 20;\n" + body, "dim3(1, 8)")


@pytest.mark.parametrize(
    "body",
    [
        INDEXED + "if (row < 8 && col < n) y[row / 2 * n + col] = v;",
        INDEXED + "if (col >= n) return;\ny[row / 2 * n + col] = v;",
        INDEXED + "bool inside = col < n;\nif (inside) y[row / 2 * n + col] = v;",
        INDEXED + "for (; col < n; col += 32) y[row / 2 * n + col] = v;",
        "int c = threadIdx.x; if (c < n) y[blockIdx.y / 2 * n + threadIdx.x] = x[0] * blockIdx.y;",
    ],
)
def test_a_column_that_is_compared_is_told_nothing_of_it(tmp_path: Path, body: str) -> None:
    """Two blocks share a row for another reason."""
    (race,) = [f for f in at_width(tmp_path, body) if f.code == "race-global"]
    assert "is compared with no size" not in race.message.text("en")


@pytest.mark.parametrize(
    ("body", "index"),
    [
        ("    y[blockIdx.x] = threadIdx.x;", "blockIdx.x"),
        ("    int part = blockIdx.x * 2 + n / 4096;\n    y[part] = threadIdx.x;", "part"),
        ("    const int of[2] = {0, 1};\n    y[of[threadIdx.x / 16]] = threadIdx.x;", ""),
        ("    int pair = threadIdx.x / 2;\n    y[pair] = threadIdx.x;", ""),
    ],
)
def test_an_element_that_is_the_same_for_a_whole_block_is_for_one_thread(
    tmp_path: Path, body: str, index: str
) -> None:
    (race,) = found(tmp_path, body)
    assert race.code == "race-global"
    said = f"The index, {index}, is the same for all threads of a block: let one of them write"
    assert (said in race.message.text("en")) is bool(index)
    assert ("es el mismo para todos los hilos de un bloque" in race.message.text("es")) is bool(index)


TICKET = """
    __shared__ bool last;
    if (threadIdx.x == 0) {
        y[1 + blockIdx.x] = x[blockIdx.x];
        last = atomicAdd((unsigned*)(y + 100), 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += READ;
    y[0] = sum;
"""


@pytest.mark.parametrize("read", ["y[1 + i]", "((volatile float*)y)[1 + i]", "__ldcg(y + 1 + i)"])
def test_a_missing_fence_is_named_however_the_parts_are_read(tmp_path: Path, read: str) -> None:
    (race,) = found(tmp_path, TICKET.replace("READ", read), grid="8")
    assert race.message.key.endswith("-fence"), race.message.text("en")


def test_a_block_whose_rows_are_shorter_than_a_warp_is_told_of_its_dimensions(tmp_path: Path) -> None:
    """Rows of 4 threads, and a kernel that takes threadIdx.x for the lane: not a lane that has returned too early, and
    no race of what comes of it."""
    body = """
    int lane = threadIdx.x, row = blockIdx.x * 4 + threadIdx.y;
    if (row >= n / 32) return;
    float sum = x[row * 32 + lane];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    y[row * 32 + lane] = sum;
"""
    every = found(tmp_path, body, "2", "dim3(4, 32)", n=256, out=256)
    assert {f.code for f in every} == {"absent-lane"}
    assert "the block is 4 x 32," in every[0].message.text("en")
    assert "el bloque es de 4 x 32," in every[0].message.text("es")
    counted = body.replace("lane = threadIdx.x", "lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32")
    for other in found(tmp_path, counted, "2", "dim3(4, 32)", n=256, out=256):
        assert "the block is 4 x 32," not in other.message.text("en")


def test_a_copy_that_its_own_next_turn_overwrites_is_told_of_the_buffers_number(tmp_path: Path) -> None:
    body = """
    __shared__ float s[2][32];
    int stage = 0;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][threadIdx.x], &x[threadIdx.x], 4);
    __pipeline_commit();
    for (int k = 1; k < 4; k++) {
        __pipeline_memcpy_async(&s[stage ^ 1][threadIdx.x], &x[32 * k + threadIdx.x], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        sum += s[stage][threadIdx.x];
        SWITCH
    }
    y[threadIdx.x] = sum;
"""
    (finding, *_) = found(tmp_path, body.replace("SWITCH", ""))
    assert finding.code == "missing-wait" and "stage ^= 1" in finding.message.text("en")
    assert "el número del búfer debe cambiar" in finding.message.text("es")
    assert found(tmp_path, body.replace("SWITCH", "stage ^= 1;")) == []


@pytest.mark.parametrize(("test", "is_told"), [("i > n", True), ("i > n || n < 0", True), ("i > n + 1", False)])
def test_a_guard_that_lets_the_end_through_is_named(tmp_path: Path, test: str, is_told: bool) -> None:
    body = f"""
    int i = threadIdx.x;
    if ({test}) return;
    y[i] = x[i];
"""
    (finding, *_) = found(tmp_path, body, n=20, out=20)
    assert finding.code.startswith("out-of-bounds")
    assert ("lets `i` equal `n`" in finding.message.text("en")) is is_told
    assert ("deja que `i` sea igual a `n`" in finding.message.text("es")) is is_told
