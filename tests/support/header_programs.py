"""C++ snippets on the simulator's CUDA headers, compiled by each compiler of this machine, called through ctypes."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

import onekernel

INCLUDE = Path(onekernel.__file__).parent / "simulator" / "runtime" / "api"


@functools.cache
def program(source: str, compiler: str) -> ctypes.CDLL:
    """The snippet as a shared library; warnings in the headers are errors."""
    folder = Path(tempfile.mkdtemp(prefix="onekernel-headers-"))
    (folder / "snippet.cpp").write_text(source)
    flags = ["-std=c++17", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}"]
    flags.append("-Wno-deprecated-declarations")  # the mark of what a host alone may call
    command = [compiler, *flags, "snippet.cpp", "-o", "snippet.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(folder / "snippet.so"))
    shutil.rmtree(folder)
    return library


def apply(library: ctypes.CDLL, name: str, out_type: type, *operands: np.ndarray) -> np.ndarray:
    """Calls `void call_NAME(const T* a, ..., U* out, long n)` on arrays of one length."""
    arrays = [np.ascontiguousarray(a) for a in operands]
    out = np.empty(arrays[0].shape, out_type)
    getattr(library, f"call_{name}")(*(ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out)), ctypes.c_long(out.size))
    return out


def loops(functions: dict[str, str], operands: tuple[str, ...], result: str) -> str:
    """C source of one such function for each name; the expression's operands are a, b, c."""
    letters = "abcd"[: len(operands)]
    parameters = ", ".join(f"const {t}* {v}s" for t, v in zip(operands, letters, strict=True))
    unpack = " ".join(f"const {t} {v} = {v}s[i]; (void){v};" for t, v in zip(operands, letters, strict=True))
    body = 'extern "C" void call_{}({}, {}* out, long n) {{ for (long i = 0; i < n; ++i) {{ {} out[i] = {}; }} }}\n'
    return "".join(body.format(n, parameters, result, unpack, e) for n, e in functions.items())


def exact(value: float) -> Fraction:
    return Fraction(float(value))


def rounded(value: Fraction, mode: str, dtype: type) -> np.floating:
    """`value` as float32 or float64, rounded to nearest even (rn), toward zero (rz), up (ru) or down (rd)."""
    nearest = dtype(float(value))
    # The detour through float64 may miss the nearest float32 by one: look at the neighbours.
    around = [np.nextafter(nearest, dtype(-np.inf)), nearest, np.nextafter(nearest, dtype(np.inf))]
    finite = [f for f in around if np.isfinite(f)]
    if mode == "rn":
        unsigned = {np.float32: np.uint32, np.float64: np.uint64}[dtype]
        return min(finite, key=lambda f: (abs(exact(f) - value), int(f.view(unsigned)) & 1))
    down = max(f for f in finite if exact(f) <= value)
    up = min(f for f in finite if exact(f) >= value)
    return {"rd": down, "ru": up, "rz": down if value >= 0 else up}[mode]
