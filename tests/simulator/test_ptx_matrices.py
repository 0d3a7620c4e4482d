"""Tensor-core PTX against NumPy: fragments are laid out here as PTX's figures have them, each shape by its own rule."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from support.simulated import clean, run

LANES = range(32)


@dataclass(frozen=True)
class Product:
    m: int
    n: int
    k: int
    a: str
    b: str
    c: str

    @property
    def text(self) -> str:
        return f"mma.sync.aligned.m{self.m}n{self.n}k{self.k}.row.col.{self.c}.{self.a}.{self.b}.{self.c}"


PRODUCTS = [
    Product(16, 8, 8, "f16", "f16", "f32"), Product(16, 8, 16, "f16", "f16", "f32"),
    Product(16, 8, 16, "f16", "f16", "f16"), Product(16, 8, 8, "bf16", "bf16", "f32"),
    Product(16, 8, 16, "bf16", "bf16", "f32"), Product(16, 8, 4, "tf32", "tf32", "f32"),
    Product(16, 8, 8, "tf32", "tf32", "f32"), Product(16, 8, 16, "s8", "u8", "s32"),
    Product(16, 8, 32, "u8", "s8", "s32"), Product(8, 8, 16, "s8", "s8", "s32"), Product(8, 8, 4, "f64", "f64", "f64"),
]  # fmt: skip
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32, "s8": np.int8,
          "u8": np.uint8, "s32": np.int32, "f64": np.float64}  # fmt: skip


def of_a(p: Product, lane: int) -> list[tuple[int, int]]:
    """Row and column of each element of A that a lane holds (PTX ISA, "Matrix Fragments for mma")."""
    g, t = divmod(lane, 4)
    if p.a == "f64":
        return [(g, t)]
    if p.a == "tf32":
        return [(g if i in (0, 2) else g + 8, t if i < 2 else t + 4) for i in range(2 if p.k == 4 else 4)]
    if p.a in ("f16", "bf16"):
        return [(g if i < 2 or 4 <= i < 6 else g + 8, 2 * t + i % 2 + (8 if i >= 4 else 0)) for i in range(p.k // 2)]
    if p.m == 8:
        return [(g, 4 * t + i) for i in range(4)]
    if p.k == 16:
        return [(g if i < 4 else g + 8, 4 * t + i % 4) for i in range(8)]
    return [(g if i < 4 or 8 <= i < 12 else g + 8, 4 * t + i % 4 + (0 if i < 8 else 16)) for i in range(16)]


def of_b(p: Product, lane: int) -> list[tuple[int, int]]:
    g, t = divmod(lane, 4)
    if p.a == "f64":
        return [(t, g)]
    if p.a == "tf32":
        return [(t + 4 * i, g) for i in range(p.k // 4)]
    if p.a in ("f16", "bf16"):
        return [(2 * t + i % 2 + (8 if i >= 2 else 0), g) for i in range(p.k // 4)]
    return [(4 * t + i % 4 + (16 if i >= 4 else 0), g) for i in range(p.k // 4)]


def of_c(p: Product, lane: int) -> list[tuple[int, int]]:
    g, t = divmod(lane, 4)
    return [(g if i < 2 else g + 8, 2 * t + i % 2) for i in range(p.m // 4)]


def registers(matrix: np.ndarray, dtype: type, places: list[tuple[int, int]]) -> np.ndarray:
    return np.frombuffer(np.array([matrix[place] for place in places], dtype).tobytes(), np.uint32)


def matrices(p: Product, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    low = 0 if "u8" in (p.a, p.b) else -8
    shapes = ((p.m, p.k), (p.k, p.n), (p.m, p.n))
    return tuple(rng.integers(low, 9, shape).astype(np.float64) for shape in shapes)  # type: ignore[return-value]


def kernel(index: int, p: Product, counts: tuple[int, int, int]) -> str:
    double = p.a == "f64"
    names = [f"{name}[{i}]" for name, count in zip("dabc", (counts[2], *counts), strict=True)
             for i in range(count // (2 if double else 1))]  # fmt: skip
    kind, letter = ("double", "d") if double else ("unsigned", "r")
    groups, at = [], 0
    for count in (counts[2], *counts):
        size = count // (2 if double else 1)
        groups.append("{" + ", ".join(f"%{at + i}" for i in range(size)) + "}")
        at += size
    outs = counts[2] // (2 if double else 1)
    inputs = ", ".join(f'"{letter}"({name})' for name in names[outs:])
    outputs = ", ".join(f'"={letter}"({name})' for name in names[:outs])
    total = sum(counts)
    return f"""
__global__ void k{index}(const unsigned* x, unsigned* y) {{
    unsigned words[{total}];
    for (int i = 0; i < {total}; ++i) words[i] = x[threadIdx.x * {total} + i];
    {kind} a[8], b[8], c[8], d[8];
    memcpy(a, words, {4 * counts[0]});
    memcpy(b, words + {counts[0]}, {4 * counts[1]});
    memcpy(c, words + {counts[0] + counts[1]}, {4 * counts[2]});
    asm volatile("{p.text} " "{", ".join(groups)};\\n" : {outputs} : {inputs});
    memcpy(words, d, {4 * counts[2]});
    for (int i = 0; i < {counts[2]}; ++i) y[threadIdx.x * {counts[2]} + i] = words[i];
}}"""


@pytest.mark.slow
def test_every_shape_multiplies_as_numpy_with_ptx_fragments(tmp_path: Path) -> None:
    kernels, launches, inputs, wanted = [], [], [], []
    for index, p in enumerate(PRODUCTS):
        a, b, c = matrices(p, index)
        words = [np.concatenate([registers(a, DTYPES[p.a], of_a(p, lane)), registers(b, DTYPES[p.b], of_b(p, lane)),
                                 registers(c, DTYPES[p.c], of_c(p, lane))]) for lane in LANES]  # fmt: skip
        counts = tuple(len(places) * np.dtype(DTYPES[kind]).itemsize // 4
                       for places, kind in ((of_a(p, 0), p.a), (of_b(p, 0), p.b), (of_c(p, 0), p.c)))  # fmt: skip
        kernels.append(kernel(index, p, counts))  # type: ignore[arg-type]
        before, behind = sum(x.size for x in inputs), sum(y.size for y in wanted)
        launches.append(f"k{index}<<<1, 32, 0, stream>>>((const unsigned*)x + {before}, (unsigned*)y + {behind});")
        inputs.append(np.concatenate(words))
        product = a @ b + c
        wanted.append(np.concatenate([registers(product, DTYPES[p.c], of_c(p, lane)) for lane in LANES]))
    source = "\n".join(kernels) + (
        '\nextern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {'
        + " ".join(launches) + " return cudaGetLastError(); }"
    )  # fmt: skip
    x, right = np.concatenate(inputs).view(np.float32), np.concatenate(wanted)
    got = clean(tmp_path, source, x, np.zeros(right.size, np.float32)).view(np.uint32)
    at = 0
    for p, part in zip(PRODUCTS, wanted, strict=True):
        np.testing.assert_array_equal(got[at : at + part.size], part, err_msg=p.text)
        at += part.size


MOVED = """
#include <cstdint>
__global__ void k(const unsigned* x, unsigned* y) {
    __shared__ alignas(16) unsigned tile[128];   // four 8 x 8 matrices of 16 bits, row after row
    const int lane = threadIdx.x;
    for (int i = lane; i < 128; i += 32) tile[i] = x[i];
    __syncwarp();
    unsigned at = __cvta_generic_to_shared(tile + 4 * lane), r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    for (int i = 0; i < 4; ++i) y[32 * i + lane] = r[i];
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared::cta.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(at));
    for (int i = 0; i < 2; ++i) y[128 + 32 * i + lane] = r[i];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[1]) : "r"(r[0]));
    y[192 + lane] = r[1];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.x2.m8n8.trans.shared.b16 [%0], {%1, %2};"
                 :: "r"(at) "r"(x[lane]), "r"(x[32 + lane]) : "memory");
    __syncwarp();
    for (int i = lane; i < 64; i += 32) y[224 + i] = tile[i];
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>((const unsigned*)x, (unsigned*)y);
    return cudaGetLastError();
}
"""


def test_matrices_move_between_shared_memory_and_lanes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_ARCH", "sm_90")
    rows = np.arange(256, dtype=np.uint16).reshape(4, 8, 8)
    got, report = run(tmp_path, MOVED, rows.view(np.float32).ravel(), np.zeros(288, np.float32), "count")
    assert [str(f) for f in report.findings] == []
    parts = got.view(np.uint16)
    np.testing.assert_array_equal(parts[:256].reshape(4, 8, 8), rows)  # lane 4 g + t: columns 2 t and 2 t + 1 of row g
    turned = rows.transpose(0, 2, 1)
    np.testing.assert_array_equal(parts[256:384].reshape(2, 8, 8), turned[:2])
    np.testing.assert_array_equal(parts[384:448].reshape(8, 8), turned[0])
    np.testing.assert_array_equal(parts[448:].reshape(2, 8, 8), turned[:2])


def test_rows_of_a_swizzled_tile_do_not_meet_in_a_bank(tmp_path: Path) -> None:
    """Rows of 64 bytes: those of a matrix fall into the same banks two by two... unless they are swizzled."""
    source = """
__global__ void k(const float* x, float* y, long n) {
    __shared__ alignas(128) float tile[512];
    const int lane = threadIdx.x;
    for (int i = 0; i < 16; ++i) tile[32 * i + lane] = x[32 * i + lane];
    __syncwarp();
    const int row = lane;
    unsigned r, plain = __cvta_generic_to_shared(tile + 16 * row);
    unsigned swizzled = __cvta_generic_to_shared(tile + 16 * row + 4 * (row / 2 % 4));
    asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(plain));
    y[lane] = __uint_as_float(r);
    asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(swizzled));
    y[32 + lane] = __uint_as_float(r);
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""
    _, report = run(tmp_path, source, np.zeros(512, np.float32), np.zeros(64, np.float32), "count")
    assert [str(f) for f in report.findings] == []
    by_line = {line.line: line.metrics for line in report.kernels[0].lines}
    loads = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
    assert [(by_line[n][loads], by_line[n][conflicts]) for n in (10, 12)] == [(4, 3), (1, 0)]
