"""A process that calls one program after the other: a notebook, a session of tests."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from support.simulated import buffer

MOST_STACKS = 8192  # machine/launch.cpp


@pytest.mark.slow
def test_a_process_that_has_called_many_programs_keeps_no_more_stacks(tmp_path: Path) -> None:
    """Each takes two pieces of memory, of which Linux gives a process 65,530: then nothing else gets any."""
    path = tmp_path / "wide.cu"
    path.write_text(
        "#include <cuda_runtime.h>\n#include <stdint.h>\n"
        "__global__ void k(float* y) {\n    __syncthreads();\n    y[threadIdx.x] = threadIdx.x;\n}\n"
        'extern "C" cudaError_t run(float* y, int64_t n, cudaStream_t stream) {\n'
        "    k<<<1, 1024, 0, stream>>>(y);\n    return cudaGetLastError();\n}\n"
    )
    library = simulator.build(path, "check").library
    maps = Path("/proc/self/maps")
    before = len(maps.read_text().splitlines())
    for number in range(12):
        program = simulator.build(path, "check")
        program.library = Path(shutil.copy(library, library.with_name(f"wide-{number}.so")))  # another, to the process
        y = np.zeros(1024, np.float32)
        for _ in range(2):
            report = program.call("run", [buffer("y", y, True), 1024])
            assert (report.status, report.findings) == (0, ())
        program.library.unlink()
    assert len(maps.read_text().splitlines()) - before < 2 * MOST_STACKS + 12 * 100
