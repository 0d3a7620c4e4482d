"""__half and __nv_bfloat16 of the simulator's headers: all 65536 values, against NumPy, ml_dtypes and fractions."""

from __future__ import annotations

import ctypes
import itertools
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from support.compilers import FAMILIES
from support.header_programs import apply, loops, program

# NaN and infinity are meant.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "sin": np.sin, "cos": np.cos,
    "tanh": np.tanh, "sqrt": np.sqrt, "trunc": np.trunc, "ceil": np.ceil, "floor": np.floor, "rint": np.rint,
    "exp10": lambda x: np.power(10.0, x), "rsqrt": lambda x: 1 / np.sqrt(x), "rcp": lambda x: 1 / x,
}  # fmt: skip
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
INTEGERS = {
    "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64,
}  # fmt: skip
C_INTEGERS = {
    "short": "short", "ushort": "unsigned short", "int": "int", "uint": "unsigned", "ll": "long long",
    "ull": "unsigned long long",
}  # fmt: skip
MODES = ("rn", "rz", "ru", "rd")


class Type:
    """A 16-bit type: its names in CUDA, its NumPy type, and all its values in order."""

    def __init__(self, word: str, header: str, name: str, dtype: type) -> None:
        self.word, self.header, self.name, self.dtype = word, header, name, dtype
        self.bits = np.arange(65536, dtype=np.uint16)
        with np.errstate(all="ignore"):
            self.values = self.bits.view(dtype).astype(np.float64)
        positive = np.arange(0x8000, dtype=np.uint16)
        with np.errstate(all="ignore"):
            finite = positive[np.isfinite(positive.view(dtype).astype(np.float64))]
        self.table = finite.view(dtype).astype(np.float64)  # the magnitudes, ascending: index == bits
        self.infinity = np.uint16(len(finite))
        self.nan = np.uint16(self.infinity | 1)

    def source(self) -> str:
        word, name, pair = self.word, self.name, f"{self.name}2"
        as_bits, of_bits = f"__{word}_as_ushort", f"__ushort_as_{word}"
        unary = {f"h{f}_": f"{as_bits}(h{f}({of_bits}(a)))" for f in FUNCTIONS}
        unary |= {"neg": f"{as_bits}(-{of_bits}(a))", "abs_": f"{as_bits}(__habs({of_bits}(a)))"}
        binary = {n: f"{as_bits}({of_bits}(a) {op} {of_bits}(b))" for n, op in
                  (("add", "+"), ("sub", "-"), ("mul", "*"), ("quotient", "/"))}  # fmt: skip
        for n in ("hmin", "hmax", "hmin_nan", "hmax_nan", "hadd_sat", "hsub_sat", "hmul_sat"):
            binary[n] = f"{as_bits}(__{n}({of_bits}(a), {of_bits}(b)))"
        pairs = f"{pair}({of_bits}(a), {of_bits}(b))"
        tests = {}
        for n in COMPARISONS:
            tests[f"h{n}_"] = f"__h{n}({of_bits}(a), {of_bits}(b))"
            tests[f"h{n}u_"] = f"__h{n}u({of_bits}(a), {of_bits}(b))"
            tests[f"h{n}2_mask_"] = f"__h{n}2_mask({pairs}, {pair}({of_bits}(b), {of_bits}(a)))"
        tests |= {"isnan_": f"__hisnan({of_bits}(a))", "isinf_": f"__hisinf({of_bits}(a))"}
        triple = f"__hfma({of_bits}(a), {of_bits}(b), {of_bits}(c))"
        from_float = {f"from_float_{m}": f"{as_bits}(__float2{word}_{m}(a))" for m in MODES}
        from_float["from_float"] = f"{as_bits}({name}(a))"
        out = [f'#include "{self.header}"\n']
        out += [loops({"to_float": f"__{word}2float({of_bits}(a))"}, ("unsigned short",), "float")]
        out += [loops(from_float, ("float",), "unsigned short")]
        out += [loops({"from_double": f"{as_bits}(__double2{word}(a))"}, ("double",), "unsigned short")]
        out += [loops(unary, ("unsigned short",), "unsigned short")]
        out += [loops(binary, ("unsigned short",) * 2, "unsigned short")]
        out += [loops(tests, ("unsigned short",) * 2, "int")]
        out += [loops({"fma_": f"{as_bits}({triple})"}, ("unsigned short",) * 3, "unsigned short")]
        for n, c in C_INTEGERS.items():
            for m in MODES:
                out += [loops({f"to_{n}_{m}": f"__{word}2{n}_{m}({of_bits}(a))"}, ("unsigned short",), c)]
                out += [loops({f"from_{n}_{m}": f"{as_bits}(__{n}2{word}_{m}(a))"}, (c,), "unsigned short")]
        return "".join(out)

    def round(self, exact: list[Fraction] | np.ndarray, mode: str = "rn") -> np.ndarray:
        """Bits of exact finite values, by search in the table of all magnitudes."""
        out = []
        largest = Fraction(self.table[-1])
        step = largest - Fraction(self.table[-2])
        for value in map(Fraction, exact):
            size, sign = abs(value), 0x8000 if value < 0 else 0
            away = {"rn": None, "rz": False, "ru": value > 0, "rd": value < 0}[mode]
            if size > largest:
                over = size >= largest + step / 2 if away is None else away
                out.append(sign | (self.infinity if over else self.infinity - 1))
                continue
            low = int(np.searchsorted(self.table, float(size), side="right")) - 1
            low -= Fraction(self.table[low]) > size
            low += low + 1 < len(self.table) and Fraction(self.table[low + 1]) <= size
            rest = size - Fraction(self.table[low])
            above = largest + step if low + 1 == len(self.table) else Fraction(self.table[low + 1])
            half = (above - Fraction(self.table[low])) / 2
            up = (rest > half or (rest == half and low & 1)) if away is None else away and rest > 0
            out.append(sign | (low + int(up)))
        return np.array(out, np.uint16)

    def nearest(self, values: np.ndarray) -> np.ndarray:
        """Bits of float64 values, any of them, rounded once to nearest even."""
        step = self.table[-1] - self.table[-2]
        middles = np.append((self.table[1:] + self.table[:-1]) / 2, self.table[-1] + step / 2)
        size = np.where(np.isnan(values), 0, np.abs(values))
        low = np.searchsorted(middles, size, side="left")
        low += (low < len(middles)) & (size == middles[np.minimum(low, len(middles) - 1)]) & (low & 1)
        bits = low.astype(np.uint16) | np.where(np.signbit(values), 0x8000, 0).astype(np.uint16)
        return np.where(np.isnan(values), self.nan, bits)

    def same(self, got: np.ndarray, want: np.ndarray) -> None:
        """Equal bits, any NaN equal to any NaN."""
        nan = np.isnan(self.values)
        wrong = (got != want) & ~(nan[got] & nan[want])
        assert not wrong.any(), [(i, hex(got[i]), hex(want[i])) for i in np.flatnonzero(wrong)[:5]]


HALF = Type("half", "cuda_fp16.h", "__half", np.float16)
BF16 = Type("bfloat16", "cuda_bf16.h", "__nv_bfloat16", ml_dtypes.bfloat16)
SPECIAL = {
    HALF: [0, 1, 0x3FF, 0x400, 0x3C00, 0x7BFF, 0x7C00, 0x7E00],
    BF16: [0, 1, 0x7F, 0x80, 0x3F80, 0x7F7F, 0x7F80, 0x7FC0],
}


@pytest.fixture(params=[HALF, BF16], ids=["half", "bf16"])
def kind(request: pytest.FixtureRequest) -> Type:
    return request.param


@pytest.fixture(params=FAMILIES)
def library(request: pytest.FixtureRequest, kind: Type) -> ctypes.CDLL:
    return program(kind.source(), request.param)


def operands(kind: Type, count: int, arity: int) -> list[np.ndarray]:
    """Random bits, with every combination of special values in front."""
    special = np.array(SPECIAL[kind] + [s | 0x8000 for s in SPECIAL[kind]], np.uint16)
    grid = np.array(np.meshgrid(*[special] * arity)).reshape(arity, -1)
    noise = np.random.default_rng(7).integers(0, 65536, (arity, count), np.uint16)
    # Half of the noise near 1, where sums round.
    noise[:, ::2] = (noise[:, ::2] & 0x83FF) | (special[4] & 0x7C00)
    return list(np.concatenate([grid, noise], axis=1))


def floats_to_round(kind: Type) -> np.ndarray:
    """Every value, every midpoint of neighbours, and the float32 next to each."""
    table = kind.table
    middle = (table[1:] + table[:-1]) / 2
    over = table[-1] + (table[-1] - table[-2]) / 2
    with np.errstate(over="ignore"):
        x = np.concatenate([table, middle, [over, over * 1.5, 0.0, 1e-45]]).astype(np.float32)
        x = np.concatenate([x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(-np.inf))])
    return np.concatenate([x, -x, np.array([np.inf, -np.inf, np.nan], np.float32)])


def test_every_value_widens_exactly(kind: Type, library: ctypes.CDLL) -> None:
    got = apply(library, "to_float", np.float32, kind.bits)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got.astype(np.float64), kind.values)
    finite = ~np.isnan(kind.values)
    np.testing.assert_array_equal(np.signbit(got[finite]), np.signbit(kind.values[finite]))


def test_floats_narrow_to_nearest_even(kind: Type, library: ctypes.CDLL) -> None:
    x = floats_to_round(kind)
    with np.errstate(over="ignore"):
        want = x.astype(kind.dtype).view(np.uint16)
    kind.same(apply(library, "from_float", np.uint16, x), want)
    kind.same(apply(library, "from_float_rn", np.uint16, x), want)
    kind.same(apply(library, "from_double", np.uint16, x.astype(np.float64)), want)


@pytest.mark.parametrize("mode", ["rz", "ru", "rd"])
def test_floats_narrow_in_a_direction(kind: Type, library: ctypes.CDLL, mode: str) -> None:
    x = floats_to_round(kind)
    x = x[np.isfinite(x)][::13]
    x = x[x != 0]
    kind.same(apply(library, f"from_float_{mode}", np.uint16, x), kind.round(x.astype(np.float64), mode))


def test_doubles_are_rounded_once(kind: Type, library: ctypes.CDLL) -> None:
    middle = ((kind.table[1:] + kind.table[:-1]) / 2)[1::37]
    x = np.concatenate([np.nextafter(middle, np.inf), np.nextafter(middle, 0.0), middle])
    x = np.concatenate([x, -x])
    kind.same(apply(library, "from_double", np.uint16, x), kind.round(x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_on_every_value(kind: Type, library: ctypes.CDLL, name: str) -> None:
    with np.errstate(all="ignore"):
        want = kind.nearest(FUNCTIONS[name](kind.values))
    kind.same(apply(library, f"h{name}_", np.uint16, kind.bits), want)


def test_sums_products_quotients(kind: Type, library: ctypes.CDLL) -> None:
    a, b = operands(kind, 3000, 2)
    x, y = (v.view(kind.dtype).astype(np.float64) for v in (a, b))
    with np.errstate(all="ignore"):
        wants = {"add": x + y, "sub": x - y, "mul": x * y, "quotient": x / y}
    for name, want in wants.items():
        kind.same(apply(library, name, np.uint16, a, b), kind.nearest(want))


def test_fma_rounds_once(kind: Type, library: ctypes.CDLL) -> None:
    a, b, c = operands(kind, 3000, 3)
    # Products on a midpoint, tipped by an addend far below the product's last bit.
    one = SPECIAL[kind][4]
    grid = itertools.product(range(one + 1, one + 64), (one + 1, one + 3), (1, 2, 0x100, 0x8001, 0x8002, 0x8100))
    tipped = np.array(list(grid), np.uint16).T
    a, b, c = (np.concatenate(v) for v in zip((a, b, c), tipped, strict=True))
    x, y, z = (v.view(kind.dtype).astype(np.float64) for v in (a, b, c))
    got = apply(library, "fma_", np.uint16, a, b, c)
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    exact = [Fraction(p) * Fraction(q) + Fraction(r) for p, q, r in zip(x[finite], y[finite], z[finite], strict=True)]
    nonzero = np.array([e != 0 for e in exact])
    kind.same(got[finite][nonzero], kind.round([e for e in exact if e != 0]))
    with np.errstate(all="ignore"):
        kind.same(got[~finite], (x * y + z)[~finite].astype(kind.dtype).view(np.uint16))


def test_comparisons_and_nan(kind: Type, library: ctypes.CDLL) -> None:
    a, b = operands(kind, 1000, 2)
    x, y = (v.view(kind.dtype).astype(np.float64) for v in (a, b))
    unordered = np.isnan(x) | np.isnan(y)
    for name, compare in COMPARISONS.items():
        want = compare(x, y) & ~unordered
        np.testing.assert_array_equal(apply(library, f"h{name}_", np.int32, a, b), want)
        np.testing.assert_array_equal(apply(library, f"h{name}u_", np.int32, a, b), want | unordered)
        mask = np.where(want, 0xFFFF, 0) | np.where(compare(y, x) & ~unordered, 0xFFFF0000, 0)
        np.testing.assert_array_equal(apply(library, f"h{name}2_mask_", np.uint32, a, b), mask)
    np.testing.assert_array_equal(apply(library, "isnan_", np.int32, a, b), np.isnan(x))
    np.testing.assert_array_equal(apply(library, "isinf_", np.int32, a, b), np.isposinf(x).astype(int) - np.isneginf(x))


def test_min_max_and_saturation(kind: Type, library: ctypes.CDLL) -> None:
    a, b = operands(kind, 1000, 2)
    x, y = (v.view(kind.dtype).astype(np.float64) for v in (a, b))
    with np.errstate(all="ignore"):
        ignoring = {"hmin": np.fmin(x, y), "hmax": np.fmax(x, y)}
        for name, want in (ignoring | {"hmin_nan": np.minimum(x, y), "hmax_nan": np.maximum(x, y)}).items():
            got = apply(library, name, np.uint16, a, b)
            np.testing.assert_array_equal(kind.values[got], want)
        for name, want in (("hadd_sat", x + y), ("hsub_sat", x - y), ("hmul_sat", x * y)):
            got = kind.values[apply(library, name, np.uint16, a, b)]
            clamped = np.nan_to_num(np.clip(want, 0, 1), nan=0.0)
            np.testing.assert_array_equal(got, kind.values[kind.round(clamped)])
    zeros = np.array([0, 0x8000], np.uint16)
    np.testing.assert_array_equal(apply(library, "hmax", np.uint16, zeros, zeros[::-1]), [0, 0])
    np.testing.assert_array_equal(apply(library, "hmin", np.uint16, zeros, zeros[::-1]), [0x8000, 0x8000])


def test_sign_operations(kind: Type, library: ctypes.CDLL) -> None:
    np.testing.assert_array_equal(apply(library, "neg", np.uint16, kind.bits), kind.bits ^ 0x8000)
    np.testing.assert_array_equal(apply(library, "abs_", np.uint16, kind.bits), kind.bits & 0x7FFF)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(kind: Type, library: ctypes.CDLL, name: str) -> None:
    dtype = INTEGERS[name]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    round_value = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}
    # PTX, cvt: NaN gives 0, and the top bit alone for a 64-bit result.
    nan = (1 << 63 if low == 0 else low) if dtype().itemsize == 8 else 0
    powers = [1 << p for p in range(dtype().itemsize * 8)]
    edges = {p + more for p in powers for more in (-1, 0, 1, p >> 8, (p >> 8) + 1)}  # p + p/256 lies on a midpoint
    numbers = sorted({s * v for v in edges for s in (1, -1) if low <= s * v <= high} | {low, high})
    numbers.remove(0)
    for mode in MODES:
        got = apply(library, f"to_{name}_{mode}", dtype, kind.bits)
        whole = round_value[mode](kind.values)
        want = [nan if np.isnan(v) else low if v <= low else high if v >= high else int(v) for v in whole]
        assert [int(g) for g in got] == want
        got = apply(library, f"from_{name}_{mode}", np.uint16, np.array(numbers, dtype))
        kind.same(got, kind.round([Fraction(n) for n in numbers], mode))
