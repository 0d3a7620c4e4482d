"""What the Triton backend refuses before it starts, and the rounding that it fixes."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from onekernel.backends.base import Unavailable
from onekernel.triton import faults


def versions(monkeypatch, **given_versions: str | None) -> None:
    real = metadata.version

    def version(package: str) -> str:
        if package not in given_versions:
            return real(package)
        if given_versions[package] is None:
            raise metadata.PackageNotFoundError(package)
        return given_versions[package]

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setenv("TRITON_INTERPRET", "1")


def test_a_missing_triton_is_named(monkeypatch):
    versions(monkeypatch, triton=None)
    with pytest.raises(Unavailable, match="not installed"):
        faults.choose_interpreter()


def test_an_old_triton_is_refused(monkeypatch):
    versions(monkeypatch, triton="3.2.0")
    with pytest.raises(Unavailable, match=r"3\.2\.0"):
        faults.choose_interpreter()


AS_IN_3_6_0 = """
import sys
import numpy as np
from triton.runtime import interpreter

patch = interpreter._patch_lang_tensor

def older(tensor, scope):
    patch(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data))

interpreter._patch_lang_tensor = older
from onekernel import triton
from onekernel.backends.base import Buffer

x = np.arange(1, 6, dtype=np.float32)
buffers = [Buffer("x", x.view(np.uint8), 0, 20, False, 4, (5,), "float32"),
           Buffer("y", np.zeros(4, np.uint8), 0, 4, True, 4, (1,), "float32")]
program = triton.build(sys.argv[1], interpret=True)
program.prepare()
report = program.call("total", buffers)
print([f.message.text() for f in report.findings], buffers[1].memory.view(np.float32))
"""
LOOP = """
import triton
import triton.language as tl

@triton.jit
def add_up(x, y, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x + i)
    tl.store(y, total)

def total(x, y):
    add_up[(1,)](x, y, x.numel())
    return y
"""


@pytest.mark.slow
@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="an older NumPy does what is asked of it")
def test_a_loop_with_a_bound_of_run_time_runs_as_triton_3_6_0_asks_for_the_bound(tmp_path):
    pytest.importorskip("triton")
    (tmp_path / "total.py").write_text(LOOP)
    words = [sys.executable, "-c", AS_IN_3_6_0, str(tmp_path / "total.py")]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "TRITON_INTERPRET": "1"})
    assert done.stdout == "[] [15.]\n", done.stdout + done.stderr


def test_a_triton_imported_the_other_way_is_refused(monkeypatch):
    pytest.importorskip("triton")
    versions(monkeypatch, triton="3.7.1", numpy="2.4.1")
    monkeypatch.setitem(sys.modules, "triton", sys.modules.get("triton", object()))
    monkeypatch.setattr(faults, "_interprets", lambda: False)
    with pytest.raises(Unavailable, match="before"):
        faults.choose_interpreter()


@given(hnp.arrays(np.float32, st.integers(0, 50), elements=st.floats(width=32)))
def test_bfloat16_is_rounded_as_ml_dtypes_rounds_it(values):
    with np.errstate(all="ignore"):
        want = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    got = (faults.to_bfloat16(values).astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(got, want)


@given(hnp.arrays(np.float32, st.integers(0, 50), elements=st.floats(width=32)))
def test_tf32_has_ten_bits_of_fraction_and_is_rounded_to_nearest(values):
    got = faults.to_tf32(values)
    assert not (got[np.isfinite(values)].view(np.uint32) & 0x1FFF).any()
    np.testing.assert_array_equal(got[~np.isfinite(values)], values[~np.isfinite(values)])
    inside = np.isfinite(values) & np.isfinite(got)
    off = np.abs(got[inside].astype(np.float64) - values[inside])
    assert (off <= np.abs(values[inside]).astype(np.float64) * 2.0**-11 + 2.0**-137).all()
