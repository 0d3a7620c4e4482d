"""What a kernel's registers leave room for: the simulator's rule and CUDA's own answers, kernel by kernel."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import Buffer
from support.gpu import needs_cuda
from support.patience import HUNG_SECONDS

pytestmark = needs_cuda()

BLOCKS = (32, 96, 160, 256, 384, 512, 544, 768, 1024)
PROGRAM = """#include <cuda_runtime.h>
#include <cstdio>

__global__ void busy(const float* x, float* y) {
    float v[160];
#pragma unroll
    for (int k = 0; k < 160; ++k) v[k] = x[threadIdx.x + k * blockDim.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 160; ++k) y[threadIdx.x + k * blockDim.x] = v[k] + v[(k + 7) % 160];
}
static const int sizes[] = {SIZES};
static const int many = sizeof sizes / sizeof *sizes;
static void ask(int* found) {
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, busy);
    found[0] = of.numRegs, found[1] = of.maxThreadsPerBlock;
    for (int k = 0; k < many; ++k) cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found[2 + k], busy, sizes[k], 0);
}
struct Found { int of[2 + many]; };
__global__ void put(int* out, Found found) { out[threadIdx.x] = found.of[threadIdx.x]; }
extern "C" cudaError_t asked(int* out, cudaStream_t stream) {
    Found found;
    ask(found.of);
    put<<<1, 2 + many, 0, stream>>>(out, found);
    return cudaGetLastError();
}
#ifdef ON_GPU
int main() {
    Found found;
    ask(found.of);
    for (int one : found.of) printf("%d ", one);
    busy<<<1, found.of[1] + 32>>>(nullptr, nullptr);
    printf("%d\\n", found.of[1] < 1024 ? (int)cudaGetLastError() : 701);
}
#endif
"""


@pytest.mark.parametrize("most", [24, 32, 40, 56, 64, 72, 80, 96, 128, 168, 200, 255])
def test_threads_and_blocks_are_those_that_cuda_allows(most: int, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc") or pytest.skip("no nvcc on PATH")
    path = tmp_path / "registers.cu"
    path.write_text(PROGRAM.replace("SIZES", ", ".join(map(str, BLOCKS))))
    built = tmp_path / "registers"
    flags = ["-arch=sm_90", f"-maxrregcount={most}", "-DON_GPU", "-o", built]
    subprocess.run([nvcc, *flags, path], check=True, timeout=HUNG_SECONDS)
    said = subprocess.run([built], capture_output=True, text=True, timeout=HUNG_SECONDS, check=True).stdout.split()
    *cuda, error = map(int, said)
    assert error == 701  # a warp more than the attributes allow: cudaErrorLaunchOutOfResources
    program = simulator.build(path, arch="sm_90")
    program.registers = {"_Z4busyPKfPf": cuda[0]}
    memory = np.zeros(len(cuda), np.int32)
    program.call("asked", [Buffer("out", memory.view(np.uint8), 0, memory.nbytes, True, 4)])
    assert memory.tolist() == cuda
