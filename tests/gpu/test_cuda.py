"""The CUDA backend on a GPU: a kernel runs, and each way of going wrong gives its finding.

Crashes run in a child process, because they take the process's CUDA context with them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from onekernel import cuda
from onekernel.backends.base import Buffer, BuildError
from support.gpu import needs_cuda
from support.patience import HUNG_SECONDS

pytestmark = needs_cuda()

GUARD = 256

PREFIX = "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cstdint>\n"
ADD = PREFIX + textwrap.dedent("""\
    __global__ void add(const float* a, const float* b, float* out, int64_t n) {
        int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
        if (i < n) out[i] = a[i] + b[i];
    }
    extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
        return cudaGetLastError();
    }
    """)
PROTOTYPE = (
    'extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream);'
)


def _buffer(name: str, values: np.ndarray, offset: int = GUARD, writable: bool = False) -> Buffer:
    memory = np.full(offset + values.nbytes + GUARD, 0xA5, np.uint8)
    memory[offset : offset + values.nbytes] = values.view(np.uint8).ravel()
    return Buffer(name, memory, offset, values.nbytes, writable, values.itemsize)


def _values(buffer: Buffer, dtype: type = np.float32) -> np.ndarray:
    return buffer.memory[buffer.offset : buffer.offset + buffer.extent].view(dtype)


def _call(source: str, tmp_path, n: int = 1000, offset: int = GUARD):
    path = tmp_path / "vector_add.cu"
    path.write_text(source)
    rng = np.random.default_rng(1)
    a, b = rng.random(n, np.float32), rng.random(n, np.float32)
    args = [_buffer("a", a, offset), _buffer("b", b, offset), _buffer("out", np.zeros_like(a), offset, True), n]
    return cuda.build(path, [PROTOTYPE]).call("vector_add", args), args, a + b


@pytest.mark.parametrize("offset", [GUARD, GUARD + 4])
def test_a_right_kernel_fills_the_output_and_leaves_the_guards(tmp_path, offset):
    report, args, expected = _call(ADD, tmp_path, offset=offset)
    assert (report.status, report.status_name, report.findings) == (0, "cudaSuccess", ())
    np.testing.assert_array_equal(_values(args[2]), expected)
    assert (args[2].memory[:offset] == 0xA5).all() and (args[2].memory[offset + args[2].extent :] == 0xA5).all()
    assert report.seconds > 0


def test_a_write_past_the_end_comes_back_in_the_guard(tmp_path):
    _, args, _ = _call(ADD.replace("i < n", "i < n + 1"), tmp_path)
    assert (args[2].memory[GUARD + args[2].extent :][:4] != 0xA5).any()


def test_the_pointer_keeps_the_alignment_of_its_offset(tmp_path):
    source = ADD.replace("out[i] = a[i] + b[i]", "out[i] = (float)(reinterpret_cast<uintptr_t>(a) % 256)")
    _, args, _ = _call(source, tmp_path, offset=GUARD + 12)
    assert (_values(args[2]) == 12).all()


def test_half_operators_are_on(tmp_path):
    source = ADD.replace("a[i] + b[i]", "__half2float(__half(a[i]) + __half(b[i]))")
    report, args, expected = _call(source, tmp_path)
    assert report.status == 0
    np.testing.assert_allclose(_values(args[2]), expected, rtol=2e-3)


def test_repeated_launches_are_timed_and_the_output_of_the_chosen_one_comes_back(tmp_path):
    skips = "add<<<", "if (calls++ == 4) return cudaSuccess;\n    add<<<"  # launch 3, after the untimed one
    path = tmp_path / "vector_add.cu"
    path.write_text(ADD.replace("extern", "static int calls = 0;\nextern", 1).replace(*skips))
    values = np.arange(1, 1001, dtype=np.float32)
    args = [_buffer("a", values), _buffer("b", values), _buffer("out", np.zeros_like(values), writable=True), 1000]
    program = cuda.build(path)
    report, times = program.timed("vector_add", args, launches=5, kept=3)
    assert report.status == 0 and len(times) == 5 and min(times) > 0
    assert (_values(args[2]) == 0).all()  # the launch that was skipped shows
    program.timed("vector_add", args, launches=5, kept=3)
    np.testing.assert_array_equal(_values(args[2]), values + values)


def test_a_launch_error_that_the_launcher_swallows_is_found(tmp_path):
    source = ADD.replace("256, 0", "2048, 0").replace("return cudaGetLastError()", "return cudaSuccess")
    report, _, _ = _call(source, tmp_path)
    codes = {f.code for f in report.findings}
    assert "error-not-returned" in codes
    assert codes & {"invalid-configuration", "invalid-value"}  # CUDA 13 calls a block of 2048 threads an invalid value


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('extern "C" ', "", "missing-extern-c"),
        ("cudaError_t vector_add", "cudaError_t vectoradd", "missing-export"),
        ("int64_t n, cudaStream_t stream)", "int n, cudaStream_t stream)", "wrong-signature"),
        ("i < n", "i < m", "compile-error"),
        ("if (i < n)", "helper(); if (i < n)", "function-of-host"),
        ("add<<<", "helper(); add<<<", "undefined-symbol"),
    ],
)
def test_a_file_that_cannot_be_called_is_refused_with_its_code(tmp_path, old, new, code):
    with pytest.raises(BuildError) as caught:
        _call(ADD.replace("__global__", "void helper();\n__global__").replace(old, new), tmp_path)
    assert caught.value.findings[0].code == code


CHILD = """
import json, sys
from pathlib import Path
sys.path[:0] = {tests!r}
import test_cuda as t
report, _, _ = t._call(Path({source!r}).read_text(), Path({folder!r}))
again, _, _ = t._call(t.ADD, Path({folder!r}))
print(json.dumps([[[f.code, f.line] for f in r.findings] for r in (report, again)]))
"""


def _crash(tmp_path, source: str):
    kept = tmp_path / "crash.cu"
    kept.write_text(source)
    script = CHILD.format(tests=[str(p) for p in Path(__file__).parents[:2]], source=str(kept), folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_nothing_of_the_file_runs_while_it_is_built(tmp_path):
    marker = tmp_path / "ran"
    source = f'#include <cstdio>\nstatic int early = (fopen("{marker}", "w"), 1);\n' + ADD
    path = tmp_path / "vector_add.cu"
    path.write_text(source)
    program = cuda.build(path)
    assert not marker.exists()
    program.function("vector_add")
    assert marker.exists()


def test_an_illegal_address_is_the_learners_crash_with_its_line(tmp_path):
    first, again = _crash(tmp_path, ADD.replace("a[i] + b[i]", "a[i + (1LL << 40)]"))
    line = next(n for n, text in enumerate(ADD.splitlines(), 1) if "a[i] + b[i]" in text)
    assert first[0][0] == "illegal-address"
    if shutil.which("compute-sanitizer"):
        assert ["out-of-bounds-read", line] in first
    assert again == [["context-lost", None]]
