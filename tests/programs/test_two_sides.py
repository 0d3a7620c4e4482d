"""`#if` on `__CUDA_ARCH__`, which is no macro where nvcc compiles for the host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onekernel.simulator.arch import architecture
from onekernel.simulator.rewrite import rewrite
from support.simulated import clean

HERE = Path(__file__).parent


def onekernel(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main())", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.slow
def test_a_function_has_its_own_branch_on_each_side() -> None:
    done = onekernel("run", HERE / "two_sides.cu")
    assert done.stdout.splitlines() == [
        "103 1004 10 1 33",
        "on the host 7",
        "-7 998 15 6 2",
        "host alone",
        "lambda -5 25",
        "in a kernel 5 of 32",
        "in a kernel 5 of 3",
    ], done.stderr
    assert done.returncode == 0
    told = [line for line in done.stderr.splitlines() if "two_sides.h:" in line]
    assert len(told) == 1 and "two_sides.h:3" in told[0] and "`THREADS`" in told[0], done.stderr


LOADED = """
__host__ __device__ int side(int x) {
#if defined(__CUDA_ARCH__)
    return x + 1;
#elif defined(OTHER)
    return never;
#else
    return x - 1;
#endif
}
__global__ void fill(int* out, int host) { out[threadIdx.x] = side(host); }
extern "C" cudaError_t run(const int* x, int* out, long n, cudaStream_t stream) {
    int threads = 1;
#ifndef __CUDA_ARCH__
    threads = 64;
#endif
    fill<<<1, threads, 0, stream>>>(out, 10 * side(5));
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_so_has_a_function_of_a_file_whose_launchers_are_called(tmp_path: Path) -> None:
    out = clean(tmp_path, LOADED, np.zeros(64, np.int32), np.zeros(64, np.int32))
    assert out.tolist() == [41] * 64


LATE = """#include <cstdio>
__host__ __device__ int f(const int* x) {
#ifdef __CUDA_ARCH__
    return x[0];
#else
    printf("host\\n");

    return x[0];
#endif
}
__global__ void k(int* x) { x[1] = f(x + 2); }
int main() {
    int* x;
    cudaMalloc(&x, 2 * sizeof *x);
    k<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    const int there = 3;
    if (f(&there) != 3) return 4;
    cudaFree(x);
}
"""


@pytest.mark.slow
def test_lines_are_the_files_own_in_both_branches_and_after_them(tmp_path: Path) -> None:
    (tmp_path / "late.cu").write_text(LATE)
    done = onekernel("run", tmp_path / "late.cu")
    assert (done.stdout, done.returncode) == ("host\n", 3), done.stderr
    assert "late.cu:4:" in done.stderr
    (tmp_path / "wrong.cu").write_text(LATE.replace('printf("host', 'print_nothing("host'))
    assert "wrong.cu:6:" in onekernel("run", tmp_path / "wrong.cu").stderr


def test_what_an_editor_is_told_changes_no_kernel(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "#ifdef __JETBRAINS_IDE__\n#define __global__\n#define __device__\n#endif\n"
        "__device__ int one() { __syncthreads(); return 1; }\n"
        "__global__ void k(int* y) { y[threadIdx.x] = one(); }\nint main() { k<<<1, 1>>>(nullptr); }\n"
    )
    assert rewrite(path, architecture(None), program=True).findings == []
