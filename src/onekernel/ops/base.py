"""What an operator promises: its C signature, its fp64 oracle, its input cases, its tolerances, its ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import ml_dtypes
import numpy as np

from onekernel.messages import Message
from onekernel.ways import SPARSE

DTYPES = {
    "float32": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}
SCALARS = ("choice", "real")  # roles of a parameter that is neither a tensor nor a size
WRITTEN = ("out", "inout")  # roles of a tensor that the launcher writes
ELEMENTS = {**DTYPES, "int32": np.dtype(np.int32)}  # what a tensor may hold that does not follow the call's type
C_TYPES = {"float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16", "int32": "int"}
SUFFIXES = {"float32": "", "float16": "_f16", "bfloat16": "_bf16"}

# Elements for which an index of 32 bits, with a sign or without, comes to its end with a third of them left.
# A float32 is less than it by almost a block: whoever divides in float by the size of a block has a block too few.
BEYOND_32_BITS = 2**32 + 2**31 + 69_833
# What is left of this number in 32 bits is a small one.
JUST_BEYOND_32_BITS = 2**32 + 69_833
# Rows and columns of more elements: a GPU that has a block for each row is done with them in a second.
MANY_ROWS = (5_000_011, 1_289)

Sizes = Mapping[str, int]
Arrays = dict[str, np.ndarray]
Fill = Callable[[np.random.Generator, Sizes], Arrays]  # draws the inputs of a case, in float64


@dataclass(frozen=True)
class Parameter:
    """A parameter of the launcher: a tensor that is read ("in"), written ("out") or both ("inout"), an int64 size
    ("size"), or a scalar that changes what is computed: an int64 ("choice") or a float ("real"). A case whose `fill`
    draws nothing for an "inout" tensor leaves it as a tensor that is only written: poison, which nobody may read."""

    name: str
    role: str
    shape: tuple[str, ...] = ()  # for tensors: the sizes' names, e.g. ("rows", "cols")
    row_stride: str | None = None  # the size parameter that carries the row stride, in elements
    dtype: str = ""  # its element type, where that is not the call's
    flipped_by: str = ""  # a choice that, where it is not 0, exchanges the two dimensions
    default: int | float | None = None  # of a scalar: what a Python function takes that is not given it

    @property
    def written(self) -> bool:
        """Whether it is a tensor that the launcher writes."""
        return self.role in WRITTEN

    def dims(self, sizes: Sizes, scalars: Mapping[str, int | float]) -> tuple[int, ...]:
        """The tensor's dimensions under these sizes and scalars; one that no size names is 1."""
        found = tuple(int(s) if s.isdigit() else sizes.get(s, 1) for s in self.shape)
        return found[::-1] if self.flipped_by and scalars[self.flipped_by] else found


ON_GPU, SIMULATED = "gpu", "simulated"


@dataclass(frozen=True)
class Case:
    """One input: its sizes, how its values are drawn, and how it lies in memory.

    `gaps` gives the elements between the end of a row and the start of the next, by tensor name; `shift` moves every
    base pointer by that many elements off its 256-byte alignment, and `apart` a tensor's own by so many more. `fill`
    draws the inputs as float64 from a generator. `scalars` gives the operator's scalars; the oracle finds them among
    the inputs, as arrays without a dimension. `way` is how the launcher is called, "" or one of
    `onekernel.ways`; `defines` are macros that the file is built with, "BLOCK=96"; `dtypes` are the element types that
    it is for, where it is not for all; `only` is ON_GPU or SIMULATED where it is for one of them.
    """

    name: str
    group: str
    sizes: Sizes
    fill: Fill
    about: Message
    gaps: Mapping[str, int] = field(default_factory=dict)
    shift: int = 0
    scalars: Mapping[str, int | float] = field(default_factory=dict)
    apart: Mapping[str, int] = field(default_factory=dict)
    way: str = ""
    defines: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    only: str = ""

    @property
    def plain(self) -> bool:
        """Whether it is an input like any other: the file built as it stands, and called on a machine that works."""
        return not (self.way or self.defines)

    @property
    def on_vectors(self) -> bool:
        """Whether rows lie apart so that each begins on 16 bytes in every element type."""
        return any(self.gaps.values()) and not any((self.sizes["cols"] + gap) % 8 for gap in self.gaps.values())

    def runs(self, on: str) -> bool:
        """Whether the input is for where the file runs, ON_GPU or SIMULATED; "huge" ones take too long without one."""
        return on == (self.only or (ON_GPU if self.group == "huge" else on))


def between(usual: Case, changed: Iterable[Case]) -> tuple[Case, ...]:
    """Each of the cases that are `changed`, and behind it the `usual` one with other values, in the same group."""
    again = (
        (case, replace(usual, name=f"{usual.name}-again{nth}", group=case.group, dtypes=case.dtypes))
        for nth, case in enumerate(changed, 1)
    )
    return tuple(case for pair in again for case in pair)


_FLOAT, _BOTH_WIDTHS = ("float32",), ("float32", "bfloat16")
# Rows, columns, elements between rows, types: lengths between which the limits lie from which a launcher takes another
# path. Some divide by 16 bytes in each type, the others end within them.
_PATHS = (
    (70_001, 704, 0, _BOTH_WIDTHS), (70_001, 3003, 0, _FLOAT), (70_001, 6001, 0, _FLOAT), (70_001, 17_008, 0, _FLOAT),
    (3, 1501, 2**31, _FLOAT), (3, 17_008, 2**31, _BOTH_WIDTHS),
)  # fmt: skip
_LONG = 8192


def sampled(case: Case, dtypes: tuple[str, ...] = ()) -> Case:
    """The case on tensors of more addresses than memory, of which the simulator runs some blocks."""
    return replace(case, way=SPARSE, only=SIMULATED, dtypes=dtypes)


def of_paths(make: Callable[[str, int, int, int], Case]) -> tuple[Case, ...]:
    """In each path many rows, so that what a block keeps from a row meets its next one, and rows of which an offset of
    32 bits reaches none but the first. `make(group, rows, cols, gap)` has the case of rows that begin on 16 bytes, gap
    elements between them."""
    return tuple(
        sampled(make("large" if cols <= _LONG else "long", rows, cols, apart + -cols % 8 if apart else 0), dtypes)
        for rows, cols, apart, dtypes in _PATHS
    )


@dataclass(frozen=True)
class Mismatch:
    """Where an output differs from the oracle: how many elements, and the worst one."""

    kind: str  # "values", "nan", "row-sum"
    count: int
    total: int
    index: tuple[int, ...]
    got: float
    want: float
    error: float
    limit: float
    note: Message | None = None  # what else the operator sees in the result
    lost: int = 0  # of kind "nan", how many of them should be NaN and are not; the others are the reverse


@dataclass(frozen=True)
class Ledger:
    """The least that the operator must do: bytes read once and written once, and floating-point operations."""

    bytes_read: int
    bytes_written: int
    flops: int

    @property
    def bytes(self) -> int:
        return self.bytes_read + self.bytes_written

    @property
    def intensity(self) -> float:
        """FLOPs per byte."""
        return self.flops / self.bytes if self.bytes else 0.0


@dataclass(frozen=True)
class Operator:
    """An operator of the course. `oracle` and `compare` see arrays in float64, dense, without the row gaps.

    One that is `declared` in an exercise.toml has no oracle: what the exercise's own answer makes of the same bytes is
    right. Its tensors may have any number of dimensions, and travel with them.
    """

    name: str
    parameters: tuple[Parameter, ...]
    cases: tuple[Case, ...]
    oracle: Callable[[Arrays], Arrays]
    compare: Callable[[np.ndarray, np.ndarray, str, Arrays], Mismatch | None]
    ledger: Callable[[Sizes, int], Ledger]
    declared: bool = False

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes that a case gives."""
        return tuple(self.cases[0].sizes)

    def inputs(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.role == "in")

    def outputs(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.written)

    def prototype(self, slug: str, dtype: str) -> str:
        """The C declaration of the launcher of exercise `slug` for one element type."""
        params = [_c_type(p, dtype) + p.name for p in self.parameters] + ["cudaStream_t stream"]
        return f'extern "C" cudaError_t {slug}{SUFFIXES[dtype]}({", ".join(params)});'

    def group(self, name: str) -> tuple[Case, ...]:
        """The cases of one group. Raises KeyError where there is none of that name."""
        found = tuple(c for c in self.cases if c.group == name)
        if not found:
            raise KeyError(name)
        return found


def _c_type(p: Parameter, dtype: str) -> str:
    c_type = C_TYPES[p.dtype or dtype]
    if p.written:
        return f"{c_type}* "
    return {"in": f"const {c_type}* ", "real": "float "}.get(p.role, "int64_t ")


def worst(got: np.ndarray, want: np.ndarray, limit: np.ndarray) -> Mismatch | None:
    """Compares element by element: |got - want| <= limit, NaN where and only where the oracle has NaN.

    A wrong NaN is told before a wrong value, because it explains more. Infinities agree when they are equal.
    """
    if got.size == 0:
        return None
    wrong_nan = np.isnan(got) != np.isnan(want)
    if wrong_nan.any():
        at = tuple(int(i) for i in np.argwhere(wrong_nan)[0])
        count, lost = int(wrong_nan.sum()), int((wrong_nan & np.isnan(want)).sum())
        return Mismatch("nan", count, got.size, at, float(got[at]), float(want[at]), np.inf, 0.0, lost=lost)
    with np.errstate(invalid="ignore"):
        error = np.where((got == want) | np.isnan(want), 0.0, np.abs(got - want))
    limit = np.nan_to_num(limit, nan=0.0, posinf=0.0)
    bad = ~(error <= limit)
    if not bad.any():
        return None
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        excess = np.where(bad, error / np.maximum(limit, 1e-300), -1.0)
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(excess)), got.shape))
    return Mismatch(
        "values", int(bad.sum()), got.size, at, float(got[at]), float(want[at]), float(error[at]), float(limit[at])
    )
