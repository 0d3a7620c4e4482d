"""GEMM in Triton: C = alpha * A op(B) + beta * C, any shape, row strides, fp32, fp16 and bf16, sums in fp32.

Check:  onekernel check gemm_triton
Bench:  python bench/gemm.py
Idea:   a program computes a tile of C; tl.dot multiplies tiles, and Triton puts them into shared memory, registers and
        Tensor Cores. Programs that run at the same time take tiles that lie together, so that they share what L2 holds.
        # <gap>
        Pointers and masks for each element of a tile cost instructions; on Hopper a tensor descriptor needs neither:
        the copy engine (TMA) fetches a tile by its corner, and each program takes one tile of C after the other.
But:    a descriptor wants rows that begin on multiples of 16 bytes. Others go by pointers, and so does beta.
        # </gap>
"""

# <gap>
#| # TODO: the ledger. How many elements of A and of B does your kernel read per multiply-add?
# Ledger: reads 1 / tile's width of A and 1 / tile's height of B per multiply-add, writes 1 per element of C
# </gap>

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernel


# <gap>
#| @triton.jit
#| def gemm_tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, down, aside, ldc, alpha, beta,
#|               ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
#|     """One program, ROWS x COLS elements of C. Element (p, j) of op(B) is b_ptr + p * down + j * aside."""
#|     # TODO: the rows and columns of this program's tile, as int64: offsets may exceed 32 bits.
#|     # TODO: for each step of DEPTH along k: load a tile of A and one of op(B), masked (other=0); tl.dot into fp32.
#|     #       fp32 means fp32: input_precision="ieee".
#|     # TODO: alpha and beta; C is read only where beta is not 0; one store, masked.
#|
#|
GROUP = tl.constexpr(8)  # rows of tiles that are walked together, column by column


@triton.jit
def place_of(number, height, across):
    """The row and the column of a tile in the grid of tiles."""
    first = number // (GROUP * across) * GROUP
    high = tl.minimum(height - first, GROUP)
    within = number % (GROUP * across)
    return first + within % high, within // high


@triton.jit
def gemm_tile(
    a_ptr,
    b_ptr,
    c_ptr,
    m,
    n,
    k,
    lda,
    down,
    aside,
    ldc,
    alpha,
    beta,
    READS_C: tl.constexpr,
    WIDEN: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
    DEPTH: tl.constexpr,
):
    """One program, ROWS x COLS elements of C. Element (p, j) of op(B) is b_ptr + p * down + j * aside."""
    row, col = place_of(tl.program_id(0), tl.cdiv(m, ROWS), tl.cdiv(n, COLS))
    rows = (row * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    cols = (col * COLS + tl.arange(0, COLS)).to(tl.int64)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for step in range(0, tl.cdiv(k, DEPTH)):
        p = (step * DEPTH + tl.arange(0, DEPTH)).to(tl.int64)
        a = tl.load(a_ptr + rows[:, None] * lda + p[None, :], mask=(rows < m)[:, None] & (p < k)[None, :], other=0.0)
        b_tile = b_ptr + p[:, None] * down + cols[None, :] * aside
        b = tl.load(b_tile, mask=(p < k)[:, None] & (cols < n)[None, :], other=0.0)
        if WIDEN:
            a, b = a.to(tl.float32), b.to(tl.float32)
        total = tl.dot(a, b, total, input_precision="ieee")
    there = (rows < m)[:, None] & (cols < n)[None, :]
    c_tile = c_ptr + rows[:, None] * ldc + cols[None, :]
    out = alpha * total
    if READS_C:
        out += beta * tl.load(c_tile, mask=there, other=0.0).to(tl.float32)
    tl.store(c_tile, out.to(c_ptr.dtype.element_ty), mask=there)


@triton.jit
def gemm_described(
    a, b, c, m, n, k, alpha, TURNED: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr
):
    """As gemm_tile, by tensor descriptors: a program for each multiprocessor, which takes tiles of C in turn."""
    height, across = tl.cdiv(m, ROWS), tl.cdiv(n, COLS)
    for number in tl.range(tl.program_id(0), height * across, tl.num_programs(0), flatten=True):
        row, col = place_of(number, height, across)
        total = tl.zeros((ROWS, COLS), tl.float32)
        for step in range(0, tl.cdiv(k, DEPTH)):  # what lies outside of a matrix arrives as zeros
            a_tile = a.load([row * ROWS, step * DEPTH])
            if TURNED:
                total = tl.dot(a_tile, b.load([col * COLS, step * DEPTH]).T, total)
            else:
                total = tl.dot(a_tile, b.load([step * DEPTH, col * COLS]), total)
        # In halves: what a store waits in leaves room for one more stage.
        left, right = tl.split(tl.permute(tl.reshape(alpha * total, (ROWS, 2, COLS // 2)), (0, 2, 1)))
        c.store([row * ROWS, col * COLS], left.to(c.dtype))
        c.store([row * ROWS, col * COLS + COLS // 2], right.to(c.dtype))


# Tiles, and the speed of a multiprocessor that has its fill of them as a share of the first one's (on an H200).
DESCRIBED = (
    ({"ROWS": 128, "COLS": 256, "DEPTH": 64, "num_warps": 8, "num_stages": 4}, 1.0),
    ({"ROWS": 128, "COLS": 128, "DEPTH": 64, "num_warps": 4, "num_stages": 4}, 0.94),
    ({"ROWS": 64, "COLS": 128, "DEPTH": 128, "num_warps": 4, "num_stages": 3}, 0.71),
    ({"ROWS": 64, "COLS": 64, "DEPTH": 64, "num_warps": 4, "num_stages": 6}, 0.70),
)


def described_tile(m: int, n: int, processors: int) -> dict:
    """The tile with which the last multiprocessor is done first: a wave takes as long when it is not full."""

    def time_of(choice: tuple[dict, float]) -> float:
        tile, speed = choice
        tiles = triton.cdiv(m, tile["ROWS"]) * triton.cdiv(n, tile["COLS"])
        return triton.cdiv(tiles, processors) * tile["ROWS"] * tile["COLS"] / speed

    return min(DESCRIBED, key=time_of)[0]


def can_describe(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> bool:
    """Whether the copy engine can go: Hopper or newer, 16 bits an element, rows on 16 bytes.

    C's columns must be whole 16 bytes, too: the engine fills the last of them up, over what lies between two rows.
    """
    if INTERPRETED or a.element_size() != 2 or a.shape[1] == 0 or torch.cuda.get_device_capability(a.device)[0] < 9:
        return False
    aligned = all(t.data_ptr() % 16 == 0 and t.stride(0) % 8 == 0 and t.stride(1) == 1 for t in (a, b, c))
    return aligned and c.shape[1] % 8 == 0


def launch_described(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, turned: bool, alpha: float) -> None:
    from triton.tools.tensor_descriptor import TensorDescriptor

    (m, k), n = a.shape, c.shape[1]
    processors = torch.cuda.get_device_properties(a.device).multi_processor_count
    tile = described_tile(m, n, processors)
    rows, cols, depth = tile["ROWS"], tile["COLS"], tile["DEPTH"]
    boxes = [rows, depth], [cols, depth] if turned else [depth, cols], [rows, cols // 2]
    described = [TensorDescriptor.from_tensor(t, box) for t, box in zip((a, b, c), boxes, strict=True)]
    resident = 1 if rows * cols > 128 * 64 else 2  # of the small tiles a multiprocessor holds two
    programs = min(triton.cdiv(m, rows) * triton.cdiv(n, cols), processors * resident)
    gemm_described[(programs,)](*described, m, n, k, alpha, turned, **tile)


def tile_of(dtype: torch.dtype, m: int, n: int) -> dict:
    """The sides of a tile, its warps and its buffers: large where C has many tiles, small where it has few."""
    if dtype == torch.float32:
        return {"ROWS": 64, "COLS": 64, "DEPTH": 32, "num_warps": 4, "num_stages": 3}
    if triton.cdiv(m, 128) * triton.cdiv(n, 256) >= 128:
        return {"ROWS": 128, "COLS": 256, "DEPTH": 64, "num_warps": 8, "num_stages": 3}
    return {"ROWS": 64, "COLS": 64, "DEPTH": 64, "num_warps": 4, "num_stages": 4}


# </gap>
def gemm_triton(
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor | None = None,
    transpose_b: int = 0,
    alpha: float = 1.0,
    beta: float = 0.0,
) -> torch.Tensor:
    """alpha * a @ op(b) + beta * c for a of (m, k) and b of (k, n), or with transpose_b (n, k); writes `c`, returns it.

    2-D, inner stride 1, fp32, fp16 or bf16. Without `c` a new tensor, and beta must be 0. Raises ValueError for others.
    """
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        if beta:
            raise ValueError("gemm_triton wants a c where beta is not 0")
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if b.shape != ((n, k) if transpose_b else (k, n)) or c.shape != (m, n):
        raise ValueError(f"gemm_triton: {tuple(a.shape)} times {tuple(b.shape)} into {tuple(c.shape)}")
    for t in (a, b, c):
        if t.dtype not in (torch.float32, torch.float16, torch.bfloat16) or t.dtype != a.dtype:
            raise ValueError(f"gemm_triton wants fp32, fp16 or bf16, all the same; not {t.dtype}")
        if t.stride(1) != 1 and t.shape[1] > 1:
            raise ValueError(f"gemm_triton wants an inner stride of 1, not {t.stride()}")
    if m == 0 or n == 0:
        return c
    # <gap>
    #| # TODO: choose ROWS, COLS and DEPTH (powers of two, 16 at the least); one program per tile of C.
    if beta == 0 and can_describe(a, b, c):
        launch_described(a, b, c, bool(transpose_b), alpha)
        return c
    down, aside = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    sides = tile_of(a.dtype, m, n)
    grid = (triton.cdiv(m, sides["ROWS"]) * triton.cdiv(n, sides["COLS"]),)
    strides = (a.stride(0), down, aside, c.stride(0))
    gemm_tile[grid](a, b, c, m, n, k, *strides, alpha, beta, READS_C=beta != 0, WIDEN=INTERPRETED, **sides)
    # </gap>
    return c
