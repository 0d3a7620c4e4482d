"""softmax(x) * w in Triton, one pass over both: any number of columns, three row strides, fp32, fp16 and bf16.

Check:  onekernel check softmax_mul_triton --record
Bench:  python bench/fusion.py
Idea:   the kernel of softmax_triton with an epilogue. A tile of w lies in registers as the tile of x does; its load
        stands before the reduction, so that it is under way while the row's maximum and sum are found.
            tile    rows of up to 12288 columns: x and w read once
            split   longer rows: one launch reduces parts of x, one reads x again and w
But:    x and w share the registers, so that a program keeps half the row that softmax_triton keeps.
"""

# Work: row per program
# Ledger (tile): reads 1, writes 1
# Ledger (split): reads 1.5, writes 1

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


LOG2E = tl.constexpr(1.4426950408889634)
TILE_COLS = 12288  # 24 elements of x and 24 of w for each of 512 threads
# Lanes that share a row, and the warps of a program: softmax_triton says why.
TILE_WARPS = {4: (4,), 8: (4,), 16: (4,), 32: (4,), 64: (2,), 128: (4,), 256: (8,), 512: (16,)}
MANY_PARTS = 1024  # between two launches: up to here each program of the second one reads them all


def fitting(configs, named_args, **meta):
    """Keep the configurations that give a thread 8 to 36 elements of x: two to four are timed."""
    each = {c: triton.cdiv(meta["VECTORS"], c.kwargs["LANES"]) * meta["WIDTH"] for c in configs}
    return [c for c in configs if 8 <= each[c] <= 36] or [c for c in configs if c.kwargs["LANES"] == 4]


def parts_of(cols: int, width: int, vectors: int, warps: int) -> int:
    """The programs that share a row of `cols` columns; `width` elements make a vector."""
    return triton.cdiv(cols, 32 * warps * vectors * width)


def untimed(kernel, quantiles):
    """Without a GPU there is nothing to time: every configuration ties, and the first is taken."""
    return [0.0] * len(quantiles)


TIMER = untimed if INTERPRETED else None


# Where a tile lies. A row is read as a body, in vectors of VEC elements from a multiple of ALIGN on, and the single
# elements before and after it. The body comes in pieces of LANES vectors, as many as the row needs: a tile's sides are
# powers of two, but 9 pieces of 1024 columns hold 9216 without a lane to spare, where a tile of 16384 wastes 7168.
# Pieces are tiles (LANES, ROWS, VEC), singles (LANES, ROWS): neighbouring threads get neighbours on the first axis.
@triton.jit
def nearby(ptr, phase, offset, ALIGN: tl.constexpr, EDGES: tl.constexpr):
    """The last aligned address up to ptr + offset, and how many elements remain; ptr lies `phase` after a boundary."""
    at = offset + phase
    return tl.multiple_of(ptr - phase, 16) + at // ALIGN * ALIGN, (at % ALIGN).to(tl.int32) if EDGES else 0


@triton.jit
def body(start, ALIGN: tl.constexpr):
    """Where the body begins. From a product with ALIGN the compiler knows that the address is aligned."""
    return (start + ALIGN - 1) // ALIGN * ALIGN


@triton.jit
def vectors_of(start, length, ALIGN: tl.constexpr, VEC: tl.constexpr):
    """How many whole vectors the body of a row has."""
    return tl.maximum((start + length - body(start, ALIGN)) // VEC, 0)


@triton.jit
def first_piece(base, start, ALIGN: tl.constexpr, LANES: tl.constexpr, VEC: tl.constexpr):
    """Pointers to the first piece."""
    at = body(start, ALIGN) + tl.arange(0, LANES)[:, None] * VEC
    return base + at[:, :, None] + tl.arange(0, VEC)[None, None, :]


@triton.jit
def inside(start, length, k, ALIGN: tl.constexpr, LANES: tl.constexpr, VEC: tl.constexpr):
    """The mask of piece k: one bit for VEC neighbours, which may then go in one load."""
    vector = tl.arange(0, LANES)[:, None] + k * LANES
    return (vector < vectors_of(start, length, ALIGN, VEC))[:, :, None]


@triton.jit
def single(start, length, k, ALIGN: tl.constexpr, LANES: tl.constexpr, PIECES: tl.constexpr, VEC: tl.constexpr):
    """Which element of the row is each lane's k-th single; those from `length` on do not exist."""
    lane = tl.arange(0, LANES)[:, None] + k * LANES
    vectors = tl.minimum(vectors_of(start, length, ALIGN, VEC), PIECES * LANES)
    return lane + tl.where(lane < body(start, ALIGN) - start, 0, vectors * VEC)


@triton.jit
def read(
    base,
    start,
    length,
    ALIGN: tl.constexpr,
    LANES: tl.constexpr,
    PIECES: tl.constexpr,
    SINGLES: tl.constexpr,
    VEC: tl.constexpr,
    OTHER: tl.constexpr,
):
    """The rows at base + start: a tuple of pieces and one of singles, as in memory; OTHER where there is nothing."""
    at = first_piece(base, start, ALIGN, LANES, VEC)
    pieces = ()
    for k in tl.static_range(PIECES):
        mask = inside(start, length, k, ALIGN, LANES, VEC)
        pieces += (tl.load(at + k * LANES * VEC, mask=mask, other=OTHER),)
    singles = ()
    for k in tl.static_range(SINGLES):
        one = single(start, length, k, ALIGN, LANES, PIECES, VEC)
        singles += (tl.load(base + start + one, mask=one < length, other=OTHER),)
    return pieces, singles


@triton.jit
def write(
    base,
    start,
    length,
    pieces,
    singles,
    scale,
    factors,
    single_factors,
    ALIGN: tl.constexpr,
    LANES: tl.constexpr,
    VEC: tl.constexpr,
):
    """Stores pieces and singles, times scale (1, ROWS) and their factors, where `read` found them."""
    at = first_piece(base, start, ALIGN, LANES, VEC)
    for k in tl.static_range(len(pieces)):
        mask = inside(start, length, k, ALIGN, LANES, VEC)
        product = pieces[k] * scale[:, :, None] * factors[k].to(tl.float32)
        tl.store(at + k * LANES * VEC, product.to(base.dtype.element_ty), mask=mask)
    for k in tl.static_range(len(singles)):
        one = single(start, length, k, ALIGN, LANES, len(pieces), VEC)
        product = singles[k] * scale * single_factors[k].to(tl.float32)
        tl.store(base + start + one, product.to(base.dtype.element_ty), mask=one < length)


@triton.jit
def largest(pieces, singles):
    """The maximum of each row, (1, ROWS). Each lane looks through its own elements first: the lanes meet once."""
    top = pieces[0]
    for k in tl.static_range(1, len(pieces)):
        top = tl.maximum(top, pieces[k])
    top = tl.max(top, axis=2)
    for k in tl.static_range(len(singles)):
        top = tl.maximum(top, singles[k])
    return tl.max(top, axis=0, keep_dims=True)


@triton.jit
def exponential(x):
    """exp(x). tl.exp2 is one instruction and gives 0 below 2**-126; tl.exp keeps such results, with three more."""
    return tl.exp2(x * LOG2E)


@triton.jit
def exponentials(pieces, singles, top):
    """exp(x - top) of all elements, and each row's sum of them, (1, ROWS)."""
    e = ()
    for k in tl.static_range(len(pieces)):
        e += (exponential(pieces[k] - top[:, :, None]),)
    total = e[0]
    for k in tl.static_range(1, len(pieces)):
        total += e[k]
    total = tl.sum(total, axis=2)
    e_single = ()
    for k in tl.static_range(len(singles)):
        e_single += (exponential(singles[k] - top),)
        total += e_single[k]
    return e, e_single, tl.sum(total, axis=0, keep_dims=True)


@triton.jit
def unpacked(x):
    """Tiles as fp32."""
    wide = ()
    for k in tl.static_range(len(x)):
        wide += (x[k].to(tl.float32),)
    return wide


@triton.autotune(
    configs=[
        triton.Config({"LANES": lanes}, num_warps=warps, maxnreg=64 if lanes == 512 else None)
        for lanes in TILE_WARPS
        for warps in TILE_WARPS[lanes]
    ],
    key=["VECTORS", "VEC", "EDGES", "FEW"],
    prune_configs_by={"early_config_prune": fitting},
    do_bench=TIMER,
)
@triton.jit
def tile(
    x_ptr,
    w_ptr,
    y_ptr,
    rows,
    cols,
    x_stride,
    w_stride,
    y_stride,
    x_phase,  # how many elements x starts after the boundary of a cache line; w_phase and y_phase likewise
    w_phase,
    y_phase,
    VECTORS: tl.constexpr,  # vectors of WIDTH elements that hold a row's body
    WIDTH: tl.constexpr,  # elements in 16 bytes
    VEC: tl.constexpr,  # elements in the widest load that is aligned in all three: WIDTH, or fewer
    LINE: tl.constexpr,  # elements from one boundary that they share to the next: a cache line, or fewer
    EDGES: tl.constexpr,  # whether any row has single elements
    FAR: tl.constexpr,  # whether the rows of a program may lie more than 2**31 elements apart
    FEW: tl.constexpr,  # whether there are too few rows to hide latency: another configuration wins
    LANES: tl.constexpr,
    num_warps: tl.constexpr,
):
    """A program takes as many whole rows as it has lanes for, and at least one."""
    ROWS: tl.constexpr = max(1, 32 * num_warps // LANES)
    PIECES: tl.constexpr = (VECTORS + LANES - 1) // LANES
    WIDE: tl.constexpr = LANES * (WIDTH // VEC)  # narrower vectors, more of them
    ALIGN: tl.constexpr = LINE if EDGES and LANES >= 128 else VEC
    SINGLES: tl.constexpr = (ALIGN + VEC + WIDE - 1) // WIDE if EDGES else 0
    first = tl.program_id(0).to(tl.int64) * ROWS
    row = tl.arange(0, ROWS)[None, :].to(tl.int64 if FAR else tl.int32)
    length = tl.where(row < rows - first, cols, 0)
    x_base, x_start = nearby(x_ptr, x_phase, first * x_stride, ALIGN, EDGES)
    w_base, w_start = nearby(w_ptr, w_phase, first * w_stride, ALIGN, EDGES)
    y_base, y_start = nearby(y_ptr, y_phase, first * y_stride, ALIGN, EDGES)
    lowest: tl.constexpr = -float("inf")
    pieces, singles = read(x_base, x_start + row * x_stride, length, ALIGN, WIDE, PIECES, SINGLES, VEC, lowest)
    factors, others = read(w_base, w_start + row * w_stride, length, ALIGN, WIDE, PIECES, SINGLES, VEC, 0.0)
    pieces, singles = unpacked(pieces), unpacked(singles)
    top = largest(pieces, singles)
    pieces, singles, total = exponentials(pieces, singles, top)
    to = y_start + row * y_stride
    write(y_base, to, length, pieces, singles, 1.0 / total, factors, others, ALIGN, WIDE, VEC)


@triton.jit
def finite_or_zero(top):
    """A maximum that can be subtracted: parts of a row that are all -inf must add 0 to the sum, not NaN."""
    return tl.where(top == -float("inf"), 0.0, top)


@triton.jit
def part_of(cols, parts, part, LINE: tl.constexpr):
    """Where a part of a row begins, and its length, (1, 1). Parts are whole cache lines: no two write to the same."""
    cols = cols.to(tl.int64)  # or just below 2**31 of them the rounding up would overflow
    share = tl.cdiv(tl.cdiv(cols, parts), LINE) * LINE
    length = tl.maximum(tl.minimum(share, cols - part * share), 0)
    return part * share, length.to(tl.int32) + tl.zeros((1, 1), tl.int32)


@triton.jit
def join(tops, totals):
    """The maximum and the sum of a row from those of its parts, tiles of one axis."""
    top = tl.max(tops, axis=0)
    return top, tl.sum(totals * exponential(tops - top), axis=0)


@triton.jit
def reduce_part(
    x_ptr,
    cols,
    x_stride,
    x_phase,
    maxima_ptr,
    sums_ptr,
    parts,
    WIDTH: tl.constexpr,
    VEC: tl.constexpr,
    LINE: tl.constexpr,
    EDGES: tl.constexpr,
    EACH: tl.constexpr,
    num_warps: tl.constexpr,
):
    """The maximum of one part of a row and the sum of exp(x - maximum)."""
    LANES: tl.constexpr = 32 * num_warps * (WIDTH // VEC)
    ALIGN: tl.constexpr = LINE if EDGES else VEC
    SINGLES: tl.constexpr = (ALIGN + VEC + LANES - 1) // LANES if EDGES else 0
    row = (tl.program_id(0) // parts).to(tl.int64)
    part = tl.program_id(0) % parts
    begin, length = part_of(cols, parts, part, LINE)
    base, start = nearby(x_ptr, x_phase, row * x_stride + begin, ALIGN, EDGES)
    start += tl.zeros((1, 1), tl.int32)
    pieces, singles = read(base, start, length, ALIGN, LANES, EACH, SINGLES, VEC, -float("inf"))
    pieces, singles = unpacked(pieces), unpacked(singles)
    top = largest(pieces, singles)
    _, _, total = exponentials(pieces, singles, finite_or_zero(top))
    tl.store(maxima_ptr + row * parts + part, tl.max(top))
    tl.store(sums_ptr + row * parts + part, tl.sum(total))


@triton.jit
def join_parts(maxima_ptr, sums_ptr, parts, BLOCK: tl.constexpr):
    """Joins the parts of a row into the first of them: where they are many, not every program has to read them all."""
    row = tl.program_id(0).to(tl.int64)
    top = -float("inf")
    total = 0.0
    for begin in range(0, parts, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        tops = tl.load(maxima_ptr + row * parts + at, mask=at < parts, other=-float("inf"))
        totals = tl.load(sums_ptr + row * parts + at, mask=at < parts, other=0.0)
        new_top = tl.maximum(top, tl.max(tops))
        shift = finite_or_zero(new_top)
        total = total * exponential(top - shift) + tl.sum(totals * exponential(tops - shift))
        top = new_top
    tl.store(maxima_ptr + row * parts, top)
    tl.store(sums_ptr + row * parts, total)


@triton.jit
def write_part(
    x_ptr,
    w_ptr,
    y_ptr,
    cols,
    x_stride,
    w_stride,
    y_stride,
    x_phase,
    w_phase,
    y_phase,
    maxima_ptr,
    sums_ptr,
    parts,
    known,  # how many of a row's parts to join
    PARTS: tl.constexpr,  # known, rounded up to a power of two
    WIDTH: tl.constexpr,
    VEC: tl.constexpr,
    LINE: tl.constexpr,
    EDGES: tl.constexpr,
    EACH: tl.constexpr,
    num_warps: tl.constexpr,
):
    """Joins the parts' maxima and sums and writes one part of a row."""
    LANES: tl.constexpr = 32 * num_warps * (WIDTH // VEC)
    ALIGN: tl.constexpr = LINE if EDGES else VEC
    SINGLES: tl.constexpr = (ALIGN + VEC + LANES - 1) // LANES if EDGES else 0
    # The last parts to be read by reduce_part are the ones that L2 still holds: write them first.
    program = tl.num_programs(0) - 1 - tl.program_id(0)
    row = (program // parts).to(tl.int64)
    part = program % parts
    begin, length = part_of(cols, parts, part, LINE)
    x_base, x_start = nearby(x_ptr, x_phase, row * x_stride + begin, ALIGN, EDGES)
    w_base, w_start = nearby(w_ptr, w_phase, row * w_stride + begin, ALIGN, EDGES)
    y_base, y_start = nearby(y_ptr, y_phase, row * y_stride + begin, ALIGN, EDGES)
    x_start += tl.zeros((1, 1), tl.int32)
    w_start += tl.zeros((1, 1), tl.int32)
    y_start += tl.zeros((1, 1), tl.int32)
    pieces, singles = read(x_base, x_start, length, ALIGN, LANES, EACH, SINGLES, VEC, -float("inf"))
    factors, others = read(w_base, w_start, length, ALIGN, LANES, EACH, SINGLES, VEC, 0.0)
    pieces, singles = unpacked(pieces), unpacked(singles)
    slot = tl.arange(0, PARTS)
    tops = tl.load(maxima_ptr + row * parts + slot, mask=slot < known, other=-float("inf"))
    totals = tl.load(sums_ptr + row * parts + slot, mask=slot < known, other=0.0)
    row_top, row_total = join(tops, totals)
    zero = tl.zeros((1, 1), tl.float32)
    pieces, singles, _ = exponentials(pieces, singles, row_top + zero)
    scale = 1.0 / row_total + zero
    write(y_base, y_start, length, pieces, singles, scale, factors, others, ALIGN, LANES, VEC)


def alignment_of(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor) -> dict[str, int | bool]:
    """Where the three start, and the widest boundary that falls on the same columns in all; in elements."""
    line = 128 // x.element_size()
    three = (x, w, out)
    phases = [t.data_ptr() // t.element_size() % line for t in three]
    strides = [t.stride(0) if t.shape[0] > 1 else 0 for t in three]
    while any((p - phases[0]) % line for p in phases) or any((s - strides[0]) % line for s in strides):
        line //= 2
    width = 16 // x.element_size()
    vec = min(width, line)
    ragged = bool(phases[0] % vec or strides[0] % vec or x.shape[1] % vec)
    named = dict(zip(("x_phase", "w_phase", "y_phase"), phases, strict=True))
    return {**named, "WIDTH": width, "VEC": vec, "LINE": line, "EDGES": ragged}


def vectors_in(cols: int, WIDTH: int, VEC: int, EDGES: bool, **_) -> int:
    """Vectors that a row's body needs, if its edges take 2 VEC elements. Rounded: rows of a length share a kernel."""
    vectors = max(1, triton.cdiv(cols - (2 * VEC if EDGES else 0), WIDTH))
    unit = max(1, triton.next_power_of_2(vectors) // 16)
    return triton.cdiv(vectors, unit) * unit


def launch_tile(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor):
    """Launches `tile`; returns what `prepared` needs to launch it again."""
    (rows, cols), strides, where = x.shape, (x.stride(0), w.stride(0), out.stride(0)), alignment_of(x, w, out)
    constants = where | {"VECTORS": vectors_in(cols, **where), "FAR": max(strides) >= 2**25, "FEW": rows <= 512}

    def grid(meta):
        return (triton.cdiv(rows, max(1, 32 * meta["num_warps"] // meta["LANES"])),)

    kernel = tile[grid](x, w, out, rows, cols, *strides, **constants)
    return kernel, grid, {"rows": rows, "cols": cols} | constants


def launch_split(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor) -> None:
    """Two launches, for rows of any length."""
    (rows, cols), strides, where = x.shape, (x.stride(0), w.stride(0), out.stride(0)), alignment_of(x, w, out)
    vectors, warps = 16 // where["WIDTH"], 4
    parts = parts_of(cols, where["WIDTH"], vectors, warps)
    maxima, sums = torch.empty((2, rows, parts), dtype=torch.float32, device=x.device)
    scratch = {"maxima_ptr": maxima, "sums_ptr": sums, "parts": parts, "EACH": vectors, "num_warps": warps}
    x_where = {k: v for k, v in where.items() if k not in ("w_phase", "y_phase")}
    reduce_part[(rows * parts,)](x, cols, strides[0], **x_where, **scratch)
    if parts > MANY_PARTS:
        join_parts[(rows,)](maxima, sums, parts, BLOCK=MANY_PARTS)
    known = parts if parts <= MANY_PARTS else 1
    write_part[(rows * parts,)](
        x, w, out, cols, *strides, known=known, PARTS=triton.next_power_of_2(known), **where, **scratch
    )


# Triton finds kernel and configuration anew at each call, which takes the host longer than a short kernel runs. Tensors
# of the same shape, type and alignment get the kernel that the first of them got, called directly.
LAUNCHES: dict = {}
MOST_LAUNCHES = 4096  # remembered; then they are forgotten, all at once


def prepared(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor, kernel, grid, values: dict):
    """A function of x, w and out that launches `kernel` as `tile` did."""
    strides = {"x_stride": x.stride(0), "w_stride": w.stride(0), "y_stride": out.stride(0)}
    values = values | strides | tile.best_config.all_kwargs()
    order = [values.get(name) for name in tile.arg_names[3:]]
    start = kernel[(*grid(values), 1, 1)]
    return lambda x, w, out: start(x, w, out, *order)


def launch_first(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor, key: tuple) -> None:
    """Chooses the scope, launches, and remembers how."""
    if x.shape[1] > TILE_COLS:
        return launch_split(x, w, out)
    if any(t.untyped_storage().data_ptr() == out.untyped_storage().data_ptr() for t in (x, w)):
        x, w = x.clone(), w.clone()  # the autotuner runs a kernel many times: what it reads must outlive that
        launch_tile(x, w, out)
        return None
    launched = launch_tile(x, w, out)
    if x.get_device() >= 0:
        if len(LAUNCHES) >= MOST_LAUNCHES:
            LAUNCHES.clear()
        LAUNCHES[key] = prepared(x, w, out, *launched)
    return None


def softmax_mul_triton(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """softmax(x, 1) * w for x and w of (rows, cols), fp32, fp16 or bf16, inner stride 1; writes `out` and returns it.

    The rows of each may lie at any stride; `out` may be x or w itself. Raises ValueError for others.
    """
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    device = x.get_device()  # -1: not on a GPU
    places = x.data_ptr() % 128, w.data_ptr() % 128, out.data_ptr() % 128, device, w.get_device(), out.get_device()
    kinds = x.dtype, w.dtype, out.dtype, out.data_ptr() in (x.data_ptr(), w.data_ptr())
    key = (x.shape, x.stride(), w.shape, w.stride(), out.shape, out.stride(), *kinds, *places)
    again = LAUNCHES.get(key)
    if again and device == torch.cuda.current_device():
        again(x, w, out)
        return out
    for t in (x, w, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError(f"softmax_mul_triton wants 2-D, inner stride 1; not {tuple(t.shape)}, {t.stride()}")
        if t.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (t.dtype, t.shape) != (x.dtype, x.shape):
            raise ValueError(f"softmax_mul_triton wants fp32, fp16 or bf16, all of one shape; not {t.dtype}, {t.shape}")
    if x.numel() == 0:
        return out
    if not x.device == w.device == out.device:
        raise ValueError(f"softmax_mul_triton wants all on one device, not {x.device}, {w.device} and {out.device}")
    if device >= 0:
        with torch.cuda.device(device):  # a kernel is launched on the current device, wherever its tensors are
            launch_first(x, w, out, key)
    else:
        launch_first(x, w, out, key)
    return out
