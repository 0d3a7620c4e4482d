"""What a kernel's registers leave room for, once NVIDIA's compiler has told them: CUDA's own answers on an H200."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import Buffer

pytestmark = pytest.mark.slow

BLOCKS = (32, 96, 160, 256)
# Registers of a thread -> threads of the largest block, and blocks of those sizes on a multiprocessor: an H200, driver
# 580.159.04, CUDA 13.0, 2026-11-27, by `pytest tests/gpu/test_registers_gpu.py`.
SAID = {
    24: (1024, 32, 21, 12, 8),
    64: (1024, 32, 10, 6, 4),
    72: (896, 28, 9, 5, 3),
    128: (512, 16, 5, 3, 2),
    200: (256, 8, 2, 1, 1),
}
FILE = f"""#include <cuda_runtime.h>
__global__ void busy(float* y) {{ y[threadIdx.x] = 1.0f; }}
struct Found {{ int of[{1 + len(BLOCKS)}]; }};
__global__ void put(int* out, Found found) {{ out[threadIdx.x] = found.of[threadIdx.x]; }}
extern "C" cudaError_t asked(int* out, cudaStream_t stream) {{
    const int sizes[] = {{{", ".join(map(str, BLOCKS))}}};
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, busy);
    Found found = {{{{of.maxThreadsPerBlock}}}};
    for (int k = 0; k < {len(BLOCKS)}; ++k)
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found.of[1 + k], busy, sizes[k], 0);
    put<<<1, {1 + len(BLOCKS)}, 0, stream>>>(out, found);
    return cudaGetLastError();
}}
"""


@pytest.mark.parametrize("registers", SAID)
def test_threads_and_blocks_are_those_that_cuda_allows(registers: int, tmp_path: Path) -> None:
    path = tmp_path / "asked.cu"
    path.write_text(FILE)
    program = simulator.build(path, arch="sm_90")
    program.registers = {"_Z4busyPf": registers}
    found = np.zeros(1 + len(BLOCKS), np.int32)
    program.call("asked", [Buffer("out", found.view(np.uint8), 0, found.nbytes, True, 4)])
    assert tuple(found) == SAID[registers]
