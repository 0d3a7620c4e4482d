"""The mistakes that people make in C = alpha * A op(B) + beta * C.

Causes are message keys: replay.gemm-NAME.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.elements import exchanged
from onekernel.grading.replay.gemm_threads import as_often, products
from onekernel.grading.replay.sums import LIMITS, NARROW, STEP
from onekernel.ops.base import DTYPES

DEPTHS = (2, 4, 8, 16, 32, 64)  # the usual tiles along k
SIDES = (16, 32, 64, 128, 256)  # of tiles of C
MOST_STEPS = 600  # of a sum that is rounded at each: longer ones are left to shorter inputs
MMA_DEPTH = 16  # products that one instruction of Tensor Cores adds to each sum
TF32 = 13  # bits of a float32 that it loses: what is left is as precise as float16


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """c of shape (m, n) under each mistake that this case can show; not yet rounded to the element type."""
    a, b = case.inputs["a"], _across(case, case.inputs["b"])
    product = a @ b
    yield from _of_scalars(case, product)
    yield from exchanged("A", a, lambda other: _ended(case, other @ b), threads_of_row=())
    for form in (None, bool(case.inputs["transpose_b"])):  # of both forms of B, or of this one alone
        yield from exchanged("B", b, lambda other: _ended(case, a @ other), form, ())
    yield from _of_sums(case, a, b)
    yield from _of_tiles(case, a, b)
    yield from _of_addresses(case, a, b)
    yield from _of_fragments(case, a, b)
    yield from _of_rounding(case, a, b, product)
    yield from _wrapped(case, product)
    for m in products(a, b, DEPTHS):
        yield replace(m, make=later(lambda make: _ended(case, make()), m.make))


def _across(case: Replayed, b: np.ndarray) -> np.ndarray:
    """op(B), (k, n), of B as it is stored."""
    return b.T if case.inputs["transpose_b"] else b


def _ended(case: Replayed, product: np.ndarray) -> np.ndarray:
    """The product with alpha and beta, as it should be."""
    scaled = case.inputs["alpha"] * product
    return np.asarray(scaled + case.inputs["beta"] * case.inputs["c"] if case.inputs["beta"] else scaled)


def _of_scalars(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    scaled_c = beta * case.inputs["c"] if beta else np.zeros_like(product)
    yield Mistake("gemm-alpha-twice", lambda: alpha * alpha * product + scaled_c)
    yield Mistake("gemm-alpha-added", lambda: alpha + product + scaled_c)
    for first in (1, -1):
        yield Mistake("gemm-sum-from", later(lambda f: alpha * (product + f) + scaled_c, first), {"first": first})
    if not beta:
        yield Mistake("gemm-integer-scalars", lambda: np.trunc(alpha) * product)
    yield Mistake("gemm-no-alpha", lambda: product + beta * case.inputs["c"] if beta else product)
    if not beta:  # C was not read
        yield from (Mistake(f"gemm-{name}", lambda: alpha * product) for name in (
            "no-beta", "beta-one", "alpha-on-c", "beta-on-all", "beta-twice", "minus-beta", "beta-sign", "alpha-zero"
        ))  # fmt: skip
        yield Mistake("gemm-no-product", lambda: np.zeros_like(product))
        yield Mistake("gemm-c-at-beta-zero", lambda: np.full_like(product, np.nan))
        return
    c = case.inputs["c"]
    whole = np.trunc(alpha), np.trunc(beta)
    yield Mistake("gemm-integer-scalars", lambda: whole[0] * product + (whole[1] * c if whole[1] else 0))
    yield Mistake("gemm-no-beta", lambda: alpha * product)
    yield Mistake("gemm-beta-one", lambda: alpha * product + c)
    yield Mistake("gemm-alpha-on-c", lambda: alpha * (product + beta * c))
    yield Mistake("gemm-beta-on-all", lambda: beta * (alpha * product + c))
    yield Mistake("gemm-no-product", lambda: beta * c)
    yield Mistake("gemm-beta-twice", lambda: alpha * product + beta * beta * c)
    yield Mistake("gemm-minus-beta", lambda: alpha * product - beta * c)
    yield Mistake("gemm-beta-sign", lambda: alpha * product + max(beta, 0) * c)
    yield Mistake("gemm-alpha-zero", lambda: alpha * product + beta * c if alpha else 0 * product)


def _wrapped(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    """Tiles whose rows and columns beyond C's begin again at its first, `% m`: beta scales what another has stored."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    for side in (2, 4, 8, *SIDES):
        for of in ("rows", "columns"):
            again = later(_last_again, case, product, side, of)
            kept = later(lambda p: alpha * p, product)
            yield Mistake("gemm-last-again", again if beta else kept, variant=(side, of), step=case.step)
    for side in SIDES:
        for of in ("both", "rows", "columns"):
            make = later(_stored_again, case, product, side, of)
            right = later(lambda p: alpha * p, product)
            yield Mistake("gemm-wrapped-rows", make if beta else right, variant=(side, of), step=case.step)


def _last_again(case: Replayed, product: np.ndarray, side: int, of: str) -> np.ndarray:
    """Rows, or columns, beyond the last are the last one: stored as often."""
    alpha, beta, c = (case.inputs[name] for name in ("alpha", "beta", "c"))
    often = np.ones(product.shape, int)
    if of == "rows":
        often[-1:] += -product.shape[0] % side
    else:
        often[:, -1:] += -product.shape[1] % side
    for turn in range(int(often.max(initial=0))):
        c = np.where(turn < often, case.own(alpha * product + beta * c), c)
    return np.asarray(c)


def _stored_again(case: Replayed, product: np.ndarray, side: int, of: str) -> np.ndarray:
    """Each element as often as tiles of that side come to it."""
    alpha, beta, c = (case.inputs[name] for name in ("alpha", "beta", "c"))
    m, n = product.shape
    times_down = 1 + (np.arange(m) < -m % side) * (of != "columns")
    times_aside = 1 + (np.arange(n) < -n % side) * (of != "rows")
    often = times_down[:, None] * times_aside
    for turn in range(int(often.max(initial=0))):
        c = np.where(turn < often, case.own(alpha * product + beta * c), c)
    return np.asarray(c)


def _of_sums(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Products that are left out of the sum, or taken twice."""
    k = a.shape[1]

    def weighted(often: np.ndarray) -> np.ndarray:
        return _ended(case, as_often(a, b, often))

    at = np.arange(k)
    yield Mistake("gemm-skips-last", later(weighted, at < k - 1))
    yield Mistake("gemm-skips-first", later(weighted, at > 0))
    for depth in (1, *DEPTHS):  # of the last tile, which may end beyond k
        yield Mistake("gemm-last-alone", later(weighted, at == -(-k // depth) * depth - 1), variant=depth)
    for limit in (n for n in LIMITS if n < k):
        yield Mistake("gemm-k-limited", later(weighted, at < limit), {"limit": limit})
    for depth in DEPTHS:
        yield Mistake("gemm-tail-lost", later(weighted, at < k // depth * depth), {"depth": depth})
        yield Mistake("gemm-first-tile", later(weighted, at < depth), {"depth": depth})
        stale = later(lambda d: _ended(case, _stale(a, d) @ _stale(b.T, d).T), depth)
        yield Mistake("gemm-tile-before", stale, {"depth": depth})
        last = (k - 1) // depth * depth  # where the last tile begins
        after = (at >= depth) * (1 + (at >= last)) if last > 0 else np.ones(k, int)  # of one tile there is none
        yield Mistake("gemm-tile-after", later(weighted, after), {"depth": depth})
        for coarse in (32 * depth, 64 * depth, 128 * depth):  # the step of a warp, or of more threads
            begun = (at >= k // coarse * coarse) & (at < k // depth * depth)
            yield Mistake("gemm-rest-early", later(weighted, 1 + begun), {"depth": depth}, variant=coarse)


def _of_tiles(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """What a tile along k brings to the sums: all of the last one alone, none of it, a part of each, what stands beyond
    the end of k; and tiles that are read the wrong way round."""
    k = a.shape[1]
    at = np.arange(k)

    def weighted(often: np.ndarray) -> np.ndarray:
        return _ended(case, as_often(a, b, often))

    def with_edges(more: int, of_a: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        return _ended(case, a @ b + more * of_a * of_b)

    for depth in DEPTHS:
        of_last = (k - 1) // depth * depth  # where the last tile begins
        values = {"depth": depth}
        again = (at < depth) * -(-k // depth)
        yield Mistake("gemm-first-tile-often", later(weighted, again), values)
        swapped = later(_operands_swapped, case, a, b, depth)
        yield Mistake("gemm-operands-swapped", swapped, variant=depth)
        yield Mistake("gemm-last-tile-alone", later(weighted, at >= of_last), values)
        yield Mistake("gemm-last-tile-lost", later(weighted, at < of_last), values)
        yield Mistake("gemm-first-tile-lost", later(weighted, at >= depth), values)
        yield Mistake("gemm-tiles-skipped", later(weighted, at // depth % 2 == 0), values)
        for taken in sorted({depth // 2, depth - 1} - {0}):
            for which, part in {"first": at % depth < taken, "last": at % depth >= depth - taken}.items():
                yield Mistake("gemm-tile-part", later(weighted, part), values | {"taken": taken}, variant=which)
        yield Mistake("gemm-tile-indices", later(_exchanged, case, a, b, depth), values)
        yield Mistake("gemm-stored-each-tile", later(_stored_each_tile, case, a, b, depth), values)
        more = -k % depth
        stale = 1 + ((at >= of_last - depth + k % depth) & (at < of_last)) * (more > 0)
        yield Mistake("gemm-edge-kept", later(weighted, stale), variant=("before", depth))
        if k:
            edges = {"first": (a[:1, :1], b[:1, :1]), "row": (a[:, :1], b[:1]), "last": (a[:, -1:], b[-1:])}
            for which, (of_a, of_b) in edges.items():
                yield Mistake("gemm-edge-kept", later(with_edges, more, of_a, of_b), variant=(which, depth))
        turned_a = later(lambda d: _turned(a, d)[: a.shape[0]] @ _padded(b, d, 1), depth)
        turned_b = later(lambda d: _padded(a, 1, d) @ _turned(b, d)[:, : b.shape[1]], depth)
        for name, make in {"A": turned_a, "B": turned_b}.items():
            ended = later(lambda product: _ended(case, product()), make)
            yield Mistake("gemm-tile-turned", ended, {"name": name}, variant=depth)
        if depth == MMA_DEPTH:  # of fragments, as load_matrix_sync is told that they lie in memory
            for name, make in {"A": turned_a, "B": turned_b}.items():
                ended = later(lambda product: _ended(case, product()), make)
                yield Mistake("gemm-fragment-layout", ended, {"name": name})
            of_c = later(lambda p: _ended(case, _turned(p, MMA_DEPTH)[: p.shape[0], : p.shape[1]]), a @ b)
            yield Mistake("gemm-fragment-layout", of_c, {"name": "C"})
        for form in (True, False):  # of one form of B alone
            made = turned_b if bool(case.inputs["transpose_b"]) is form else later(lambda: a @ b)
            ended = later(lambda product: _ended(case, product()), made)
            yield Mistake("gemm-tile-turned", ended, {"name": "B"}, variant=(depth, form))


def _operands_swapped(case: Replayed, a: np.ndarray, b: np.ndarray, side: int) -> np.ndarray:
    """Square tiles of B times those of A, which belong together and stand the wrong way round."""
    tiles_a, tiles_b = (_padded(x, side, side) for x in (a, b))
    rows, depth, cols = (n // side for n in (*tiles_a.shape, tiles_b.shape[1]))
    of_a = tiles_a.reshape(rows, side, depth, side)
    of_b = tiles_b.reshape(depth, side, cols, side)
    product = np.einsum("pxjy,iypz->ixjz", of_b, of_a, optimize=True).reshape(rows * side, cols * side)
    return _ended(case, product[: a.shape[0], : b.shape[1]])


def _exchanged(case: Replayed, a: np.ndarray, b: np.ndarray, side: int) -> np.ndarray:
    """Threads of square tiles that load A's column by their y and B's row by their x: each of a tile's products is the
    same one."""
    m, n = a.shape[0], b.shape[1]
    whole_a, whole_b = _padded(a, side, side), _padded(b, side, side)
    total = np.zeros((whole_a.shape[0], whole_b.shape[1]))
    row, col = np.arange(total.shape[0])[:, None], np.arange(total.shape[1])
    for first in range(0, whole_a.shape[1], side):
        total += side * whole_a[row, first + row % side] * whole_b[first + col % side, col]
    return _ended(case, total[:m, :n])


def _stored_each_tile(case: Replayed, a: np.ndarray, b: np.ndarray, depth: int) -> np.ndarray:
    """C stored after each tile along k, of the sum so far: beta scales what the turn before has stored."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    if not beta or not a.shape[1]:
        return _ended(case, a @ b)
    c = case.inputs["c"]
    for first in range(0, a.shape[1], depth):
        c = alpha * (a[:, : first + depth] @ b[: first + depth]) + beta * c
    return np.asarray(c)


def _turned(x: np.ndarray, side: int) -> np.ndarray:
    """x, padded with zeros to whole square tiles of that side, each of them read with row and column exchanged."""
    whole = _padded(x, side, side)
    tiles = whole.reshape(whole.shape[0] // side, side, whole.shape[1] // side, side)
    return np.asarray(tiles.transpose(0, 3, 2, 1).reshape(whole.shape))


def _stale(rows: np.ndarray, depth: int) -> np.ndarray:
    """Columns as one sees them who multiplies with the tile before: the first tile twice, the last one never."""
    tiles = -(-rows.shape[1] // depth)
    whole = np.zeros((rows.shape[0], tiles * depth))
    whole[:, : rows.shape[1]] = rows
    return np.concatenate([whole[:, :depth], whole[:, : (tiles - 1) * depth]], axis=1)


def _of_addresses(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Other elements of A and B in the place of the right ones."""
    (m, k), n, strides = a.shape, b.shape[1], case.row_strides
    turned = bool(case.inputs["transpose_b"])

    def with_a(rows: int, cols: int, down: int, aside: int) -> np.ndarray:
        return _ended(case, _read(case.memory["a"], rows, cols, down, aside) @ b)

    def with_b(down: int, aside: int) -> np.ndarray:
        return _ended(case, a @ _read(case.memory["b"], k, n, down, aside))

    yield Mistake("gemm-a-turned", later(with_a, m, k, 1, strides["a"]))
    other_form = later(with_b, *((strides["b"], 1) if turned else (1, strides["b"])))
    right = later(lambda: _ended(case, a @ b))
    yield Mistake("gemm-b-turned", other_form)
    yield Mistake("gemm-transpose-ignored", other_form if turned else right)
    yield Mistake("gemm-transpose-always", right if turned else other_form)
    for cause, stride in {"k": k, "ldb": strides["b"], "ldc": strides["c"], "n": n}.items():
        yield Mistake(f"gemm-lda-{cause}", later(with_a, m, k, stride, 1))
    if turned:  # what a transposed view keeps in memory: its strides are exchanged, and nothing else
        yield Mistake("gemm-view-as-dense", later(with_b, 1, 1), variant="both strides 1")
    else:
        yield Mistake("gemm-view-as-dense", lambda: _ended(case, a @ b), variant="both strides 1")
    reshaped = later(lambda: _ended(case, a @ (case.inputs["b"].reshape(k, n) if turned else b)))
    yield Mistake("gemm-view-as-dense", reshaped, variant="reshaped")
    for plain in ("dense, too", "strided"):
        made = later(with_b, n if turned or plain == "dense, too" else strides["b"], 1)
        yield Mistake("gemm-view-as-dense", made, variant=plain)
    own = {"k": k} if turned else {"n": n}
    for cause, stride in {**own, "lda": strides["a"], "ldc": strides["c"]}.items():
        yield Mistake(f"gemm-ldb-{cause}", later(with_b, *((1, stride) if turned else (stride, 1))))


def _read(memory: np.ndarray, rows: int, cols: int, down: int, aside: int) -> np.ndarray:
    """The matrix that begins at `memory`, with those distances between its elements; what is not there is NaN."""
    at = np.arange(rows)[:, None] * down + np.arange(cols) * aside
    return np.where(at < memory.size, memory[np.minimum(at, memory.size - 1)], np.nan)


def _of_fragments(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Lanes that take other elements of mma.m16n8k16's matrices than they hold, in tiles of 16 x 8 of C. The map: PTX
    ISA, "Matrix Fragments for mma.m16n8k16"."""
    of_a, of_b = _padded(a, 16, 16), _padded(b, 16, 8)
    (rows, depth), cols = of_a.shape, of_b.shape[1]
    row, col, p = np.arange(rows), np.arange(cols), np.arange(depth)

    def ended(product: np.ndarray) -> np.ndarray:
        return _ended(case, product[: a.shape[0], : b.shape[1]])

    def stored(rows_of: np.ndarray, cols_of: np.ndarray) -> np.ndarray:
        """What C has where its element (r, c) is one that belongs to (rows_of, cols_of)."""
        return ended((of_a @ of_b)[rows_of, cols_of])

    eight_down, eight_aside = row[:, None] // 8 * 8, col // 8 * 8
    yield Mistake("gemm-fragment-c-turned", later(stored, eight_down + col % 8, eight_aside + row[:, None] % 8))
    pairs = row // 16 * 16 + row % 16 // 2 + row % 2 * 8
    yield Mistake("gemm-fragment-c-rows", later(stored, pairs[:, None], col))
    apart = eight_aside + col % 4 * 2 + col % 8 // 4
    yield Mistake("gemm-fragment-c-columns", later(stored, row[:, None], apart))
    upper = (row[:, None] % 16 < 8) == (p % 16 < 8)  # of the quadrants, those that keep their place
    moved = [np.where(upper, x[:, None], x[:, None] ^ 8) if x is row else np.where(upper, x, x ^ 8) for x in (row, p)]
    yield Mistake("gemm-fragment-a-registers", lambda: ended(of_a[moved[0], moved[1]] @ of_b))
    yield Mistake("gemm-fragment-a-rows", lambda: ended(of_a[row // 16 * 16 + row % 8] @ of_b))
    yield Mistake("gemm-fragment-b-registers", lambda: ended(of_a @ of_b[p ^ 8]))
    turned = of_b[p[:, None] // 8 * 8 + col % 8, eight_aside + p[:, None] % 8]
    yield Mistake("gemm-fragment-b-turned", lambda: ended(of_a @ turned))


def _padded(x: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """With zeros up to multiples of `rows` and `cols`."""
    return np.pad(x, [(0, -x.shape[0] % rows), (0, -x.shape[1] % cols)])


def _of_rounding(case: Replayed, a: np.ndarray, b: np.ndarray, product: np.ndarray) -> Iterator[Mistake]:
    for kind, narrow in NARROW.items():
        values = {"type": kind}
        for fused, depth in ((True, 1), (False, 1), *((True, deep) for deep in (MMA_DEPTH, 32, 64))):
            if a.shape[1] <= MOST_STEPS * depth:
                summed = later(lambda t, f, d: _ended(case, _summed(a, b, t, f, d)), narrow, fused, depth)
                yield Mistake("gemm-narrow-sum", summed, values, variant=(fused, depth), step=STEP[kind])
        inputs = later(lambda t: _ended(case, a.astype(t).astype(float) @ b.astype(t).astype(float)), narrow)
        yield Mistake("gemm-narrow-inputs", inputs, values)
        early = later(lambda t: _ended(case, product.astype(t).astype(float)), narrow)
        yield Mistake("gemm-rounded-early", early, values, step=STEP[kind] / 2)
        for part in ("product", "c") if case.dtype == "float32" else ():
            apart = later(_ended_rounded, case, product, narrow, part)
            yield Mistake("gemm-part-rounded", apart, values, variant=part, step=STEP[kind] / 2)
    own = np.dtype(DTYPES[case.dtype])
    for part in ("product", "c"):
        apart = later(_ended_rounded, case, product, own, part)
        yield Mistake("own-type-part", apart, variant=part, step=case.step)
    yield Mistake("own-type-part", lambda: _ended(case, case.own(product)), variant="early", step=case.step)
    for depth in (1, MMA_DEPTH, 32, 64, 128):
        if a.shape[1] <= MOST_STEPS * depth:
            for which in ("sum", "tile"):
                summed = later(lambda d, w: _ended(case, _summed(a, b, own, w == "sum", d, w == "tile")), depth, which)
                yield Mistake("own-type-sum", summed, variant=(which, depth), step=case.step)
    cut = later(lambda bits: _ended(case, _cut(a, bits) @ _cut(b, bits)), TF32)
    yield Mistake("gemm-tf32", cut)


def _ended_rounded(case: Replayed, product: np.ndarray, narrow: np.dtype, part: str) -> np.ndarray:
    """The product with alpha, or C with beta, rounded to a narrow type before the two are added."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    scaled, added = alpha * product, beta * case.inputs["c"] if beta else np.zeros_like(product)
    if part == "product":
        scaled = scaled.astype(narrow).astype(float)
    else:
        added = added.astype(narrow).astype(float)
    return np.asarray(scaled + added)


def _summed(
    a: np.ndarray, b: np.ndarray, narrow: np.dtype, fused: bool, depth: int, wide: bool = False
) -> np.ndarray:
    """The product, each sum rounded to a narrow type after every `depth` products, which
    unless `fused` are rounded, too. `wide`: the sums themselves are not."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for p in range(0, a.shape[1], depth):
        one = a[:, p : p + depth] @ b[p : p + depth]
        one = one if fused else one.astype(narrow).astype(float)
        total = total + one if wide else (total + one).astype(narrow).astype(float)
    return total


def _cut(x: np.ndarray, bits: int) -> np.ndarray:
    """float32 numbers, rounded to that many bits of precision less."""
    whole = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    kept = (whole + (1 << (bits - 1))) & ~np.uint64((1 << bits) - 1)
    return kept.astype(np.uint32).view(np.float32).astype(float)
