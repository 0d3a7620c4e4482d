"""Row softmax in Triton: any number of columns, any row stride, fp32, fp16 and bf16, on a GPU or in the interpreter.

Check:  onekernel check softmax_triton
Bench:  onekernel bench softmax_triton
Idea:   you write the program of a block, not of a thread. A program takes a tile: several short rows, one row, or a
        part of a long row. The compiler deals the tile's elements to threads, picks the width of each load from what it
        can prove about the addresses, and turns tl.max and tl.sum into shuffles and barriers. Only the scope changes:
            tile    rows of up to 32768 columns: read once, reduced and written by one program
            team    longer rows: several programs share a row and meet at a counter in memory
            split   rows too long for a team, and every long row without a GPU: one launch reduces, one writes
But:    a team meets in global memory, because Triton offers no reduction over a thread-block cluster; a CUDA kernel
        meets in distributed shared memory (softmax_tuned.cu).
"""

# <gap>
#| # TODO: the ledger. How often does your kernel read, and write, each element?
# Ledger (tile): reads 1, writes 1
# Ledger (team): reads 1, writes 1
# Ledger (split): reads 2, writes 1
# </gap>

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


# <gap>
#| @triton.jit
#| def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
#|     """One program, one row: x_ptr and y_ptr point to the first element, strides count elements."""
#|     row = tl.program_id(0)
#|     # TODO: the offsets of this row's columns, a tile of BLOCK of them; which of them exist; load them, masked.
#|     # TODO: the row's maximum, the exponentials, their sum, the quotient; store, masked.
#|     # Then, one at a time: float32 whatever comes in; offsets of 64 bits; several short rows in one program;
#|     # rows longer than one tile, online; @triton.autotune, with a reason for each configuration.
#|
#|
# The longest row that one program keeps in registers, by the size of an element: a 16-bit row takes as many registers
# as an fp32 row but keeps memory busy for half as long, so it needs company on its multiprocessor sooner.
TILE_COLS = {4: 32768, 2: 16384}
PER_THREAD = (8, 16, 32, 64)  # fewer: more threads to hide latency; more: fewer shuffles and barriers an element
WARPS = (1, 2, 4, 8, 16, 32)
# Columns a program, its warps, the registers that a thread may have (None: as many as the compiler likes). The wait for
# the rest of the row is hidden by other programs on the same multiprocessor, and a cap on registers makes room for one
# more: it wins for 16-bit types and loses, by spilling, for fp32. The last one is for rows of millions of columns.
TEAM_CONFIGS = ((8192, 4, None), (8192, 4, 80), (8192, 8, None), (16384, 8, 80), (32768, 32, None))


def warps_for(block: int, per_thread: int) -> int:
    """Warps that give each thread `per_thread` elements of a row of `block`; short rows share a program of 2 warps."""
    return min(32, max(2, block // (32 * per_thread)))


def fitting(configs, named_args, **meta):
    """Of each number of elements a thread keep the configuration whose warps fit the row: three or four are timed."""
    block = meta["BLOCK"]
    fit = [c for c in configs if c.num_warps == warps_for(block, c.kwargs["PER_THREAD"])]
    most = max(32, block // 64)  # 64 elements a thread only where that leaves several warps
    return [c for c in fit if block <= 32 * c.num_warps * c.kwargs["PER_THREAD"] and c.kwargs["PER_THREAD"] <= most]


def meeting(configs, named_args, **meta):
    """Keep the configurations whose team is not too large."""
    most = largest_team(named_args["x_ptr"])
    return [c for c in configs if triton.cdiv(named_args["cols"], c.kwargs["BLOCK"]) <= most]


def largest_team(x: torch.Tensor) -> int:
    """A team is safe only if all its programs can run at once: at most one for each multiprocessor. Above 64 parts the
    waiting programs' questions cost more than a second launch (seen on an H200 with 128 parts)."""
    return min(64, torch.cuda.get_device_properties(x.device).multi_processor_count) if x.is_cuda else 0


def untimed(kernel, quantiles):
    """Without a GPU there is nothing to time: every configuration ties, and the first is taken."""
    return [0.0] * len(quantiles)


TIMER = untimed if INTERPRETED else None


# Where a tile lies. A row that does not start on a 16-byte boundary is read as an aligned body, in full-width vectors,
# and two ragged edges of fewer than VEC elements. Offsets count from a base that is itself 16-byte aligned.
@triton.jit
def body(start, length, VEC: tl.constexpr, BLOCK: tl.constexpr):
    """Offsets and mask of the aligned part of the spans [start, start + length): tiles of (ROWS, BLOCK)."""
    first = (start + VEC - 1) // VEC * VEC
    whole = (start + length) // VEC * VEC - first
    at = tl.arange(0, BLOCK)[None, :]
    return first + at, at < whole // VEC * VEC


@triton.jit
def edges(start, length, VEC: tl.constexpr):
    """Offsets and mask of the elements before and after the aligned part: tiles of (ROWS, 2 VEC)."""
    first = tl.minimum((start + VEC - 1) // VEC * VEC, start + length)
    last = tl.maximum((start + length) // VEC * VEC, first)
    lane = tl.arange(0, 2 * VEC)[None, :]  # even lanes before the body, odd lanes after it
    at = tl.where(lane % 2 == 0, start, last) + lane // 2
    return at, at < tl.where(lane % 2 == 0, first, start + length)


@triton.autotune(
    configs=[
        triton.Config({"PER_THREAD": e}, num_warps=w, maxnreg=80 if e == 64 else None)
        for e in PER_THREAD
        for w in WARPS
    ],
    key=["BLOCK", "VEC", "EDGES"],
    prune_configs_by={"early_config_prune": fitting},
    do_bench=TIMER,
)
@triton.jit
def tile(
    x_ptr,
    y_ptr,
    rows,
    cols,
    x_stride,
    y_stride,
    BLOCK: tl.constexpr,  # columns, rounded up to a power of two
    VEC: tl.constexpr,  # elements in a load of at most 16 bytes, the same for x and y
    X_PHASE: tl.constexpr,  # how many elements x starts after a 16-byte boundary; Y_PHASE likewise
    Y_PHASE: tl.constexpr,
    EDGES: tl.constexpr,  # whether any row has ragged edges
    PER_THREAD: tl.constexpr,
    num_warps: tl.constexpr,
):
    """A program takes as many whole rows as give each of its threads PER_THREAD elements, and at least one."""
    ROWS: tl.constexpr = (32 * num_warps * PER_THREAD + BLOCK - 1) // BLOCK
    AXIS: tl.constexpr = 1 if ROWS > 1 else None  # a single row is reduced to a scalar, which fits any layout
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    length = tl.where(row < rows, cols, 0)
    x_base = tl.multiple_of(x_ptr - X_PHASE, 16)
    y_base = tl.multiple_of(y_ptr - Y_PHASE, 16)
    x_start = row * x_stride + X_PHASE
    y_start = row * y_stride + Y_PHASE

    at, inside = body(x_start, length, VEC, BLOCK)
    x = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
    if EDGES:  # both loads come before the first reduction, so that one waits while the other does
        at, inside = edges(x_start, length, VEC)
        x_edge = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=AXIS, keep_dims=True)
    if EDGES:
        top = tl.maximum(top, tl.max(x_edge, axis=AXIS, keep_dims=True))
    e = tl.exp(x - top)
    total = tl.sum(e, axis=AXIS, keep_dims=True)
    if EDGES:
        e_edge = tl.exp(x_edge - top)
        total += tl.sum(e_edge, axis=AXIS, keep_dims=True)
    scale = 1.0 / total
    at, inside = body(y_start, length, VEC, BLOCK)
    tl.store(y_base + at, (e * scale).to(y_ptr.dtype.element_ty), mask=inside)
    if EDGES:
        at, inside = edges(y_start, length, VEC)
        tl.store(y_base + at, (e_edge * scale).to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def finite_or_zero(top):
    """A maximum that can be subtracted: parts of a row that are all -inf must add 0 to the sum, not NaN."""
    return tl.where(top == -float("inf"), 0.0, top)


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps, maxnreg=regs) for block, warps, regs in TEAM_CONFIGS],
    key=["PARTS", "VEC", "EDGES"],
    prune_configs_by={"early_config_prune": meeting},
    reset_to_zero=["words_ptr"],
    do_bench=TIMER,
)
@triton.jit
def team(
    x_ptr,
    y_ptr,
    cols,
    x_stride,
    y_stride,
    words_ptr,  # int64 zeros: the tickets drawn, then PARTS words a row
    PARTS: tl.constexpr,  # the most parts that a row can have, a power of two
    VEC: tl.constexpr,
    X_PHASE: tl.constexpr,
    Y_PHASE: tl.constexpr,
    EDGES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A program keeps one part of one row in registers, tells the others its maximum and sum, and waits for theirs."""
    # Work is drawn in the order in which programs start, so all the parts before mine are running already: the first
    # unfinished row always gets its missing parts, and the wait below ends whatever order the GPU starts programs in.
    ticket = tl.atomic_add(words_ptr, 1, sem="relaxed")
    parts = tl.cdiv(cols, BLOCK)
    row = ticket // parts
    part = (ticket % parts).to(tl.int32)
    share = tl.cdiv(tl.cdiv(cols, parts), VEC) * VEC
    length = tl.maximum(tl.minimum(share, cols - part * share), 0) + tl.zeros((1, 1), tl.int32)
    x_base = tl.multiple_of(x_ptr - X_PHASE, 16)
    y_base = tl.multiple_of(y_ptr - Y_PHASE, 16)
    x_start = row * x_stride + part * share + X_PHASE
    y_start = row * y_stride + part * share + Y_PHASE

    at, inside = body(x_start, length, VEC, BLOCK)
    x = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
    if EDGES:
        at, inside = edges(x_start, length, VEC)
        x_edge = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
    top = tl.max(x)
    if EDGES:
        top = tl.maximum(top, tl.max(x_edge))
    e = tl.exp(x - finite_or_zero(top))
    total = tl.sum(e)
    if EDGES:
        e_edge = tl.exp(x_edge - finite_or_zero(top))
        total += tl.sum(e_edge)

    # Maximum and sum travel in one word of 64 bits: whoever sees it sees both, and no fence is needed. It is never
    # zero, since a sum of 0 goes with a maximum of -inf. Adding 0 reads the words where all programs meet, in L2.
    word = top.to(tl.int32, bitcast=True).to(tl.int64) << 32 | total.to(tl.uint32, bitcast=True).to(tl.int64)
    slot = tl.arange(0, PARTS)
    row_words = words_ptr + 1 + row * PARTS
    tl.atomic_xchg(row_words + part, word, sem="relaxed")
    words = tl.zeros((PARTS,), tl.int64)
    missing = parts
    while missing > 0:
        words = tl.atomic_add(row_words + slot, tl.zeros((PARTS,), tl.int64), mask=slot < parts, sem="relaxed")
        missing = tl.sum(((slot < parts) & (words == 0)).to(tl.int32))
    tops = tl.where(slot < parts, (words >> 32).to(tl.int32).to(tl.float32, bitcast=True), -float("inf"))
    totals = tl.where(slot < parts, words.to(tl.int32).to(tl.float32, bitcast=True), 0.0)
    row_top = tl.max(tops, axis=0)
    row_total = tl.sum(totals * tl.exp(tops - row_top), axis=0)
    scale = tl.exp(top - row_top) / row_total

    at, inside = body(y_start, length, VEC, BLOCK)
    tl.store(y_base + at, (e * scale).to(y_ptr.dtype.element_ty), mask=inside)
    if EDGES:
        at, inside = edges(y_start, length, VEC)
        tl.store(y_base + at, (e_edge * scale).to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def reduce_part(
    x_ptr,
    cols,
    x_stride,
    maxima_ptr,
    sums_ptr,
    parts,
    share,
    BLOCK: tl.constexpr,
    VEC: tl.constexpr,
    X_PHASE: tl.constexpr,
    EDGES: tl.constexpr,
):
    """The maximum of one part of a row and the sum of exp(x - maximum), online: each element is read once."""
    row = (tl.program_id(0) // parts).to(tl.int64)
    part = tl.program_id(0) % parts
    x_base = tl.multiple_of(x_ptr - X_PHASE, 16)
    begin = part * share
    end = tl.minimum(begin + share, cols)
    top = -float("inf")
    total = 0.0
    for col in range(begin, end, BLOCK):
        length = tl.minimum(end - col, BLOCK) + tl.zeros((1, 1), tl.int32)
        start = row * x_stride + col + X_PHASE
        at, inside = body(start, length, VEC, BLOCK)
        x = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x))
        if EDGES:
            at, inside = edges(start, length, VEC)
            x_edge = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
            new_top = tl.maximum(new_top, tl.max(x_edge))
        offset = finite_or_zero(new_top)
        total = total * tl.exp(top - offset) + tl.sum(tl.exp(x - offset))
        if EDGES:
            total += tl.sum(tl.exp(x_edge - offset))
        top = new_top
    tl.store(maxima_ptr + row * parts + part, top)
    tl.store(sums_ptr + row * parts + part, total)


@triton.jit
def write_part(
    x_ptr,
    y_ptr,
    cols,
    x_stride,
    y_stride,
    maxima_ptr,
    sums_ptr,
    parts,
    share,
    PARTS: tl.constexpr,
    BLOCK: tl.constexpr,
    VEC: tl.constexpr,
    X_PHASE: tl.constexpr,
    Y_PHASE: tl.constexpr,
    EDGES: tl.constexpr,
):
    """Joins the parts' maxima and sums and writes one part of a row."""
    # The last parts to be read by reduce_part are the ones that L2 still holds: write them first.
    program = tl.num_programs(0) - 1 - tl.program_id(0)
    row = (program // parts).to(tl.int64)
    part = program % parts
    slot = tl.arange(0, PARTS)
    tops = tl.load(maxima_ptr + row * parts + slot, mask=slot < parts, other=-float("inf"))
    totals = tl.load(sums_ptr + row * parts + slot, mask=slot < parts, other=0.0)
    top = tl.max(tops, axis=0)
    scale = 1.0 / tl.sum(totals * tl.exp(tops - top), axis=0)

    x_base = tl.multiple_of(x_ptr - X_PHASE, 16)
    y_base = tl.multiple_of(y_ptr - Y_PHASE, 16)
    begin = part * share
    end = tl.minimum(begin + share, cols)
    for col in range(begin, end, BLOCK):
        length = tl.minimum(end - col, BLOCK) + tl.zeros((1, 1), tl.int32)
        x_start = row * x_stride + col + X_PHASE
        y_start = row * y_stride + col + Y_PHASE
        at, inside = body(x_start, length, VEC, BLOCK)
        y_at, _ = body(y_start, length, VEC, BLOCK)
        x = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
        tl.store(y_base + y_at, (tl.exp(x - top) * scale).to(y_ptr.dtype.element_ty), mask=inside)
        if EDGES:
            at, inside = edges(x_start, length, VEC)
            y_at, _ = edges(y_start, length, VEC)
            x = tl.load(x_base + at, mask=inside, other=-float("inf")).to(tl.float32)
            tl.store(y_base + y_at, (tl.exp(x - top) * scale).to(y_ptr.dtype.element_ty), mask=inside)


def common_alignment(x: torch.Tensor, out: torch.Tensor) -> dict[str, int | bool]:
    """The widest vector whose boundaries fall on the same columns in x and in out, and where the rows start.

    Both tensors in elements: every row of x starts x_phase + row * stride after a 16-byte boundary.
    """
    whole = 16 // x.element_size()
    x_phase, y_phase = (t.data_ptr() // t.element_size() % whole for t in (x, out))
    x_stride, y_stride = (t.stride(0) if t.shape[0] > 1 else 0 for t in (x, out))
    vec = whole
    while (x_phase - y_phase) % vec or (x_stride - y_stride) % vec:
        vec //= 2
    ragged = bool(x_phase % vec or x_stride % vec or x.shape[1] % vec)
    return {"VEC": vec, "X_PHASE": x_phase, "Y_PHASE": y_phase, "EDGES": ragged}


# </gap>
def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), fp32, fp16 or bf16, inner stride 1; writes `out` and returns it.

    `out` has x's shape and dtype; its rows may lie at any stride; it may be x itself. Raises ValueError otherwise.
    """
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError(f"softmax_triton wants 2-D tensors of inner stride 1, not {tuple(t.shape)}, {t.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"softmax_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    # <gap>
    #| # TODO: choose BLOCK (a power of two), and launch `tile` on a grid of one program a row: tile[(rows,)](...).
    if x.untyped_storage().data_ptr() == out.untyped_storage().data_ptr():
        x = x.clone()  # the autotuner runs a kernel many times: x must outlive the first
    rows, cols = x.shape
    strides = x.stride(0), out.stride(0)
    alignment = common_alignment(x, out)
    if cols <= TILE_COLS[x.element_size()]:
        block = max(16, triton.next_power_of_2(cols))
        tile[lambda meta: (triton.cdiv(rows, triton.cdiv(32 * meta["num_warps"] * meta["PER_THREAD"], block)),)](
            x, out, rows, cols, *strides, BLOCK=block, **alignment
        )
    elif triton.cdiv(cols, TEAM_CONFIGS[-1][0]) <= largest_team(x):
        parts = triton.next_power_of_2(triton.cdiv(cols, TEAM_CONFIGS[0][0]))
        words = torch.zeros(1 + rows * parts, dtype=torch.int64, device=x.device)
        team[lambda meta: (rows * triton.cdiv(cols, meta["BLOCK"]),)](
            x, out, cols, *strides, words, PARTS=parts, **alignment
        )
    else:
        block = 8192
        share = block * triton.cdiv(cols, 256 * block)  # a multiple of BLOCK, so that a row has at most 256 parts
        parts = triton.cdiv(cols, share)
        maxima, sums = torch.empty((2, rows, parts), dtype=torch.float32, device=x.device)
        x_phase = {k: alignment[k] for k in ("VEC", "X_PHASE", "EDGES")}
        reduce_part[(rows * parts,)](
            x, cols, strides[0], maxima, sums, parts, share, BLOCK=block, **x_phase, num_warps=8
        )
        write_part[(rows * parts,)](
            x, out, cols, *strides, maxima, sums, parts, share, PARTS=256, BLOCK=block, **alignment, num_warps=8
        )
    # </gap>
    return out
