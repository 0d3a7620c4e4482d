"""Bits that are taken for something else, in any operator: another type of the same size, or a copy that ends within an
element or a vector.

What comes out then is what the operator makes of those inputs. Causes are message keys: replay.NAME.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.ops.base import DTYPES, Operator

OTHER = {"float16": "bfloat16", "bfloat16": "float16"}
NAMES = {"float16": "__half", "bfloat16": "__nv_bfloat16"}
NAN = 0x7FFF  # what CUDA stores for NaN in either type
VECTOR_BYTES = (16, 8)

Tensors = Mapping[str, np.ndarray]
Right = Callable[[Tensors], np.ndarray]
"""The right output, with these tensors in the place of a call's own."""


def mistakes(operator: Operator, case: Replayed) -> Iterator[Mistake]:
    """The output under each mistake that this case can show; not yet rounded to the element type."""
    (output,) = operator.outputs()

    def right(changed: Tensors) -> np.ndarray:
        return operator.oracle({**case.inputs, **changed})[output.name]

    tensors = {name: values for name, values in case.inputs.items() if values.ndim and values.size}
    read = {p.name: tensors[p.name] for p in operator.inputs() if p.name in tensors}
    if case.dtype in OTHER:
        yield from _other_type(case.dtype, right, tensors, read)
    if case.dtype == "bfloat16":
        yield Mistake("type-by-way-of-half", lambda: _halved(right({})))
        for name, tensor in tensors.items():
            halved = later(lambda n, v: right({n: _halved(v)}), name, tensor)
            yield Mistake("type-by-way-of-half", halved, variant=name)
    for chosen in (read, *({n: v} for n, v in read.items() if len(read) > 1)):
        names = ", ".join(chosen)
        size = DTYPES[case.dtype].itemsize
        for count in range(1, size):
            cut = later(lambda c, n: right({k: _low_bytes(v, case.dtype, n) for k, v in c.items()}), chosen, count)
            yield Mistake("copy-bytes", cut, {"size": size}, (names, count))
        for of in (b // size for b in VECTOR_BYTES):
            for taken in (t for t in (1, 2, 4) if t < of):
                begun = later(lambda c, t, o: right({k: _begun(v, t, o) for k, v in c.items()}), chosen, taken, of)
                yield Mistake("copy-vector", begun, {"taken": taken, "of": of, "name": names})


def _other_type(dtype: str, right: Right, tensors: Tensors, read: Tensors) -> Iterator[Mistake]:
    """Tensors of 16 bits read, or written, as the other type of as many; by a kernel of that type, or by two that have
    changed places. `read` are those that are not written as well."""
    other = OTHER[dtype]
    values = {"of": NAMES[dtype], "as": NAMES[other]}

    def seen(chosen: Tensors) -> np.ndarray:
        return right({k: _taken_for(v, dtype, other) for k, v in chosen.items()})

    def both() -> np.ndarray:
        return _taken_for(seen(tensors), other, dtype)

    yield Mistake("type-taken", both, values)
    yield Mistake("type-exchanged", both)
    yield Mistake("type-read", lambda: seen(tensors), values)
    yield Mistake("type-read", lambda: seen(read), values, "inputs alone")
    yield Mistake("type-written", lambda: _taken_for(right({}), other, dtype), values)
    for name in tensors if len(tensors) > 1 else ():
        yield Mistake("type-of-one", later(seen, {name: tensors[name]}), {**values, "name": name})


def _taken_for(values: np.ndarray, stored: str, read: str) -> np.ndarray:
    """Numbers of one type of 16 bits, as their bits read in the other."""
    bits = np.asarray(values.astype(DTYPES[stored])).view(np.uint16)
    bits = np.where(np.isnan(values), np.uint16(NAN), bits)
    return np.asarray(bits.view(DTYPES[read]).astype(np.float64))


def _halved(values: np.ndarray) -> np.ndarray:
    """Numbers that pass through half precision: those beyond 65,504 become infinite."""
    return np.asarray(values.astype(np.float16).astype(np.float64))


def _low_bytes(values: np.ndarray, dtype: str, count: int) -> np.ndarray:
    """Each element's first bytes in memory, its lowest; zeros in the others."""
    kind = DTYPES[dtype]
    bits = np.asarray(values.astype(kind)).view(f"u{kind.itemsize}")
    return np.asarray((bits & bits.dtype.type((1 << 8 * count) - 1)).view(kind).astype(np.float64))


def _begun(values: np.ndarray, taken: int, of: int) -> np.ndarray:
    """The first `taken` of every `of` neighbours in a row; zeros for the others."""
    return np.where(np.arange(values.shape[-1]) % of < taken, values, 0.0)
