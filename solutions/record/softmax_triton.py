"""Row softmax in Triton: any number of columns, any row stride, fp32, fp16 and bf16, on a GPU or in the interpreter.

Check:  onekernel check softmax_triton --record
Bench:  onekernel bench softmax_triton
Idea:   you write the program of a block, not of a thread. A program takes a tile: several short rows, one row, or a
        part of a long row. The compiler deals the tile's elements to threads, picks the width of each load from what it
        can prove about the addresses, and turns tl.max and tl.sum into shuffles and barriers.
        Only the scope changes. tile: one program reads a row, up to 24576 columns, once. team: several share a longer
        one. split: one launch reduces a row too long for the registers, and without a GPU every long one; one writes.
But:    a team meets in global memory: Triton has no reduction over a cluster, in which those of softmax_tuned.cu meet.
"""

# Work: row per program
# Ledger (tile): reads 1, writes 1
# Ledger (team): reads 1, writes 1
# Ledger (split): reads 2, writes 1

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


RUNS_IN_INTERPRETER = tl.constexpr(INTERPRETED)
LOG2E = tl.constexpr(1.4426950408889634)
TILE_COLS = 24576  # 48 elements for each of 512 threads: two such programs fit on a multiprocessor
# Lanes that share a row: the warps of a program. Few lanes: many elements a thread, few shuffles and barriers for each.
# Many lanes: many threads to hide latency, few registers a thread. Rows of at most a warp fill a program together.
TILE_WARPS = {4: (4, 2), 8: (4, 2), 16: (4, 2), 32: (4, 2), 64: (2,), 128: (4,), 256: (8,), 512: (16,)}
# 16-byte vectors a thread, warps, and the registers that a thread may have (None: as many as the compiler likes). The
# wait for the rest of the row is hidden by other programs on the same multiprocessor, and a cap on registers makes room
# for one more; a tighter cap spills, and loses.
TEAM_CONFIGS = ((16, 4, 80), (14, 4, 72), (12, 4, 64), (16, 4, None), (16, 8, 80))
FEW_PARTS = tl.constexpr(32)  # up to here all programs of a team read what all have found; of more, one reads for all
MANY_PARTS = 1024  # between two launches: up to here each program of the second one reads them all
PATIENCE = tl.constexpr(100_000)  # questions, of about a microsecond, until a program of a team goes on alone


def fitting(configs, named_args, **meta):
    """Keep the configurations that give a thread 8 to 72 elements: three to six are timed."""
    each = {c: triton.cdiv(meta["VECTORS"], c.kwargs["LANES"]) * meta["WIDTH"] for c in configs}
    return [c for c in configs if 8 <= each[c] <= 72] or [c for c in configs if c.kwargs["LANES"] == 4]


def meeting(configs, named_args, **meta):
    """Keep the configurations whose team is not too large. ALLOWED says which, and it is part of the key: a choice is
    remembered under the key alone, so whatever the pruning looks at must be in it."""
    return [c for n, c in enumerate(configs) if meta["ALLOWED"] >> n & 1]


def parts_of(cols: int, width: int, vectors: int, warps: int) -> int:
    """The programs that share a row of `cols` columns; `width` elements make a vector."""
    return triton.cdiv(cols, 32 * warps * vectors * width)


def teams_for(cols: int, width: int, most: int) -> tuple[int, int]:
    """Which of TEAM_CONFIGS have teams of at most `most` programs, a bit each, and the slots that the largest needs."""
    parts = [parts_of(cols, width, vectors, warps) for vectors, warps, _ in TEAM_CONFIGS]
    allowed = sum(1 << n for n, count in enumerate(parts) if count <= most)
    return allowed, triton.next_power_of_2(max((count for count in parts if count <= most), default=0))


def team_grid(rows: int, cols: int, width: int, slots: int):
    """The grid of `team`: a program for each part of each row. A team with more parts than slots would write into the
    words of the next row: it is refused."""

    def grid(meta):
        parts = parts_of(cols, width, meta["EACH"], meta["num_warps"])
        if parts > slots:
            raise ValueError(f"a team of {parts} programs has {slots} slots: {cols} columns, {meta['EACH']} a thread")
        return (rows * parts,)

    return grid


def largest_team(x: torch.Tensor) -> int:
    """The programs of a team must all run at once, and of the next row's half as well: of 256 threads with 80 registers
    three fit on a multiprocessor, and so one and a half count. Without a GPU programs run one after the other."""
    return torch.cuda.get_device_properties(x.device).multi_processor_count * 3 // 2 if x.is_cuda else 0


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
):
    """The rows at base + start: a tuple of pieces and one of singles, as in memory, and -inf where there is nothing."""
    at = first_piece(base, start, ALIGN, LANES, VEC)
    pieces = ()
    for k in tl.static_range(PIECES):
        mask = inside(start, length, k, ALIGN, LANES, VEC)
        pieces += (tl.load(at + k * LANES * VEC, mask=mask, other=-float("inf")),)
    singles = ()
    for k in tl.static_range(SINGLES):
        one = single(start, length, k, ALIGN, LANES, PIECES, VEC)
        singles += (tl.load(base + start + one, mask=one < length, other=-float("inf")),)
    return pieces, singles


@triton.jit
def write(base, start, length, pieces, singles, scale, ALIGN: tl.constexpr, LANES: tl.constexpr, VEC: tl.constexpr):
    """Stores pieces and singles, times scale (1, ROWS), where `read` found them."""
    at = first_piece(base, start, ALIGN, LANES, VEC)
    for k in tl.static_range(len(pieces)):
        mask = inside(start, length, k, ALIGN, LANES, VEC)
        tl.store(at + k * LANES * VEC, (pieces[k] * scale[:, :, None]).to(base.dtype.element_ty), mask=mask)
    for k in tl.static_range(len(singles)):
        one = single(start, length, k, ALIGN, LANES, len(pieces), VEC)
        tl.store(base + start + one, (singles[k] * scale).to(base.dtype.element_ty), mask=one < length)


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
    y_ptr,
    rows,
    cols,
    x_stride,
    y_stride,
    x_phase,  # how many elements x starts after the boundary of a cache line; y_phase likewise
    y_phase,
    VECTORS: tl.constexpr,  # vectors of WIDTH elements that hold a row's body
    WIDTH: tl.constexpr,  # elements in 16 bytes
    VEC: tl.constexpr,  # elements in the widest load that is aligned in x and in y: WIDTH, or fewer
    LINE: tl.constexpr,  # elements from one boundary that x and y share to the next: a cache line, or fewer
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
    y_base, y_start = nearby(y_ptr, y_phase, first * y_stride, ALIGN, EDGES)

    pieces, singles = read(x_base, x_start + row * x_stride, length, ALIGN, WIDE, PIECES, SINGLES, VEC)
    pieces, singles = unpacked(pieces), unpacked(singles)
    top = largest(pieces, singles)
    pieces, singles, total = exponentials(pieces, singles, top)
    write(y_base, y_start + row * y_stride, length, pieces, singles, 1.0 / total, ALIGN, WIDE, VEC)


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


@triton.jit(noinline=True)  # a call: what it keeps in registers is not added to what a team's programs keep
def alone(x_ptr, cols, BLOCK: tl.constexpr):
    """The maximum and the sum of the row at x_ptr, online."""
    top = -float("inf")
    total = 0.0
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x))
        total = total * exponential(top - finite_or_zero(new_top)) + tl.sum(exponential(x - finite_or_zero(new_top)))
        top = new_top
    return top, total


@triton.jit
def out_of_sight(x, PACK: tl.constexpr):
    """x itself, by a way that the compiler cannot see through; PACK elements go in a register."""
    if RUNS_IN_INTERPRETER:
        return x
    return tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], x.dtype, is_pure=False, pack=PACK)


@triton.jit
def unpacked(x):
    """Tiles as fp32."""
    wide = ()
    for k in tl.static_range(len(x)):
        wide += (x[k].to(tl.float32),)
    return wide


@triton.jit
def unpacked_again(x):
    """Tiles as fp32, converted a second time. The compiler would rather keep the first result until then, and 16-bit
    elements would need twice the registers."""
    wide = ()
    for k in tl.static_range(len(x)):
        wide += (out_of_sight(x[k], 32 // x[k].dtype.primitive_bitwidth).to(tl.float32),)
    return wide


@triton.jit
def as_word(top, total):
    """Maximum and sum in one word of 64 bits: whoever sees it sees both, and no fence is needed. It is never zero,
    since a sum of 0 goes with a maximum of -inf."""
    return top.to(tl.int32, bitcast=True).to(tl.int64) << 32 | total.to(tl.uint32, bitcast=True).to(tl.int64)


@triton.jit
def as_pair(word):
    return (word >> 32).to(tl.int32).to(tl.float32, bitcast=True), word.to(tl.int32).to(tl.float32, bitcast=True)


@triton.jit(noinline=True)  # a call: what it keeps in registers is not added to what a team's programs keep
def collect(words_ptr, parts, SLOTS: tl.constexpr):
    """Waits for all parts' words and joins them: a word, or 0 if patience ended."""
    slot = tl.arange(0, SLOTS)
    missing = parts
    asked = 0
    while (missing > 0) & (asked < PATIENCE):
        # Adding 0 reads the words where all programs meet, in L2.
        seen = tl.atomic_add(words_ptr + slot, tl.zeros((SLOTS,), tl.int64), mask=slot < parts, sem="relaxed")
        missing = tl.sum(((slot < parts) & (seen == 0)).to(tl.int32))
        asked += 1
    words = tl.load(words_ptr + slot, mask=slot < parts, other=0, cache_modifier=".cg")
    tops, totals = as_pair(words)
    top, total = join(tl.where(slot < parts, tops, -float("inf")), tl.where(slot < parts, totals, 0.0))
    return as_word(top, total) * (missing == 0).to(tl.int64)


@triton.jit(noinline=True)
def await_word(word_ptr):
    """The row's word, or 0 if patience ended."""
    word = tl.atomic_add(word_ptr, 0, sem="relaxed")
    asked = 0
    while (word == 0) & (asked < PATIENCE):
        word = tl.atomic_add(word_ptr, 0, sem="relaxed")
        asked += 1
    return word


@triton.autotune(
    configs=[triton.Config({"EACH": each}, num_warps=warps, maxnreg=regs) for each, warps, regs in TEAM_CONFIGS],
    key=["ALLOWED", "SLOTS", "VEC", "EDGES"],
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
    x_phase,
    y_phase,
    words_ptr,  # int64 zeros, SLOTS + 1 a row: the row's word, then its parts'
    ALLOWED: tl.constexpr,  # which configurations may be tried, a bit each
    SLOTS: tl.constexpr,  # the most parts that a row has in any of them, a power of two
    WIDTH: tl.constexpr,
    VEC: tl.constexpr,
    LINE: tl.constexpr,
    EDGES: tl.constexpr,
    EACH: tl.constexpr,
    num_warps: tl.constexpr,
):
    """A program keeps one part of one row in registers, tells the others its maximum and sum, and waits for theirs."""
    LANES: tl.constexpr = 32 * num_warps * (WIDTH // VEC)
    ALIGN: tl.constexpr = LINE if EDGES else VEC
    SINGLES: tl.constexpr = (ALIGN + VEC + LANES - 1) // LANES if EDGES else 0
    parts = tl.cdiv(cols, 32 * num_warps * EACH * WIDTH)
    row = (tl.program_id(0) // parts).to(tl.int64)
    part = tl.program_id(0) % parts
    begin, length = part_of(cols, parts, part, LINE)
    x_base, x_start = nearby(x_ptr, x_phase, row * x_stride + begin, ALIGN, EDGES)
    y_base, y_start = nearby(y_ptr, y_phase, row * y_stride + begin, ALIGN, EDGES)
    x_start += tl.zeros((1, 1), tl.int32)
    y_start += tl.zeros((1, 1), tl.int32)

    raw, raw_singles = read(x_base, x_start, length, ALIGN, LANES, EACH, SINGLES, VEC)
    singles = unpacked(raw_singles)
    top = largest(unpacked(raw), singles)
    _, _, total = exponentials(unpacked_again(raw), singles, finite_or_zero(top))

    # The row's words: parts write theirs, and wait until they know the row's.
    words_ptr += row * (SLOTS + 1)
    tl.atomic_xchg(words_ptr + 1 + part, as_word(tl.max(top), tl.sum(total)), sem="relaxed")
    if SLOTS <= FEW_PARTS:
        word = collect(words_ptr + 1, parts, SLOTS)
    else:
        if part == 0:
            tl.atomic_xchg(words_ptr, collect(words_ptr + 1, parts, SLOTS), sem="relaxed")
        word = await_word(words_ptr)
    if word == 0:
        # GPUs start programs in the order of their numbers, so that the first unfinished row soon has all its parts;
        # but nobody promises it. Programs that wait for one that cannot start would wait for ever: go on alone.
        row_top, row_total = alone(x_ptr + row * x_stride, cols, 32 * num_warps)
        word = as_word(row_top, row_total)
    row_top, row_total = as_pair(word)
    zero = tl.zeros((1, 1), tl.float32)
    pieces, singles, _ = exponentials(unpacked_again(raw), singles, row_top + zero)
    write(y_base, y_start, length, pieces, singles, 1.0 / row_total + zero, ALIGN, LANES, VEC)


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
    pieces, singles = read(base, start, length, ALIGN, LANES, EACH, SINGLES, VEC)
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
    y_ptr,
    cols,
    x_stride,
    y_stride,
    x_phase,
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
    y_base, y_start = nearby(y_ptr, y_phase, row * y_stride + begin, ALIGN, EDGES)
    x_start += tl.zeros((1, 1), tl.int32)
    y_start += tl.zeros((1, 1), tl.int32)
    pieces, singles = read(x_base, x_start, length, ALIGN, LANES, EACH, SINGLES, VEC)
    pieces, singles = unpacked(pieces), unpacked(singles)
    slot = tl.arange(0, PARTS)
    tops = tl.load(maxima_ptr + row * parts + slot, mask=slot < known, other=-float("inf"))
    totals = tl.load(sums_ptr + row * parts + slot, mask=slot < known, other=0.0)
    row_top, row_total = join(tops, totals)
    zero = tl.zeros((1, 1), tl.float32)
    pieces, singles, _ = exponentials(pieces, singles, row_top + zero)
    write(y_base, y_start, length, pieces, singles, 1.0 / row_total + zero, ALIGN, LANES, VEC)


def alignment_of(x: torch.Tensor, out: torch.Tensor) -> dict[str, int | bool]:
    """Where x and out start, and the widest boundary that falls on the same columns in both; in elements."""
    line = 128 // x.element_size()
    x_phase, y_phase = (t.data_ptr() // t.element_size() % line for t in (x, out))
    x_stride, y_stride = (t.stride(0) if t.shape[0] > 1 else 0 for t in (x, out))
    while (x_phase - y_phase) % line or (x_stride - y_stride) % line:
        line //= 2
    width = 16 // x.element_size()
    vec = min(width, line)
    ragged = bool(x_phase % vec or x_stride % vec or x.shape[1] % vec)
    return {"x_phase": x_phase, "y_phase": y_phase, "WIDTH": width, "VEC": vec, "LINE": line, "EDGES": ragged}


def vectors_in(cols: int, WIDTH: int, VEC: int, EDGES: bool, **_) -> int:
    """Vectors that a row's body needs, if its edges take 2 VEC elements. Rounded: rows of a length share a kernel."""
    vectors = max(1, triton.cdiv(cols - (2 * VEC if EDGES else 0), WIDTH))
    unit = max(1, triton.next_power_of_2(vectors) // 16)
    return triton.cdiv(vectors, unit) * unit


def launch_tile(x: torch.Tensor, out: torch.Tensor):
    """Launches `tile`; returns what `prepared` needs to launch it again."""
    (rows, cols), strides, where = x.shape, (x.stride(0), out.stride(0)), alignment_of(x, out)
    constants = where | {"VECTORS": vectors_in(cols, **where), "FAR": max(strides) >= 2**25, "FEW": rows <= 512}

    def grid(meta):
        return (triton.cdiv(rows, max(1, 32 * meta["num_warps"] // meta["LANES"])),)

    kernel = tile[grid](x, out, rows, cols, *strides, **constants)
    return tile, kernel, grid, {"rows": rows, "cols": cols} | constants


def launch_team(x: torch.Tensor, out: torch.Tensor, allowed: int, slots: int):
    """Launches `team`; returns what `prepared` needs to launch it again."""
    (rows, cols), strides, where = x.shape, (x.stride(0), out.stride(0)), alignment_of(x, out)
    words = torch.zeros(rows * (slots + 1), dtype=torch.int64, device=x.device)
    constants = where | {"ALLOWED": allowed, "SLOTS": slots}
    grid = team_grid(rows, cols, where["WIDTH"], slots)
    kernel = team[grid](x, out, cols, *strides, words_ptr=words, **constants)
    return team, kernel, grid, {"cols": cols} | constants


def launch_split(x: torch.Tensor, out: torch.Tensor) -> None:
    """Two launches, for rows of any length."""
    (rows, cols), strides, where = x.shape, (x.stride(0), out.stride(0)), alignment_of(x, out)
    vectors, warps = 32 // where["WIDTH"], 4
    parts = parts_of(cols, where["WIDTH"], vectors, warps)
    maxima, sums = torch.empty((2, rows, parts), dtype=torch.float32, device=x.device)
    scratch = {"maxima_ptr": maxima, "sums_ptr": sums, "parts": parts, "EACH": vectors, "num_warps": warps}
    x_where = {k: v for k, v in where.items() if k != "y_phase"}
    reduce_part[(rows * parts,)](x, cols, strides[0], **x_where, **scratch)
    if parts > MANY_PARTS:
        join_parts[(rows,)](maxima, sums, parts, BLOCK=MANY_PARTS)
    known = parts if parts <= MANY_PARTS else 1
    write_part[(rows * parts,)](
        x, out, cols, *strides, known=known, PARTS=triton.next_power_of_2(known), **where, **scratch
    )


# Triton finds kernel and configuration anew at each call, which takes the host longer than a short kernel runs. Tensors
# of the same shape, type and alignment get the kernel that the first of them got, called directly.
LAUNCHES: dict = {}
MOST_LAUNCHES = 4096  # remembered; then they are forgotten, all at once


def prepared(x: torch.Tensor, out: torch.Tensor, tuned, kernel, grid, values: dict):
    """A function of x and out that launches `kernel` as `tuned` did."""
    values = values | {"x_stride": x.stride(0), "y_stride": out.stride(0)} | tuned.best_config.all_kwargs()
    order = [values.get(name) for name in tuned.arg_names]
    start = kernel[(*grid(values), 1, 1)]
    slots = values.get("SLOTS")
    if slots is None:
        return lambda x, out: start(x, out, *order[2:])
    size, at = x.shape[0] * (slots + 1), tuned.arg_names.index("words_ptr")
    return lambda x, out: start(
        x, out, *order[2:at], torch.zeros(size, dtype=torch.int64, device=x.device), *order[at + 1 :]
    )


def launch_first(x: torch.Tensor, out: torch.Tensor, key: tuple) -> None:
    """Chooses the scope, launches, and remembers how."""
    shared = x.untyped_storage().data_ptr() == out.untyped_storage().data_ptr()
    if shared:
        x = x.clone()  # the autotuner runs a kernel many times, and a program may go on alone: x must outlive that
    cols = x.shape[1]
    allowed, slots = teams_for(cols, 16 // x.element_size(), largest_team(x))
    if cols > TILE_COLS and not allowed:
        return launch_split(x, out)
    launched = launch_tile(x, out) if cols <= TILE_COLS else launch_team(x, out, allowed, slots)
    if x.get_device() >= 0 and not shared:
        if len(LAUNCHES) >= MOST_LAUNCHES:
            LAUNCHES.clear()
        LAUNCHES[key] = prepared(x, out, *launched)
    return None


def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), fp32, fp16 or bf16, inner stride 1; writes `out` and returns it.

    `out` has x's shape and dtype; its rows may lie at any stride; it may be x itself. Raises ValueError otherwise.
    """
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    shared = x.data_ptr() == out.data_ptr()
    device = x.get_device()  # -1: not on a GPU
    places = x.data_ptr() % 128, out.data_ptr() % 128, device, out.get_device(), shared
    key = (x.shape, x.stride(), x.dtype, out.shape, out.stride(), out.dtype, *places)
    again = LAUNCHES.get(key)
    if again and device == torch.cuda.current_device():
        again(x, out)
        return out
    for t in (x, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError(f"softmax_triton wants 2-D tensors of inner stride 1, not {tuple(t.shape)}, {t.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"softmax_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    if x.device != out.device:
        raise ValueError(f"softmax_triton wants x and out on one device, not {x.device} and {out.device}")
    if device >= 0:
        with torch.cuda.device(device):  # a kernel is launched on the current device, wherever its tensors are
            launch_first(x, out, key)
    else:
        launch_first(x, out, key)
    return out
