"""libcu++'s bits, numbers and concepts, which it has in C++17 as well: values from Python, answers as C++20 says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from support.compilers import COMPILERS
from support.header_programs import apply, loops, program

KINDS = {"uint8_t": np.uint8, "uint16_t": np.uint16, "uint32_t": np.uint32, "uint64_t": np.uint64}


def trailing(v: int, bits: int) -> int:
    return (v & -v).bit_length() - 1 if v else bits


def rotated(v: int, bits: int, by: int) -> int:
    by %= bits
    return (v << by | v >> (bits - by)) & ((1 << bits) - 1)


def flipped(v: int, bits: int) -> int:
    return v ^ ((1 << bits) - 1)


FUNCTIONS = {
    "popcount(a)": lambda v, bits: v.bit_count(),
    "countl_zero(a)": lambda v, bits: bits - v.bit_length(),
    "countl_one(a)": lambda v, bits: bits - flipped(v, bits).bit_length(),
    "countr_zero(a)": trailing,
    "countr_one(a)": lambda v, bits: trailing(flipped(v, bits), bits),
    "has_single_bit(a)": lambda v, bits: v.bit_count() == 1,
    "bit_width(a)": lambda v, bits: v.bit_length(),
    "bit_floor(a)": lambda v, bits: 1 << (v.bit_length() - 1) if v else 0,
    "bit_ceil((std::decay_t<decltype(a)>)(a / 2))": lambda v, bits: 1 << (v // 2 - 1).bit_length() if v > 3 else 1,
    "rotl(a, 5)": lambda v, bits: rotated(v, bits, 5),
    "rotl(a, -67)": lambda v, bits: rotated(v, bits, -67),
    "rotr(a, 3)": lambda v, bits: rotated(v, bits, -3),
    "byteswap(a)": lambda v, bits: int.from_bytes(v.to_bytes(bits // 8, "little"), "big"),
}
NUMBERS = {
    "e": math.e, "log2e": 1 / math.log(2), "log10e": 1 / math.log(10), "pi": math.pi, "inv_pi": 1 / math.pi,
    "inv_sqrtpi": math.pi**-0.5, "ln2": math.log(2), "ln10": math.log(10), "sqrt2": 2**0.5, "sqrt3": 3**0.5,
    "inv_sqrt3": 3**-0.5, "egamma": 0.5772156649015329, "phi": (1 + 5**0.5) / 2,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kind", KINDS)
def test_bits_are_counted_and_moved(kind: str, compiler: str) -> None:
    calls = loops({str(n): f"cuda::std::{call}" for n, call in enumerate(FUNCTIONS)}, (kind,), kind)
    library = program(f"#include <cuda_runtime.h>\n#include <cuda/std/bit>\n{calls}", compiler)
    dtype = KINDS[kind]
    bits = np.dtype(dtype).itemsize * 8
    some = np.random.default_rng(3).integers(0, 1 << (bits - 1), 40, dtype)
    values = np.concatenate([some, some >> bits // 2, np.array([0, 1, 2, (1 << bits) - 1, 1 << (bits - 1)], dtype)])
    for n, (call, right) in enumerate(FUNCTIONS.items()):
        got = apply(library, str(n), dtype, values)
        assert got.tolist() == [right(int(v), bits) for v in values], call


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_numbers_have_their_values(compiler: str) -> None:
    both = {name: f"a * N::{name} + N::{name}_v<float>" for name in NUMBERS}
    calls = f"namespace N = cuda::std::numbers;\n{loops(both, ('double',), 'double')}"
    library = program(f"#include <cuda_runtime.h>\n#include <cuda/std/numbers>\n{calls}", compiler)
    for name, value in NUMBERS.items():
        got = apply(library, name, np.float64, np.array([1.0, 0.0]))
        narrow = float(np.float32(value))
        np.testing.assert_allclose(got, [value + narrow, narrow], rtol=3e-16, err_msg=name)


CONCEPTS = """
#include <cuda_runtime.h>
#include <cuda/std/bit>
#include <cuda/std/concepts>
namespace s = cuda::std;
struct Base {};
struct Derived : Base {
    bool operator==(const Derived&) const { return true; }
    bool operator!=(const Derived&) const { return false; }
};
struct Pinned { Pinned(const Pinned&) = delete; };
struct Hidden : private Base {};
static_assert(s::bit_cast<unsigned>(1.0f) == 0x3f800000u, "");
static_assert(s::endian::native == s::endian::little, "");
static_assert(s::same_as<int, int> && !s::same_as<int, const int>, "");
static_assert(s::derived_from<Derived, Base> && !s::derived_from<Hidden, Base> && !s::derived_from<Base, Derived>, "");
static_assert(s::convertible_to<int, float> && !s::convertible_to<int*, float>, "");
static_assert(s::integral<bool> && s::signed_integral<char> == (char(-1) < 0) && s::unsigned_integral<unsigned>, "");
static_assert(s::floating_point<float> && !s::floating_point<int>, "");
static_assert(s::assignable_from<int&, float> && !s::assignable_from<const int&, int>, "");
static_assert(s::constructible_from<float, int> && !s::default_initializable<Pinned>, "");
static_assert(s::copyable<Base> && s::movable<int> && !s::copyable<Pinned> && !s::move_constructible<Pinned>, "");
static_assert(s::semiregular<Base> && !s::regular<Base> && s::regular<Derived> && s::regular<int>, "");
static_assert(s::equality_comparable<Derived> && !s::totally_ordered<Derived> && s::totally_ordered<float>, "");
static_assert(s::equality_comparable_with<int, long> && !s::equality_comparable_with<int, int*>, "");
static_assert(s::swappable<int> && s::destructible<Base> && s::swappable_with<int&, int&>, "");
static_assert(s::invocable<int (*)(int), char> && !s::invocable<int (*)(int), Base>, "");
static_assert(s::predicate<bool (*)(int, int), int, int> && !s::strict_weak_order<Base (*)(int, int), int, int>, "");
"""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.slow
def test_concepts_are_constants_in_cpp_17(compiler: str) -> None:
    program(CONCEPTS, compiler)
