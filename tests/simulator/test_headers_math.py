"""The CUDA math of the simulator's headers against NumPy, Python's integers and exact fractions."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from support.compilers import COMPILERS
from support.header_programs import apply, exact, loops, program, rounded

pytestmark = pytest.mark.slow

MODES = ("rn", "rz", "ru", "rd")
INTEGERS = {"int": ("int", np.int32), "uint": ("unsigned", np.uint32), "ll": ("long long", np.int64),
            "ull": ("unsigned long long", np.uint64)}  # fmt: skip
FLOATS = {"float": np.float32, "double": np.float64}


def erf(x: np.ndarray) -> np.ndarray:
    return np.array([math.erf(v) for v in x])


def normal(x: np.ndarray) -> np.ndarray:
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


def sine_pi(x: np.ndarray) -> np.ndarray:
    return np.where(x == np.trunc(x), 0.0, np.sin(np.pi * np.remainder(x, 2)))


# name: (what it computes, bound in ULP of the CUDA C++ Programming Guide's tables, lowest and highest argument)
UNARY: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, float, float]] = {
    "expf": (np.exp, 1, -87, 88),
    "__expf": (np.exp, 2, -87, 88),
    "exp2f": (np.exp2, 2, -126, 127),
    "exp10f": (lambda x: 10.0**x, 2, -37, 38),
    "__exp10f": (lambda x: 10.0**x, 2, -37, 38),
    "expm1f": (np.expm1, 1, -10, 80),
    "logf": (np.log, 1, 1e-30, 1e30),
    "__logf": (np.log, 3, 2, 1e30),
    "log2f": (np.log2, 1, 1e-30, 1e30),
    "__log2f": (np.log2, 2, 2, 1e30),
    "log10f": (np.log10, 2, 1e-30, 1e30),
    "__log10f": (np.log10, 2, 2, 1e30),
    "log1pf": (np.log1p, 1, -0.9, 1e10),
    "sqrtf": (np.sqrt, 0.5, 0, 1e30),
    "__fsqrt_rn": (np.sqrt, 0.5, 0, 1e30),
    "rsqrtf": (lambda x: 1 / np.sqrt(x), 2, 1e-30, 1e30),
    "__frsqrt_rn": (lambda x: 1 / np.sqrt(x), 0.5, 1e-30, 1e30),
    "__frcp_rn": (lambda x: 1 / x, 0.5, 1e-30, 1e30),
    "rcbrtf": (lambda x: 1 / np.cbrt(x), 1, 1e-30, 1e30),
    "cbrtf": (np.cbrt, 1, -1e10, 1e10),
    "tanhf": (np.tanh, 2, -10, 10),
    "__tanhf": (np.tanh, 4100, -10, 10),  # the hardware's 11 bits
    "sinf": (np.sin, 2, -100, 100),
    "__sinf": (np.sin, 2, -3, 3),
    "cosf": (np.cos, 2, -100, 100),
    "__cosf": (np.cos, 2, -1.5, 1.5),
    "tanf": (np.tan, 4, -100, 100),
    "atanf": (np.arctan, 2, -100, 100),
    "erff": (erf, 2, -4, 4),
    "normcdff": (normal, 5, -5, 5),
    "sinpif": (sine_pi, 1, -8, 8),
    "roundf": (lambda x: np.trunc(x + np.copysign(0.5, x)), 0, -1000, 1000),
}


@pytest.fixture(params=COMPILERS)
def library(request: pytest.FixtureRequest) -> ctypes.CDLL:
    return program(SOURCE, request.param)


def source() -> str:
    out = ['#include "cuda_runtime.h"\n#include <cmath>\n#include <algorithm>\n']
    out += [loops({f"{n}_": f"{n}(a)" for n in UNARY}, ("float",), "float")]
    out += [loops({"saturate": "__saturatef(a)", "rsqrt_f": "rsqrt(a)"}, ("float",), "float")]
    out += [
        loops(
            {
                "rsqrt_d": "rsqrt(a)",
                "normcdf_d": "normcdf(a)",
                "erfinv_d": "erfinv(a)",
                "normcdfinv_d": "normcdfinv(a)",
                "sinpi_d": "sinpi(a)",
            },
            ("double",),
            "double",
        )
    ]
    out += [loops({"fdividef_": "__fdividef(a, b)", "powf_": "__powf(a, b)"}, ("float",) * 2, "float")]
    for kind in FLOATS:
        f = "f" if kind == "float" else ""
        pairs = {f"fmin_{kind}": f"fmin{f}(a, b)", f"fmax_{kind}": f"fmax{f}(a, b)"}
        pairs |= {f"min_{kind}": "min(a, b)", f"max_{kind}": "max(a, b)"}
        letter = kind[0]
        for m in MODES:
            pairs |= {f"{letter}{op}_{m}": f"__{letter}{op}_{m}(a, b)" for op in ("add", "sub", "mul", "div")}
            out += [loops({f"fma_{kind}_{m}": f"__fma{f}_{m}(a, b, c)"}, (kind,) * 3, kind)]
            out += [loops({f"{letter}{op}_{m}": f"__{letter}{op}_{m}(a)" for op in ("rcp", "sqrt")}, (kind,), kind)]
            for n, (c, _) in INTEGERS.items():
                out += [loops({f"{kind}2{n}_{m}": f"__{kind}2{n}_{m}(a)"}, (kind,), c)]
                out += [loops({f"{n}2{kind}_{m}": f"__{n}2{kind}_{m}(a)"}, (c,), kind)]
        out += [loops(pairs, (kind,) * 2, kind)]
    out += [loops({f"double2float_{m}": f"__double2float_{m}(a)" for m in MODES}, ("double",), "float")]
    out += [
        loops(
            {"clz": "__clz(a)", "ffs": "__ffs(a)", "brev": "__brev(a)", "popc": "__popc(a)"}, ("unsigned",), "unsigned"
        )
    ]
    wide = {"clzll": "__clzll(a)", "ffsll": "__ffsll(a)", "brevll": "__brevll(a)", "popcll": "__popcll(a)"}
    out += [loops(wide, ("unsigned long long",), "unsigned long long")]
    out += [loops({"umul64hi": "__umul64hi(a, b)"}, ("unsigned long long",) * 2, "unsigned long long")]
    out += [loops({"mul64hi": "__mul64hi(a, b)"}, ("long long",) * 2, "long long")]
    out += [
        loops(
            {"umulhi": "__umulhi(a, b)", "umul24": "__umul24(a, b)", "urhadd": "__urhadd(a, b)"},
            ("unsigned",) * 2,
            "unsigned",
        )
    ]
    out += [loops({"mulhi": "__mulhi(a, b)", "mul24": "__mul24(a, b)", "havg": "__hadd(a, b)"}, ("int",) * 2, "int")]
    shifts = {f"funnel_{s}": f"__funnelshift_{s}(a, b, c)" for s in ("l", "r", "lc", "rc")}
    out += [
        loops(shifts | {"byte_perm": "__byte_perm(a, b, c)", "udp4a": "__dp4a(a, b, c)"}, ("unsigned",) * 3, "unsigned")
    ]
    out += [loops({"dp4a": "__dp4a(a, b, c)", "sad": "__sad(a, b, c)"}, ("int",) * 3, "int")]
    out += [
        loops({"as_int": "__float_as_int(a)"}, ("float",), "int"),
        loops({"of_int": "__int_as_float(a)"}, ("int",), "float"),
    ]
    out += [loops({"mixed_min": "min(a, 4u)", "mixed_max": "max(a, 4u)"}, ("int",), "unsigned")]
    return "".join(out)


SOURCE = source()


@pytest.mark.parametrize("name", UNARY)
def test_floats_stay_in_cudas_bounds(library: ctypes.CDLL, name: str) -> None:
    function, ulps, low, high = UNARY[name]
    rng = np.random.default_rng(3)
    x = rng.uniform(low, high, 4000).astype(np.float32)
    if low > 0:
        x[::2] = np.exp(rng.uniform(np.log(low), np.log(high), 2000)).astype(np.float32)
    want = function(x.astype(np.float64))
    got = apply(library, f"{name}_", np.float32, x)
    unit = np.spacing(np.abs(want.astype(np.float32))).astype(np.float64)
    error = np.abs(got - want) / unit
    assert error.max() <= ulps + 1e-6, (x[error.argmax()], got[error.argmax()], error.max())


def test_doubles(library: ctypes.CDLL) -> None:
    x = np.exp(np.random.default_rng(4).uniform(-300, 300, 2000))
    got = apply(library, "rsqrt_d", np.float64, x)
    for value, root in zip(x[:300], got[:300], strict=True):
        # |1/root^2 - x| within 1 ULP of the root: compare squares exactly.
        below, above = (exact(np.nextafter(root, side)) for side in (0.0, np.inf))
        assert below**2 * exact(value) < 1 < above**2 * exact(value)
    halves = np.arange(-9, 9, 0.5)
    want = [0.0 if h == int(h) else 1.0 if h % 2 == 0.5 else -1.0 for h in halves]
    np.testing.assert_array_equal(apply(library, "sinpi_d", np.float64, halves), want)
    # The reference's own argument is rounded: -x/sqrt(2) carries half an ULP, which erfc's slope multiplies.
    np.testing.assert_allclose(apply(library, "normcdf_d", np.float64, halves), normal(halves), rtol=2e-14)
    np.testing.assert_array_equal(apply(library, "rsqrt_f", np.float32, np.float32([4, 0, -1])), [0.5, np.inf, np.nan])


def test_inverse_error_functions(library: ctypes.CDLL) -> None:
    x = np.concatenate([np.linspace(-3, 3, 101), [1e-9, 1e-4, 4.5]])
    y = erf(x)
    # erf is flat far from 0: half an ULP of y is that many ULP of x.
    slope = 2 / math.sqrt(math.pi) * np.exp(-x * x)
    tolerance = 1e-16 * (np.abs(y) / slope + 8 * np.abs(x)) + 1e-300
    assert (np.abs(apply(library, "erfinv_d", np.float64, y) - x) <= tolerance).all()
    got = apply(library, "erfinv_d", np.float64, np.array([1.0, -1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(got, [np.inf, -np.inf, 0.0, np.nan])
    # Quantiles of the normal distribution, from its published tables.
    got = apply(library, "normcdfinv_d", np.float64, np.array([0.5, 0.975, 0.995, 0.025, 1e-10]))
    np.testing.assert_allclose(
        got, [0, 1.959963984540054, 2.575829303548901, -1.959963984540054, -6.361340902404056], rtol=4e-16
    )


def test_documented_quirks(library: ctypes.CDLL) -> None:
    # __fdividef flushes quotients whose divisor lies in (2^126, 2^128).
    a = np.array([1, 1, np.inf, 6, 1], np.float32)
    b = np.array([2.0**127, 2.0**126, 2.0**127, 3, np.inf], np.float32)
    np.testing.assert_array_equal(
        apply(library, "fdividef_", np.float32, a, b), np.float32([0, 2.0**-126, np.nan, 2, 0])
    )
    # __powf is exp2f(y * __log2f(x)): NaN for a negative base.
    got = apply(library, "powf_", np.float32, np.float32([-2, 3, 4]), np.float32([2, 2, 0.5]))
    assert np.isnan(got[0])
    np.testing.assert_allclose(got[1:], [9, 2], rtol=1e-6)
    got = apply(library, "saturate", np.float32, np.float32([-1, 0.25, 3, np.nan, np.inf]))
    np.testing.assert_array_equal(got, [0, 0.25, 1, 0, 1])


@pytest.mark.parametrize("kind", FLOATS)
def test_a_number_wins_against_nan(library: ctypes.CDLL, kind: str) -> None:
    values = np.array([0, 1, -1, 2.5, np.inf, -np.inf, np.nan], FLOATS[kind])
    a, b = (g.ravel() for g in np.meshgrid(values, values))
    for name, want in (("min", np.fmin(a, b)), ("max", np.fmax(a, b))):
        np.testing.assert_array_equal(apply(library, f"{name}_{kind}", FLOATS[kind], a, b), want)
        np.testing.assert_array_equal(apply(library, f"f{name}_{kind}", FLOATS[kind], a, b), want)
    zeros = np.array([0.0, -0.0], FLOATS[kind])
    assert not np.signbit(apply(library, f"max_{kind}", FLOATS[kind], zeros, zeros[::-1])).any()
    assert np.signbit(apply(library, f"min_{kind}", FLOATS[kind], zeros, zeros[::-1])).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", FLOATS)
def test_directed_rounding(library: ctypes.CDLL, kind: str, mode: str) -> None:
    dtype, letter = FLOATS[kind], kind[0]
    rng = np.random.default_rng(5)
    a, b, c = (
        rng.normal(size=150).astype(dtype) * dtype(2) ** rng.integers(-20, 20, 150).astype(dtype) for _ in range(3)
    )
    a = np.abs(a)
    for name, operate in (
        ("add", lambda x, y: x + y),
        ("sub", lambda x, y: x - y),
        ("mul", lambda x, y: x * y),
        ("div", lambda x, y: x / y),
    ):
        got = apply(library, f"{letter}{name}_{mode}", dtype, a, b)
        want = [rounded(operate(exact(x), exact(y)), mode, dtype) for x, y in zip(a, b, strict=True)]
        np.testing.assert_array_equal(got, want)
    got = apply(library, f"fma_{kind}_{mode}", dtype, a, b, c)
    want = [rounded(exact(x) * exact(y) + exact(z), mode, dtype) for x, y, z in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(got, want)
    got = apply(library, f"{letter}rcp_{mode}", dtype, a)
    np.testing.assert_array_equal(got, [rounded(1 / exact(x), mode, dtype) for x in a])
    for x, root in zip(a, apply(library, f"{letter}sqrt_{mode}", dtype, a), strict=True):
        below, above = exact(np.nextafter(root, dtype(0))), exact(np.nextafter(root, dtype(np.inf)))
        if mode in ("rz", "rd"):
            assert exact(root) ** 2 <= exact(x) < above**2
        elif mode == "ru":
            assert below**2 < exact(x) <= exact(root) ** 2
        else:
            assert (below + exact(root)) ** 2 / 4 <= exact(x) <= (above + exact(root)) ** 2 / 4


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", INTEGERS)
def test_conversions_to_integers_saturate(library: ctypes.CDLL, kind: str, name: str) -> None:
    dtype = INTEGERS[name][1]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    edges = [0.5, 1.5, 2.5, 0.49, 1e9, 3e9, 2**31, 2**31 - 1, 2**32, 2**53 + 2.0, 2**63, 2**64, 1e30, np.inf]
    x = np.array(edges + [-e for e in edges] + [np.nan], FLOATS[kind])
    # PTX, cvt: NaN gives 0 between 32-bit types, the top bit alone otherwise.
    nan = (low or high // 2 + 1) if dtype().itemsize == 8 or kind == "double" else 0
    for mode, step in (("rn", np.rint), ("rz", np.trunc), ("ru", np.ceil), ("rd", np.floor)):
        got = apply(library, f"{kind}2{name}_{mode}", dtype, x)
        want = [
            nan if np.isnan(v) else low if v <= low else high if v >= high else int(v)
            for v in step(x.astype(np.float64))
        ]
        assert [int(g) for g in got] == want


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", INTEGERS)
def test_conversions_from_integers_round_once(library: ctypes.CDLL, name: str, mode: str) -> None:
    dtype = INTEGERS[name][1]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    values = [(1 << p) + d for p in range(1, 64) for d in (-1, 0, 1)] + [16777217, 16777219, 2**53 + 1, 2**53 + 3]
    values += [-v for v in values] + [low, high, 0]
    x = np.array([v for v in values if low <= v <= high], dtype)
    for kind, float_type in FLOATS.items():
        got = apply(library, f"{name}2{kind}_{mode}", float_type, x)
        np.testing.assert_array_equal(got, [rounded(Fraction(int(v)), mode, float_type) for v in x])


@pytest.mark.parametrize("mode", MODES)
def test_double_to_float(library: ctypes.CDLL, mode: str) -> None:
    x = np.random.default_rng(6).normal(size=500)
    got = apply(library, f"double2float_{mode}", np.float32, x)
    np.testing.assert_array_equal(got, [rounded(exact(v), mode, np.float32) for v in x])


def test_bit_intrinsics(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(8)
    for suffix, bits, dtype in (("", 32, np.uint32), ("ll", 64, np.uint64)):
        x = np.concatenate([rng.integers(0, 2**bits, 300, dtype), dtype([0, 1, 2 ** (bits - 1), 2**bits - 1])])
        words = [f"{int(v):0{bits}b}" for v in x]
        want = {
            "clz": [bits - len(w.lstrip("0")) for w in words],
            "ffs": [(w[::-1].find("1") + 1) for w in words],
            "brev": [int(w[::-1], 2) for w in words],
            "popc": [w.count("1") for w in words],
        }
        for name, expected in want.items():
            assert apply(library, f"{name}{suffix}", dtype, x).tolist() == expected


def test_products_and_averages(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(9)
    for name, bits, dtype in (
        ("umulhi", 32, np.uint32),
        ("mulhi", 32, np.int32),
        ("umul64hi", 64, np.uint64),
        ("mul64hi", 64, np.int64),
    ):
        info = np.iinfo(dtype)
        a, b = (
            np.concatenate([rng.integers(info.min, info.max, 200, dtype, endpoint=True), dtype([info.min, info.max])])
            for _ in range(2)
        )
        want = [int(x) * int(y) >> bits for x, y in zip(a, b, strict=True)]
        assert apply(library, name, dtype, a, b).tolist() == want
    a, b = (rng.integers(-(2**23), 2**23, 100, np.int32) for _ in range(2))
    assert apply(library, "mul24", np.int32, a, b).tolist() == (a.astype(np.int64) * b).astype(np.int32).tolist()
    big = np.array([2**31 - 1, -(2**31)], np.int32)
    assert apply(library, "havg", np.int32, big, big - (big > 0).astype(np.int32)).tolist() == [2**31 - 2, -(2**31)]
    top = np.array([2**32 - 1, 5], np.uint32)
    assert apply(library, "urhadd", np.uint32, top, np.array([2**32 - 1, 2], np.uint32)).tolist() == [2**32 - 1, 4]
    got = apply(library, "sad", np.int32, np.int32([-5, 9]), np.int32([7, 2]), np.int32([1, 1]))
    assert got.tolist() == [13, 8]


def test_bytes_and_funnel_shifts(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(10)
    a, b, c = (rng.integers(0, 2**32, 200, np.uint32) for _ in range(3))
    c[::2] %= 40
    for name in ("l", "r", "lc", "rc"):
        want = []
        for lo, hi, shift in zip(a.tolist(), b.tolist(), c.tolist(), strict=True):
            n = min(shift, 32) if name.endswith("c") else shift % 32
            both = hi << 32 | lo
            want.append((both << n >> 32 if name.startswith("l") else both >> n) & 0xFFFFFFFF)
        assert apply(library, f"funnel_{name}", np.uint32, a, b, c).tolist() == want
    permuted, products = [], []
    for x, y, selector in zip(a.tolist(), b.tolist(), c.tolist(), strict=True):
        source = struct.pack("<II", x, y)
        nibbles = [selector >> 4 * i & 15 for i in range(4)]
        permuted.append(
            int.from_bytes([(0xFF if source[n & 7] > 127 else 0) if n & 8 else source[n] for n in nibbles], "little")
        )
        products.append(
            (selector + sum(p * q for p, q in zip(struct.pack("<I", x), struct.pack("<I", y), strict=True)))
            & 0xFFFFFFFF
        )
    assert apply(library, "byte_perm", np.uint32, a, b, c).tolist() == permuted
    assert apply(library, "udp4a", np.uint32, a, b, c).tolist() == products
    signed = [np.int32(v.view(np.int32)) for v in (a, b, c)]
    want = (signed[0].view(np.int8).reshape(-1, 4).astype(np.int64) * signed[1].view(np.int8).reshape(-1, 4)).sum(
        1
    ) + signed[2]
    np.testing.assert_array_equal(apply(library, "dp4a", np.int32, *signed), want.astype(np.int32))


def test_casts_by_bits_and_mixed_signs(library: ctypes.CDLL) -> None:
    x = np.float32([1, -2.5, np.inf])
    np.testing.assert_array_equal(apply(library, "as_int", np.int32, x), x.view(np.int32))
    np.testing.assert_array_equal(apply(library, "of_int", np.float32, x.view(np.int32)), x)
    # min(int, unsigned) compares as unsigned, as nvcc does.
    assert apply(library, "mixed_min", np.uint32, np.int32([-1, 3])).tolist() == [4, 3]
    assert apply(library, "mixed_max", np.uint32, np.int32([-1, 3])).tolist() == [2**32 - 1, 4]
