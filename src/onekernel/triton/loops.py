"""What a loop in a kernel counts with: compiled it is a tensor, `tile.to(tl.int64)`; interpreted, a plain int.

A kernel that walks over tiles and widens the tile's number, so that offsets have 64 bits, is right on a GPU, and it was
refused here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any


class Count(int):
    """A number of a loop: an int that can be widened."""

    def to(self, dtype: Any, **_: Any) -> Any:
        import triton.language as tl
        from triton.runtime.interpreter import interpreter_semantic

        return tl.tensor(interpreter_semantic.builder.get_int32(int(self)), tl.int32).to(dtype)


def _kept(name: str) -> Callable[[Count, Any], Any]:
    """An operator of int whose result can be widened, too."""
    compute = getattr(int, name)

    def of_counts(self: Count, other: Any) -> Any:
        result = compute(self, other)
        return result if result is NotImplemented else Count(result)

    return of_counts


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod"):
    setattr(Count, f"__{_name}__", _kept(f"__{_name}__"))


class CountedRange:
    """`range`, whose numbers can be widened. Its bounds may be the interpreter's tensors, as those of range may, or the
    size of a grid of which some programs run."""

    def __init__(self, *bounds: Any) -> None:
        self._range: Any = getattr(bounds[0], "chosen", None) or builtins.range(*(int(b) for b in bounds))

    def __iter__(self) -> Iterator[Count]:
        return builtins.map(Count, self._range)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._range, name)

    def __len__(self) -> int:
        return len(self._range)

    def __getitem__(self, at: Any) -> Any:
        return self._range[at]

    def __contains__(self, value: object) -> bool:
        return value in self._range


def count_in(module: ModuleType) -> None:
    """Has the loops of a module count so, unless it has a `range` of its own: of an interpreted file, and of the
    interpreter, whose are those of tl.range."""
    vars(module).setdefault("range", CountedRange)
