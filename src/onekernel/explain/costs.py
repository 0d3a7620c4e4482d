"""The least that an operator must move and compute, from the shapes that the profiler noted and the bytes it kept."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onekernel.explain.chrome import Event

# Bytes of an element, by the profiler's names of types.
_SIZES = {
    "float": 4, "double": 8, "c10::Half": 2, "c10::BFloat16": 2, "long int": 8, "long": 8, "int": 4, "short int": 2,
    "short": 2, "signed char": 1, "unsigned char": 1, "bool": 1, "c10::complex<float>": 8, "c10::complex<double>": 16,
}  # fmt: skip
_WRITE_ONLY = re.compile(r"::(fill_|zero_|normal_|uniform_|random_|bernoulli_|copy_|exponential_)$")
_GATHERS = re.compile(r"::(embedding|index|index_select|gather|take|slice|narrow|select|index_put_|scatter)")
_VIEWS = re.compile(
    r"::(view|_unsafe_view|reshape|expand|expand_as|as_strided|t|transpose|permute|unsqueeze|squeeze|detach|alias|"
    r"slice|narrow|select|empty|empty_strided|empty_like|resize_|result_type|resolve_conj|resolve_neg|lift_fresh|"
    r"is_nonzero|item|_local_scalar_dense|unbind|chunk|split|unfold|flatten)$"
)
_BY_NAME = re.compile(r"gemm|nvjet|xmma|cutlass|wgmma|conv\dd|winograd|flash|fmha|attention|_mm_", re.IGNORECASE)
_PRODUCT = re.compile(r"::(mm|addmm|bmm|baddbmm|_scaled_mm|_scaled_dot_product\w*|\w*convolution\w*)$")
_COLLECTIVE = re.compile(r"^nccl(Dev)?Kernel", re.IGNORECASE)


@dataclass(frozen=True)
class Cost:
    """Bytes that must move and FLOPs that must be computed, 0 where nothing is known; the type of the operands."""

    bytes: float
    flops: float
    dtype: str = ""
    product: bool = False  # a matrix product, a convolution or attention: what Tensor Cores compute

    def part(self, share: float) -> Cost:
        return Cost(self.bytes * share, self.flops * share, self.dtype, self.product)

    def __bool__(self) -> bool:
        return self.bytes > 0


def is_collective(name: str) -> bool:
    """Whether a kernel exchanges data between GPUs."""
    return bool(_COLLECTIVE.match(name))


def looks_like_product(name: str) -> bool:
    """Whether a kernel's name is that of a matrix product, a convolution or attention."""
    return bool(_BY_NAME.search(name))


def of(op: Event, kept: float) -> Cost:
    """The least cost of an operator that kept `kept` bytes (its output). Each tensor counts once, whatever its strides;
    an operator that gathers reads as much as it writes."""
    shapes, types = _operands(op)
    if _VIEWS.search(op.name):
        return Cost(0.0, 0.0)
    sizes = [math.prod(s) * _SIZES.get(t, 0) for s, t in zip(shapes, types, strict=True)]
    read = float(sum(sizes))
    if _GATHERS.search(op.name):
        read = kept
    written = kept
    if op.name.endswith("_") and not _WRITE_ONLY.search(op.name) and sizes:
        written += sizes[0]
    dtype = next((t for t in types if t in _SIZES), "")
    product = bool(_PRODUCT.search(op.name))
    return Cost(read + written, _flops(op.name, shapes, kept / _SIZES.get(dtype, 4)), dtype, product)


def _operands(op: Event) -> tuple[list[tuple[int, ...]], list[str]]:
    """The shapes and types of the tensors among an operator's arguments."""
    dims, types = op.args.get("Input Dims"), op.args.get("Input type")
    if not isinstance(dims, list) or not isinstance(types, list):
        return [], []
    shapes, names = [], []
    for shape, name in zip(dims, types, strict=False):
        if name not in _SIZES or not isinstance(shape, list):
            continue
        if all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape):
            shapes.append(tuple(shape))
            names.append(str(name))
    return shapes, names


def _flops(name: str, shapes: Sequence[tuple[int, ...]], out: float) -> float:
    """FLOPs, a fused multiply-add counted as two, of operators that can be bound by them; of others one per element."""
    short = name.rpartition("::")[2].rstrip("_")
    matrices = [s for s in shapes if len(s) >= 2]
    if short in ("mm", "addmm", "bmm", "baddbmm", "_scaled_mm") and len(matrices) >= 2:
        a, b = matrices[-2:]
        return 2.0 * math.prod(a) * b[-1]
    if "convolution" in short and len(matrices) >= 2:
        return 2.0 * out * math.prod(matrices[1][1:])
    if short.startswith("_scaled_dot_product") and "backward" not in short and len(matrices) >= 3:
        q, k, v = matrices[:3]
        return 2.0 * math.prod(q[:-1]) * k[-2] * (q[-1] + v[-1])
    if short == "_cdist_forward" and len(matrices) >= 2:
        return 3.0 * math.prod(matrices[0]) * matrices[1][-2]
    return max([out, *(float(math.prod(s)) for s in shapes)])


def peak(card: Any, cost: Cost, kernel: str) -> float:
    """FLOP/s of a card (bench.cards.Card) for a kernel of that cost; 0 where the table has none for its type.

    A product of half-precision operands runs on the Tensor Cores; one of fp32 only where the kernel's name says tf32,
    at half the rate of fp16.
    """
    if cost.dtype in ("c10::Half", "c10::BFloat16"):
        return float(card.fp16_tensor if cost.product else card.fp16)
    if cost.dtype == "float":
        return float(card.fp16_tensor) / 2 if cost.product and "tf32" in kernel.lower() else float(card.fp32)
    return 0.0
