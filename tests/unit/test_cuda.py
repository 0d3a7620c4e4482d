"""The CUDA backend: what needs no GPU (compiler text, declarations, sanitizer reports), then the GPU itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from onekernel import cuda
from onekernel.backends import declarations
from onekernel.backends.base import BuildError, Unavailable
from onekernel.cuda import program, toolchain
from onekernel.cuda.diagnostics import SHOWN, finding_of_status, findings_of_log, is_sticky
from onekernel.cuda.sanitizer import findings_of_report
from onekernel.messages import Message

PATH = Path("mine/vector_add.cu")

# Written by nvcc 13.0.88 and g++ 12.2 for small faulty files.
FRONT_END = """\
FAILED: a.cuda.o
/cache/x.f_cj41gu/vector_add.cu(3): error: identifier "foo" is undefined
            void k(const float* x, float* y, int64_t n) { int i = threadIdx.x; y[i] = x[i] * foo; z = 3; }
                                                                                             ^
/cache/x.f_cj41gu/vector_add.cu(7): warning #940-D: missing return statement at end of non-void function "vector_add"
3 errors detected in the compilation of "/cache/x.f_cj41gu/vector_add.cu".
"""
HOST = """\
/cache/x/vector_add.cu:2:10: fatal error: nothere.h: No such file or directory
    2 | #include "nothere.h"
compilation terminated.
"""
PTXAS = "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)"
LINKER = "/cache/x/onekernel_1.so: undefined symbol: _Z7missingv\nError building extension 'onekernel_1'"


@pytest.mark.parametrize(
    ("log", "code", "line", "text"),
    [
        (FRONT_END, "compile-error", 3, 'identifier "foo" is undefined'),
        (HOST, "compile-error", 2, "nothere.h"),
        (PTXAS, "shared-too-large", None, "80,000 bytes"),
        (LINKER, "undefined-symbol", None, "missing"),
        ("fatal error: error writing to /tmp/x.s: No space left on device", "disk-full", None, "disk is full"),
        ("nvcc fatal   : Unsupported gpu architecture 'compute_190'", "unsupported-card", None, "compute_190"),
        ("something new\nthat nobody knows", "build-failed", None, "that nobody knows"),
    ],
)
def test_a_compiler_log_becomes_one_finding_at_the_learners_line(log, code, line, text):
    (finding,) = findings_of_log(log, PATH)
    assert (finding.code, finding.line, finding.file) == (code, line, str(PATH))
    assert text in finding.message.text("en")


def test_many_errors_are_cut_short_and_the_rest_counted():
    log = "\n".join(f"vector_add.cu({n}): error: bad thing {n}" for n in range(1, 12))
    findings = findings_of_log(log, PATH)
    assert [f.line for f in findings[:SHOWN]] == [1, 2, 3, 4, 5]
    assert "6" in findings[SHOWN].message.text("en")
    assert len(findings) == SHOWN + 1


def test_an_error_in_a_header_keeps_the_headers_name():
    (finding,) = findings_of_log("/usr/include/foo.h(12): error: bad", PATH)
    assert finding.file == "/usr/include/foo.h"


SOURCE = """\
// extern "C" cudaError_t commented(const float* x, cudaStream_t stream) { }
#include <cuda_runtime.h>
#define MAKE(name) extern "C" cudaError_t name(int n, cudaStream_t stream) { return cudaSuccess; }
__global__ void kernel(const float* x, float* y, int64_t n) { if (n > 0) { y[0] = x[0]; } }
extern "C" cudaError_t good(const float* x, float* __restrict__ y, long long n, cudaStream_t stream) { return e; }
cudaError_t hidden(const float* x, float* y, int64_t n, cudaStream_t stream) { return cudaSuccess; }
extern "C" {
cudaError_t in_block(const __half* x, __half* y, int64_t n,
                     cudaStream_t stream) { for (int i = 0; i < 3; ++i) { g(i); } return cudaSuccess; }
}
extern "C" void no_status(const float* x, float* y, int64_t n, cudaStream_t stream) {}
extern "C" cudaError_t narrow(const float* x, float* y, int n, cudaStream_t stream) { return cudaSuccess; }
extern "C" cudaError_t few(const float* x, float* y, int64_t n) { return cudaSuccess; }
extern "C" cudaError_t wide(const double* x, float* y, int64_t n, cudaStream_t stream) { return cudaSuccess; }
extern "C" cudaError_t no_stream(const float* x, float* y, int64_t n, int64_t m) { return cudaSuccess; }
extern "C" cudaError_t typedefs(const vec* x, elem* y, index_t n, cudaStream_t stream) { return cudaSuccess; }
"""


def test_declarations_are_read_with_line_and_linkage():
    found = {d.name: d for d in declarations.functions(SOURCE)}
    assert "commented" not in found and "kernel" not in found and "MAKE" not in found and "if" not in found
    assert found["good"].extern_c and found["good"].line == 5
    assert found["in_block"].extern_c and found["in_block"].line == 8
    assert not found["hidden"].extern_c


@pytest.mark.parametrize(
    ("name", "c_type", "wrong"),
    [
        ("good", "float", None),
        ("in_block", "__half", None),
        ("in_block", "float", "wrong-parameter"),
        ("no_status", "float", "wrong-return"),
        ("narrow", "float", "wrong-parameter"),
        ("few", "float", "wrong-count"),
        ("wide", "float", "wrong-parameter"),
        ("no_stream", "float", "wrong-parameter"),
        ("typedefs", "float", None),  # unknown types are not judged
    ],
)
def test_a_signature_is_compared_with_the_prototype(name, c_type, wrong):
    declared = {d.name: d for d in declarations.functions(SOURCE)}[name]
    text = f'extern "C" cudaError_t {name}(const {c_type}* x, {c_type}* y, int64_t n, cudaStream_t stream);'
    found = declarations.mismatch(declared, declarations.prototype(text))
    assert (found and found[0]) == wrong
    assert found is None or Message(f"cuda.{found[0]}", found[1]).text("es")


def test_reading_declarations_is_linear_in_the_file():
    """A regular expression that backtracks takes minutes on this; linear time takes milliseconds."""
    source = "// " + "x" * 200_000 + "\n" + " " * 200_000 + "\nword " * 20_000
    assert declarations.functions(source) == []


# The form that compute-sanitizer 2025.3 writes (Compute Sanitizer documentation, "Memcheck tool").
REPORT = """\
========= COMPUTE-SANITIZER
onekernel-buffer a 0x7f0000000000 4000 4
onekernel-buffer out 0x7f0000002000 4000 4
========= Invalid __global__ read of size 4 bytes
=========     at add(const float *, const float *, float *, long)+0x160 in /cache/x/vector_add.cu:7
=========     by thread (232,0,0) in block (3,0,0)
=========     Access to 0x7f0000000fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 4000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========
========= Invalid __global__ read of size 4 bytes
=========     at add(const float *, const float *, float *, long)+0x160 in /cache/x/vector_add.cu:7
=========     by thread (233,0,0) in block (3,0,0)
=========     Access to 0x7f0000000fa4 is out of bounds
========= Invalid __global__ write of size 16 bytes
=========     at add(const float *, const float *, float *, long)+0x1a0 in vector_add.cu:9
=========     by thread (1,0,0) in block (0,0,0)
=========     Access to 0x7f0000002004 is misaligned
========= ERROR SUMMARY: 3 errors
"""


def test_a_memcheck_report_names_line_thread_and_tensor():
    first, second = findings_of_report(REPORT.splitlines(), PATH)
    assert (first.code, first.line, first.file) == ("out-of-bounds-read", 7, str(PATH))
    assert first.message.text("en") == (
        "Thread (232, 0, 0) of block (3, 0, 0) reads 4 bytes outside its memory: element 1000 of `a`, which has 1000."
    )
    assert (second.code, second.line) == ("misaligned-access", 9)
    assert "elemento 1 de `out`" in second.message.text("es")


def test_every_cuda_error_reads_well_in_both_languages():
    for status in (1, 2, 9, 98, 209, 700, 701, 702, 710, 715, 716, 719, 720, 999):
        finding = finding_of_status(status, "cudaErrorX", "softmax_naive", PATH)
        for lang in ("en", "es"):
            assert "softmax_naive" in finding.message.text(lang) and "cudaErrorX" in finding.message.text(lang)
    assert is_sticky(700) and not is_sticky(9) and not is_sticky(0)


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path):
    path = tmp_path / "vector_add.cu"
    path.write_bytes(b"// one\n// tama\xf1o\n")
    with pytest.raises(BuildError) as caught:
        cuda.build(path)
    (finding,) = caught.value.findings
    assert (finding.code, finding.line) == ("not-utf8", 2)


def test_a_torch_without_cuda_is_told_apart_from_a_missing_toolkit(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(toolchain, "_driver", lambda: None)
    message = _lacking()
    assert "built without CUDA" in message.text("en")
    assert torch.__version__ in message.text("es")


def test_who_has_no_driver_is_not_told_to_install_another_torch(monkeypatch):
    torch = pytest.importorskip("torch")

    def none(name):
        raise OSError(name)

    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(toolchain.ctypes, "CDLL", none)
    assert _lacking().key in ("cuda.no-driver", "cuda.wsl-driver")


def _lacking() -> Message:
    cuda.require.cache_clear()
    try:
        with pytest.raises(Unavailable) as caught:
            cuda.require()
    finally:
        cuda.require.cache_clear()
    return caught.value.message


# --- launchers as functions, without a GPU ----------------------------------------------------------------------------
LAUNCHERS = """
#include <cstdint>
typedef int cudaError_t;
typedef void* cudaStream_t;
#define LAUNCHER(name) extern "C" cudaError_t name(const float* x, int64_t n, float eps, int64_t m, cudaStream_t s) { \\
    return (cudaError_t)(n * 1000 + m * 100 + (int64_t)(eps * 8) + (x != nullptr) * 10000 + (s != nullptr) * 20000); }
extern "C" const char* cudaGetErrorName(int) { return "none"; }
LAUNCHER(by_macro)
extern "C" cudaError_t plain(const float* __restrict__ x, int64_t n, const float eps, int64_t m, cudaStream_t s) {
    return by_macro(x, n, eps, m, s);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "by_macro"])
def test_a_launcher_takes_addresses_sizes_and_floats_declared_or_written_by_a_macro(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    source, built = tmp_path / "launchers.cpp", tmp_path / "launchers.so"
    source.write_text(LAUNCHERS)
    subprocess.run(["g++", "-shared", "-fPIC", "-O1", "-o", built, source], check=True)
    declared = {d.name: d for d in declarations.functions(LAUNCHERS)}
    assert "by_macro" not in declared
    launcher = program.CudaProgram(source, declared, built, None).function(name)
    assert launcher(1 << 47, 3, 0.5, 2, 0) == 3000 + 200 + 4 + 10000
    assert launcher(0, 0, 0.25, 0, 1 << 46) == 2 + 20000
