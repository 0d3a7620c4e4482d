"""Products are fused into sums as nvcc does it, in every mode alike, and the intrinsics that forbid it are obeyed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel.simulator.compilation.compiler import fused
from support.compilers import COMPILERS
from support.simulated import clean

pytestmark = pytest.mark.slow

# With a = 1 + e and c = -(1 + 2 e), a * a + c is e * e when fused, and 0 when the product is rounded first: e * e is at
# most half of the last bit of 1 + 2 e.
EXPRESSIONS = {
    "a * a + c": True,
    "c + a * a": True,
    "a * a - m": True,
    "__{letter}mul_rn(a, a) + c": False,
    "__{letter}add_rn(a * a, c)": False,
    "__{letter}add_rn(c, a * a)": False,
    "__{letter}sub_rn(a * a, m)": False,
    "__{letter}add_rn(__{letter}mul_rn(a, a), c)": False,
    "__fma{suffix}_rn(a, a, c)": None,
}
# A kernel each: a product that two expressions share is fused into neither, here and by nvcc.
KERNEL = """
__global__ void k{i}(const {type}* x, {type}* y) {{
    const {type} a = x[0], c = x[1], m = -c;
    y[{i}] = {expression};
}}
"""
RUN = """
extern "C" cudaError_t run(const {type}* x, {type}* y, int64_t, cudaStream_t stream) {{
    {launches}
    return cudaGetLastError();
}}
"""


def source(type_: str, letter: str, suffix: str) -> str:
    texts = [text.format(letter=letter, suffix=suffix) for text in EXPRESSIONS]
    kernels = [KERNEL.format(i=i, type=type_, expression=text) for i, text in enumerate(texts)]
    launches = " ".join(f"k{i}<<<1, 1, 0, stream>>>(x, y);" for i in range(len(texts)))
    return "".join(kernels) + RUN.format(type=type_, launches=launches)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("mode", ["fast", "check"])
@pytest.mark.parametrize(("type_", "letter", "suffix", "bits"), [("float", "f", "f", 12), ("double", "d", "", 27)])
def test_products_are_fused_where_cuda_fuses_them(
    tmp_path: Path, mode: str, compiler: str, type_: str, letter: str, suffix: str, bits: int
) -> None:
    e = 2.0**-bits
    dtype = np.float32 if type_ == "float" else np.float64
    x = np.array([1 + e, -(1 + 2 * e)], dtype)
    y = clean(tmp_path, source(type_, letter, suffix), x, np.zeros(len(EXPRESSIONS), dtype), mode, compiler)
    wanted = [e * e if once is None or (once and fused()) else 0.0 for once in EXPRESSIONS.values()]
    assert dict(zip(EXPRESSIONS, y.tolist(), strict=True)) == dict(zip(EXPRESSIONS, wanted, strict=True))


@pytest.mark.parametrize(
    ("machine", "flags", "wanted"),
    [
        ("x86_64", "flags\t\t: fpu sse2 fma avx\n", ("-mfma", "-ffp-contract=fast")),
        ("x86_64", "flags\t\t: fpu sse2 fma4 avx\n", ()),
        ("aarch64", "", ("-ffp-contract=fast",)),
    ],
)
def test_a_processor_with_fma_is_told_from_one_without(
    monkeypatch: pytest.MonkeyPatch, machine: str, flags: str, wanted: tuple[str, ...]
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr(Path, "read_text", lambda self, **_: flags)
    assert fused.__wrapped__() == wanted
