"""The mistakes that people make in a vector addition, each made on purpose on the inputs of a case.

Causes are message keys: replay.add-NAME. tests/slips has kernels that make them for real.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import THREADS, Mistake, Replayed, later


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """out of shape (n,) under each mistake; not yet rounded to the element type."""
    a, b = (case.inputs[name].astype(np.float32) for name in ("a", "b"))
    yield Mistake("add-minus", lambda: a - b)
    yield Mistake("add-times", lambda: a * b)
    yield Mistake("add-copy", lambda: a, {"name": "a"})
    yield Mistake("add-copy", lambda: b, {"name": "b"})
    yield Mistake("add-twice", lambda: a + a, {"name": "a"})
    yield Mistake("add-twice", lambda: b + b, {"name": "b"})
    yield Mistake("add-once-more", lambda: (a + b) + a, {"name": "a"})
    yield Mistake("add-once-more", lambda: (a + b) + b, {"name": "b"})
    yield Mistake("element-absolute", lambda: np.abs(a) + b, {"name": "a"})
    yield Mistake("element-absolute", lambda: a + np.abs(b), {"name": "b"})
    yield Mistake("add-zeros", lambda: np.zeros_like(a))
    yield Mistake("add-first-everywhere", lambda: np.full_like(a, a[0] + b[0]))
    yield Mistake("add-integer", lambda: np.trunc(a + b))
    yield Mistake("add-integer", lambda: np.trunc(a) + np.trunc(b), variant="each")
    yield Mistake("add-shifted", lambda: np.roll(a, -1) + b, {"name": "a"})
    yield Mistake("add-shifted", lambda: a + np.roll(b, -1), {"name": "b"})
    yield Mistake("add-reversed", lambda: (a + b)[::-1])
    yield Mistake("add-reversed", lambda: a[::-1] + b, variant="a")
    yield Mistake("add-reversed", lambda: a + b[::-1], variant="b")
    for threads in THREADS:
        own = np.arange(a.size) % threads
        yield Mistake("add-index-of-block", later(lambda at: a[at] + b, own), {"name": "a"}, threads)
        yield Mistake("add-index-of-block", later(lambda at: a + b[at], own), {"name": "b"}, threads)
        block = np.arange(a.size) // threads
        yield Mistake("add-number-of-block", later(lambda at: a[at] + b, block), {"name": "a"}, threads)
        yield Mistake("add-number-of-block", later(lambda at: a + b[at], block), {"name": "b"}, threads)
    for kind in (np.float16,):
        yield Mistake("add-narrow", later(lambda k: a.astype(k) + b.astype(k), kind), {"type": "float16"})
        yield Mistake("add-narrow", later(lambda k: (a + b).astype(k), kind), {"type": "float16"}, "result")
