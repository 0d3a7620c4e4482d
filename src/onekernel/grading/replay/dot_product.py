"""The mistakes that people make in a dot product, each made on purpose on the inputs of a case.

Causes are message keys: replay.dot-NAME, or those of a sum (sums.py). tests/slips has kernels that make them for real.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay.base import THREADS, Mistake, Replayed, later
from onekernel.grading.replay.elements import exchanged
from onekernel.grading.replay.sums import STEP, integer_sums, narrow_sums, reached, visits, weightings

PER_THREAD = (1, 2, 4, 8, 16, 32)
BLOCKS = (2, 4, 8, 16, 32, 64)
MOST_BLOCKS = (16, 32, 64, 128, 256, 512, 1024, 65_535)
LONG = 5000  # products from which on a sum in steps is not made: a step of Python for each


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """out of shape (1,) under each mistake that this case can show; not yet rounded to the element type."""
    a, b = case.inputs["a"], case.inputs["b"]
    products = a * b
    n = products.size
    yield Mistake("dot-sum-of-a", lambda: np.array([a.sum()]))
    yield Mistake("dot-sum-of-a", lambda: np.array([b.sum()]), variant="b")
    yield Mistake("dot-squares", lambda: np.array([a @ a]))
    yield Mistake("dot-squares", lambda: np.array([b @ b]), variant="b")
    yield Mistake("dot-plus-for-times", lambda: np.array([(a + b).sum()]))
    yield Mistake("dot-nothing-added", lambda: np.zeros(1))
    yield Mistake("dot-absolute", lambda: np.array([np.abs(products).sum()]))
    seen = np.where((a == 0) | (b == 0), 0, products)
    yield Mistake("dot-zeros-skipped", lambda: np.array([seen.sum()]))
    for name, vector, other in (("a", a, b), ("b", b, a)):
        yield from exchanged(name, vector, partial(_dot, other), threads_of_row=())
        yield Mistake("dot-factor-twice", later(_dot, other, vector * vector), {"name": name})
    yield from _of_blocks(products, {128, 256, 512, case.block or 256})
    yield Mistake("dot-mean", lambda: np.array([products.sum() / n]))
    for threads in THREADS:
        own = np.arange(n) % threads
        yield Mistake("add-index-of-block", later(lambda at: np.array([a[at] @ b]), own), {"name": "a"}, threads)
        yield Mistake("add-index-of-block", later(lambda at: np.array([a @ b[at]]), own), {"name": "b"}, threads)
        times = later(lambda t: np.array([t * products.sum()]), threads)
        yield Mistake("dot-every-thread", times, variant=threads)
        for each in PER_THREAD:
            most = threads * each
            if n > most:
                yield Mistake("dot-first-block", later(lambda k: np.array([products[:k].sum()]), most), variant=most)
    for cause, variant, weights in weightings(n):
        yield Mistake(cause, later(lambda w: _weighted(products, w()), weights), variant=variant)
    if n > LONG:
        yield Mistake("dot-serial", lambda: np.add.accumulate(products.astype(np.float32))[-1:])
        return
    row = products.astype(np.float32)[None]
    for kind in ("float16", "bfloat16"):
        for variant, sums in narrow_sums(row, kind):
            yield Mistake("sum-narrow", later(lambda s: s().ravel(), sums), {"type": kind}, variant, STEP[kind])
    for variant, sums in integer_sums(row):
        yield Mistake("sum-integer", later(lambda s: s().ravel(), sums), variant=variant)


def _of_blocks(products: np.ndarray, sizes: set[int]) -> Iterator[Mistake]:
    """Blocks of a grid, of one of those `sizes`, whose sums are not all joined, or not by +."""
    at = np.arange(products.size)
    for threads in sorted(sizes):
        for rule, blocks in _grids(at.size, threads).items():
            yield from _blocks_left(products, threads, blocks, rule)
            block = at // threads % max(blocks, 1)
            for end, number in {"first": 0, "last": blocks - 1}.items():
                others = later(_weighted, products, block != number)
                yield Mistake("dot-block-lost", others, variant=(threads, rule, end))
            twice = later(_by_odd_trees, products, threads, blocks)
            yield Mistake("sum-odd-tree", twice, variant=("of blocks", threads, rule))
            overlap = later(lambda t, b: _weighted(products, visits(at.size, t * b, t)), threads, blocks)
            yield Mistake("sum-wrong-step", overlap, variant=("of a block", threads, rule))
            for step in (2, 4, 8):
                often = later(_rest_often, products, blocks, step)
                yield Mistake("dot-rest-often", often, variant=(threads, rule, step))
        for blocks in BLOCKS:
            block = at // threads % blocks
            for lost in (0, blocks - 1):
                others = later(_weighted, products, block != lost)
                yield Mistake("dot-block-lost", others, variant=(threads, blocks, lost))
            yield from _blocks_left(products, threads, blocks, blocks)
            yield Mistake("sum-last-alone", later(_weighted, products, block == blocks - 1), variant=(threads, blocks))
            yield Mistake("dot-first-block", later(_weighted, products, block == 0), variant=(threads, blocks))
            for one in (0, blocks - 1):
                times = later(lambda block, one, n: _weighted(products, n * (block == one)), block, one, blocks)
                yield Mistake("dot-one-block-often", times, variant=(threads, blocks, one))
            sums = later(lambda block, n: np.bincount(block, products, n), block, blocks)
            for of in (1, 32) if threads % 32 == 0 else (1,):  # a thread's sum, or a warp's
                of_threads = partial(_by_maximum, products, threads, blocks, of)
                yield Mistake("sum-by-maximum", of_threads, variant=(threads, blocks, of))
            for start in (0.0, -np.inf):
                largest = later(lambda sums, start: np.array([max(start, sums().max())]), sums, start)
                yield Mistake("dot-blocks-by-maximum", largest, variant=(threads, blocks, start))


def _blocks_left(products: np.ndarray, threads: int, blocks: int, rule: Hashable) -> Iterator[Mistake]:
    """A warp, or a block, joins the blocks' sums, each of its threads one: fewer than there are. `rule` gives their
    number."""
    block = np.arange(products.size) // threads % max(blocks, 1)
    for kept in sorted({*THREADS, threads}):
        first = later(lambda block, kept: _weighted(products, block < kept), block, kept)
        yield Mistake("dot-blocks-left", first, {"kept": kept * threads}, (threads, rule))


def _by_odd_trees(products: np.ndarray, threads: int, blocks: int) -> np.ndarray:
    """A tree that halves rounding down adds up each block, and then the blocks' sums, dealt to its threads."""
    at, kept = np.arange(products.size), reached(threads)
    return _weighted(products, kept[at % threads] & kept[at // threads % max(blocks, 1) % threads])


def _grids(n: int, threads: int) -> dict[Hashable, int]:
    """Numbers of blocks, by the rule that gives them: as many always, or as n needs, up to so many."""
    needed = {each: -(-n // (threads * each)) for each in PER_THREAD[:5]}
    grids: dict[Hashable, int] = {most: most for most in MOST_BLOCKS}
    return grids | {(each, most): min(blocks, most) for each, blocks in needed.items() for most in MOST_BLOCKS}


def _rest_often(products: np.ndarray, blocks: int, step: int) -> np.ndarray:
    """What is left after whole steps, once for every block."""
    return _weighted(products, np.where(np.arange(products.size) < products.size // step * step, 1, blocks))


def _by_maximum(products: np.ndarray, threads: int, blocks: int, of: int) -> np.ndarray:
    """The largest sum of `of` threads in place of their block's; the blocks' are added."""
    thread = np.arange(products.size) % (threads * blocks)
    sums = np.bincount(thread, products, threads * blocks).reshape(blocks, -1, of).sum(axis=2)
    return np.array([sums.max(axis=1).sum()])


def _dot(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.array([one @ other])


def _weighted(products: np.ndarray, often: np.ndarray) -> np.ndarray:
    return np.array([np.where(often > 0, products * often, 0).sum()])
