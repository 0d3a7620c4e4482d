"""The 8-bit floating types of the simulator's headers, bit for bit against ml_dtypes: all 16-bit inputs, and floats
between all neighbours."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from support.compilers import FAMILIES
from support.header_programs import apply, loops, program

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NaN and infinity are meant

TYPES = {"E4M3": ("e4m3", ml_dtypes.float8_e4m3fn), "E5M2": ("e5m2", ml_dtypes.float8_e5m2)}
BYTES = np.arange(256, dtype=np.uint8)
WORDS = np.arange(65536, dtype=np.uint16)


def source() -> str:
    text = '#include "cuda_fp8.h"\n'
    for word, (name, _) in TYPES.items():
        kind, pair, four = f"__nv_fp8_{name}", f"__nv_fp8x2_{name}", f"__nv_fp8x4_{name}"
        raw = f"__NV_{word}"
        made = f"[&] {{ {kind} v; v.__x = a; return v; }}()"
        twice = "make_float2(a, -a)"
        modes = {f"{name}_{how}": f"__nv_cvt_float_to_fp8(a, __NV_{how}, {raw})" for how in ("NOSAT", "SATFINITE")}
        text += loops(modes, ("float",), "unsigned char")
        text += loops({f"{name}_float": f"{kind}(a).__x"}, ("float",), "unsigned char")
        text += loops({f"{name}_double": f"{kind}(a).__x"}, ("double",), "unsigned char")
        text += loops({f"{name}_int": f"{kind}(a).__x"}, ("int",), "unsigned char")
        narrow = {
            f"{name}_half": f"{kind}(__half(__half_raw{{a}})).__x",
            f"{name}_bf16": f"{kind}(__nv_bfloat16(__nv_bfloat16_raw{{a}})).__x",
        }
        text += loops(narrow, ("unsigned short",), "unsigned char")
        text += loops({f"{name}_value": f"static_cast<float>({made})"}, ("unsigned char",), "float")
        text += loops({f"{name}_halfraw": f"__nv_cvt_fp8_to_halfraw(a, {raw}).x"}, ("unsigned char",), "unsigned short")
        text += loops(
            {f"{name}_back": f"__half_raw(static_cast<__half>({made})).x"}, ("unsigned char",), "unsigned short"
        )
        for type_name in ("int", "short", "unsigned char", "long long"):
            text += loops(
                {f"{name}_to_{type_name.replace(' ', '_')}": f"static_cast<{type_name}>({made})"},
                ("unsigned char",),
                type_name,
            )
        text += loops({f"{name}_pair": f"{pair}({twice}).__x"}, ("float",), "unsigned short")
        text += loops({f"{name}_four": f"{four}(make_float4(a, -a, 0.0f, 2 * a)).__x"}, ("float",), "unsigned")
        unpacked = f"static_cast<float4>({four}({pair}({twice}), {pair}({twice})))"
        total = f"[&] {{ float4 v = {unpacked}; return v.x + 2 * v.y + 4 * v.z + 8 * v.w; }}()"
        text += loops({f"{name}_sum": total}, ("float",), "float")
    return text


def floats(dtype: type) -> np.ndarray:
    """Each value of the type, each midpoint of two neighbours, what lies beside, and what is too large or small."""
    values = np.sort(BYTES[:128].view(dtype).astype(np.float64))
    values = values[np.isfinite(values)]
    middles = np.concatenate([(values[1:] + values[:-1]) / 2, [values[-1] + (values[-1] - values[-2]) / 2]])
    exact = np.concatenate([values, middles, [1e-30, 1e5, 1e30, 3.4e38]]).astype(np.float32)
    near = np.concatenate([exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(0))])
    return np.concatenate([near, -near, [np.inf, -np.inf, np.nan]]).astype(np.float32)


def rounded(x: np.ndarray, dtype: type, saturates: bool) -> np.ndarray:
    """The bits that ml_dtypes gives; NaN without its sign; with `saturates` the largest number where it overflows."""
    with np.errstate(all="ignore"):
        wide = x.astype(np.float32)
        bits = wide.astype(dtype).view(np.uint8)
    most = np.float32(ml_dtypes.finfo(dtype).max)
    largest = np.array([most]).astype(dtype).view(np.uint8)[0]
    over = ~np.isfinite(bits.view(dtype).astype(np.float32)) & ~np.isnan(wide)
    if saturates:
        bits = np.where(over, largest | (np.signbit(wide) * np.uint8(0x80)), bits)
    return np.where(np.isnan(wide), 0x7F, bits).astype(np.uint8)


@pytest.mark.parametrize("compiler", FAMILIES)
@pytest.mark.parametrize("word", TYPES)
@pytest.mark.slow
def test_conversions_are_ml_dtypes_bit_for_bit(word: str, compiler: str) -> None:
    name, dtype = TYPES[word]
    library = program(source(), compiler)
    x = floats(dtype)
    for how, saturates in (("NOSAT", False), ("SATFINITE", True), ("float", True)):
        got = apply(library, f"{name}_{how}", np.uint8, x)
        np.testing.assert_array_equal(got, rounded(x, dtype, saturates), err_msg=how)
    np.testing.assert_array_equal(
        apply(library, f"{name}_half", np.uint8, WORDS), rounded(WORDS.view(np.float16), dtype, True)
    )
    np.testing.assert_array_equal(
        apply(library, f"{name}_bf16", np.uint8, WORDS), rounded(WORDS.view(ml_dtypes.bfloat16), dtype, True)
    )
    # A double is rounded once: through float this one would fall on the middle, and to the even neighbour.
    step = float(ml_dtypes.finfo(dtype).eps)
    once = np.array([1 + step / 2 + 2.0**-40, 1 + step / 2, -3.0])
    assert apply(library, f"{name}_double", np.uint8, once).view(dtype).astype(float).tolist() == [1 + step, 1, -3]
    counts = np.array([0, 1, -17, 1000, 2**31 - 1], np.int32)
    np.testing.assert_array_equal(apply(library, f"{name}_int", np.uint8, counts), rounded(counts, dtype, True))

    values = BYTES.view(dtype).astype(np.float32)
    np.testing.assert_array_equal(apply(library, f"{name}_value", np.float32, BYTES), values)
    halves = np.where(np.isnan(values), 0x7FFF, values.astype(np.float16).view(np.uint16))
    np.testing.assert_array_equal(apply(library, f"{name}_halfraw", np.uint16, BYTES), halves)
    np.testing.assert_array_equal(apply(library, f"{name}_back", np.uint16, BYTES), halves)
    for c_type, integer in (
        ("int", np.int32),
        ("short", np.int16),
        ("unsigned_char", np.uint8),
        ("long_long", np.int64),
    ):
        limits = np.iinfo(integer)
        finite = np.nan_to_num(values.astype(np.float64), nan=0, posinf=np.inf, neginf=-np.inf)
        want = [limits.max if v >= limits.max else limits.min if v <= limits.min else int(v) for v in finite]
        want = [limits.min if np.isnan(v) and limits.bits == 64 else w for v, w in zip(values, want, strict=True)]
        np.testing.assert_array_equal(apply(library, f"{name}_to_{c_type}", integer, BYTES), want, err_msg=c_type)

    one = np.array([1.0, 0.5, -1.75, 3.0], np.float32)
    both = [rounded(v, dtype, True).astype(np.uint32) for v in (one, -one, 2 * one)]
    np.testing.assert_array_equal(apply(library, f"{name}_pair", np.uint16, one), both[0] | both[1] << 8)
    np.testing.assert_array_equal(
        apply(library, f"{name}_four", np.uint32, one), both[0] | both[1] << 8 | both[2] << 24
    )
    np.testing.assert_array_equal(apply(library, f"{name}_sum", np.float32, one), one - 2 * one + 4 * one - 8 * one)
