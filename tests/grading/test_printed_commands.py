"""Each command that a verdict prints does what it says: none is refused, and none names what the file does not have."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from onekernel import cli, messages
from onekernel.cli.console import console
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.labs.reader import load
from support.corpus import Entry, corpus
from support.course import ROOT

# A kernel of Tensor Cores in 16 bits alone, whose copies are to be counted; a product that nobody knows; a short file.
TURNED = ("as[i / 16][i % 16] = ", "as[i % 16][15 - i / 16] = ")
WMMA = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>
using namespace nvcuda;

template <typename T>
__global__ void product(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                        int64_t ldc, bool turned, float alpha, float beta) {
    __shared__ __align__(32) T as[16][16], bs[16][16];
    __shared__ __align__(32) float out[16][16];
    const int64_t row = (int64_t)blockIdx.y * 16, col = (int64_t)blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int64_t k0 = 0; k0 < k; k0 += 16) {
        for (int i = threadIdx.x; i < 256; i += 32) {
            int64_t r = row + i / 16, p = k0 + i % 16, q = k0 + i / 16, j = col + i % 16;
            as[i / 16][i % 16] = r < m && p < k ? a[r * lda + p] : (T)0.0f;
            bs[i / 16][i % 16] = q < k && j < n ? (turned ? b[j * ldb + q] : b[q * ldb + j]) : (T)0.0f;
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &as[0][0], 16);
        wmma::load_matrix_sync(fb, &bs[0][0], 16);
        wmma::mma_sync(sums, fa, fb, sums);
        __syncwarp();
    }
    wmma::store_matrix_sync(&out[0][0], sums, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) {
        int64_t r = row + i / 16, j = col + i % 16;
        if (r >= m || j >= n) continue;
        float v = alpha * out[i / 16][i % 16];
        if (beta != 0.0f) v += beta * (float)c[r * ldc + j];
        c[r * ldc + j] = (T)v;
    }
}

#define LAUNCHER(NAME, T) \\
    extern "C" cudaError_t NAME(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, \\
                                int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, \\
                                cudaStream_t stream) { \\
        if (m <= 0 || n <= 0) return cudaSuccess; \\
        product<T><<<dim3((unsigned)((n + 15) / 16), (unsigned)((m + 15) / 16)), 32, 0, stream>>>( \\
            a, b, c, m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta); \\
        return cudaGetLastError(); \\
    }
LAUNCHER(gemm_tensorcore_f16, __half)
LAUNCHER(gemm_tensorcore_bf16, __nv_bfloat16)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The course with learners of its own, so that the repository's are left alone."""
    for name in ("labs", "solutions", "kernels", "docs", "profiles", "bench"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "learners" / "me").mkdir(parents=True)
    monkeypatch.setenv("ONEKERNEL_ROOT", str(tmp_path))
    monkeypatch.delenv("ONEKERNEL_LEARNER", raising=False)
    monkeypatch.setenv("ONEKERNEL_LANG", "en")
    monkeypatch.setattr(messages, "_chosen", None)
    console.cache_clear()
    return tmp_path


def graded(root: Path, slug: str, text: str) -> Result:
    course = load(root)
    path = root / "learners" / "me" / course.exercises[slug].file
    path.write_text(text, encoding="utf-8")
    return grade(Submission(course, course.exercises[slug], path, "simulator", 5))


def printed(result: Result) -> Iterator[str]:
    """The commands that the verdicts print: where more is to be seen, and within a sentence."""
    for failure in (f for v in result.verdicts for f in v.failures):
        if failure.see:
            yield failure.see
        said = failure.message.text("en")
        names = re.search(r"NAME being one of ([^.]*)\.", said)
        for command in re.findall(r"`(onekernel [^`]*)`", said):
            for name in names[1].split(", ") if names else [""]:
                yield command.replace("NAME", name)


def _answers(command: str) -> str:
    """What stands on stderr where a command is refused; "" where it is not."""
    code = cli.main([*command.split()[1:], "--learner", "me"])
    return "" if code == 0 else f"{command}: ended with {code}"


def refused(result: Result) -> list[str]:
    """The commands that the verdicts print and that are refused then; `predict` asks at a terminal, none is here."""
    elsewhere = ("onekernel hint", "onekernel predict")
    commands = dict.fromkeys(c for c in printed(result) if not c.startswith(elsewhere))
    return [said for c in commands if (said := _answers(c))]


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize(
    ("slug", "text"),
    [
        pytest.param("gemm_tensorcore", WMMA, id="what-it-moves"),
        pytest.param("gemm_tensorcore", WMMA.replace(*TURNED), id="no-known-mistake"),
        pytest.param("softmax_naive", None, id="memory"),
    ],
)
@pytest.mark.slow
@pytest.mark.sample(every=3)
def test_a_printed_command_is_not_refused(
    root: Path, slug: str, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    text = text or (ROOT / "tests" / "wrong" / "naive_half_exp.cu").read_text(encoding="utf-8")
    result = graded(root, slug, text)
    assert list(printed(result)), [str(f.message) for v in result.verdicts for f in v.failures]
    assert not refused(result), capsys.readouterr().err


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("entry", [pytest.param(e, id=e.path.stem) for e in corpus("wrong")])
@pytest.mark.slow
@pytest.mark.sample(every=40)
def test_no_command_that_is_printed_of_a_wrong_file_is_refused(
    root: Path, entry: Entry, capsys: pytest.CaptureFixture[str]
) -> None:
    entry.skip_where_not_to_be_had()
    result = graded(root, entry.exercise, entry.path.read_text(encoding="utf-8"))
    assert not refused(result), capsys.readouterr().err


def test_each_of_several_variables_of_one_declaration_is_shown(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`int64_t r = ..., p = ...;`: the second was told within its own declaration, which then did not compile."""
    (root / "learners" / "me" / "gemm_tensorcore.cu").write_text(WMMA, encoding="utf-8")
    for name in ("r", "p", "q", "j"):
        assert _answers(f"onekernel show gemm_tensorcore --value {name} --shape 16,16,16") == ""
    assert " q = " in capsys.readouterr().out
