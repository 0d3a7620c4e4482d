"""Blocks that need more registers than a multiprocessor has: only NVIDIA's compiler knows; every GPU refuses them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import Buffer
from onekernel.cuda import nvcc
from onekernel.sandbox.second_opinion import SecondOpinion
from support.corpus import graded

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here"),
]

KERNEL = """#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kEach = 96;

HEAD add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (int64_t)gridDim.x * blockDim.x;
    float v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) v[k] = first + k * step < n ? a[first + k * step] : 0.0f;
    __syncthreads();   // all of a is loaded before any of b
#pragma unroll
    for (int k = 0; k < kEach; ++k)
        if (first + k * step < n) out[first + k * step] = v[k] + b[first + k * step];
    for (int64_t i = first + kEach * step; i < n; i += step) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    THREADS
    NAME<<<(unsigned)((n - 1) / threads / kEach + 1), threads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""
KINDS = {
    "plain": ("__global__ void", "add"),
    "static": ("static __global__ void", "add"),
    "nameless": ("namespace {\n__global__ void", "add"),
    "template": ("template <int kBlock> __global__ void", "add<1024>"),
}
ASKS = """cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, add);
    const int threads = of.maxThreadsPerBlock;"""
OCCUPANCY = """int blocks = 0, threads = 0;
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add);"""


def written(folder: Path, head: str, name: str = "add", threads: str = "const int threads = 1024;") -> Path:
    path = folder / "vector_add.cu"
    text = KERNEL.replace('extern "C"', '}\nextern "C"') if head.startswith("namespace") else KERNEL
    path.write_text(text.replace("HEAD", head).replace("NAME", name).replace("THREADS", threads))
    return path


@pytest.fixture(autouse=True)
def _with_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")


@pytest.mark.parametrize("kind", KINDS)
def test_a_launch_that_no_gpu_takes_is_refused_at_its_line(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, *KINDS[kind])
    failure = graded(path, "vector_add", "simulator").verdicts[0].failures[0]
    assert failure.code == "bad-launch" and "<<<" in path.read_text().splitlines()[failure.line - 1]
    for language, said in (("en", "1024 threads per block"), ("es", "1024 hilos por bloque")):
        text = failure.message.text(language)
        assert said in text and "cudaErrorLaunchOutOfResources" in text and "__launch_bounds__(1024)" in text


@pytest.mark.parametrize(
    ("head", "threads"),
    [("__global__ void __launch_bounds__(1024)", "const int threads = 1024;"),
     ("__global__ void", "const int threads = 256;"), ("__global__ void", ASKS), ("__global__ void", OCCUPANCY)],
    ids=["bounded", "small-blocks", "asks-its-attributes", "asks-the-occupancy"],
)  # fmt: skip
def test_a_launch_that_fits_is_not(head: str, threads: str, tmp_path: Path) -> None:
    result = graded(written(tmp_path, head, threads=threads), "vector_add", "simulator")
    assert {v.status for v in result.verdicts} == {"passed"}


def test_a_file_that_cannot_be_read_is_the_simulators_to_refuse(tmp_path: Path) -> None:
    """The worker ended where it asked whether the file's kernels have bounds."""
    assert SecondOpinion(tmp_path / "nowhere.cu").wait() == {}


def test_what_the_host_asks_of_a_kernel_is_what_its_registers_leave(tmp_path: Path) -> None:
    path = tmp_path / "asked.cu"
    path.write_text(KERNEL.partition("extern")[0].replace("HEAD", "__global__ void") + """
__global__ void put(int* out, int a, int b, int c) { out[0] = a; out[1] = b; out[2] = c; }
extern "C" cudaError_t asked(int* out, cudaStream_t stream) {
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, add);
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0);
    put<<<1, 1, 0, stream>>>(out, of.numRegs, of.maxThreadsPerBlock, blocks);
    return cudaGetLastError();
}
""")
    program = simulator.build(path)
    program.registers = SecondOpinion(path).wait()
    memory = np.zeros(3, np.int32)
    program.call("asked", [Buffer("out", memory.view(np.uint8), 0, 12, True, 4)])
    number, threads, blocks = map(int, memory)
    assert number in program.registers.values() and number > 64
    warps = 65536 // 4 // (-(-number * 32 // 256) * 256) * 4
    assert (threads, blocks) == (min(1024, 32 * warps), warps // 8)
