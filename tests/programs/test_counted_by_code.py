"""A program's launches are counted by NVIDIA's machine code where its compiler is here, and by what is written else."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel import counts
from onekernel.cuda import nvcc
from onekernel.messages import say
from onekernel.programs import build
from onekernel.programs.text import lines_of

COMPILED = pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here")
LOCAL = """\
#include <cstdio>
__constant__ float table[256];
__global__ void indexed(const float* x, float* y, int k) {
    float a[64];
    for (int i = 0; i < 64; i++) a[(i * k) & 63] = x[i * 32 + threadIdx.x];
    y[threadIdx.x] = a[(k + threadIdx.x) & 63] + table[threadIdx.x * k & 255];
}
int main() {
    float *x, *y, values[256] = {};
    cudaMemcpyToSymbol(table, values, sizeof values);
    cudaMalloc(&x, 64 * 32 * 4); cudaMalloc(&y, 128);
    cudaMemset(x, 0, 64 * 32 * 4);
    indexed<<<1, 32>>>(x, y, 3);
    cudaDeviceSynchronize();
    cudaFree(x); cudaFree(y);
}
"""


@COMPILED
@pytest.mark.slow
def test_local_memory_and_constants_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    (tmp_path / "local.cu").write_text(LOCAL, encoding="utf-8")
    run = build([tmp_path / "local.cu"], "count", arch="sm_90").run(quiet=True)
    (kernel,) = run.kernels
    stores, loads = (tuple(kernel.metrics[m] for m in counts.LOCAL[side]) for side in ("stores", "loads"))
    assert (stores, loads) == ((64, 256), (1, 32))
    assert kernel.metrics[counts.CONSTANT_REQUESTS] - kernel.metrics[counts.CONSTANT_LOADS] == 31
    assert {line.line for line in kernel.lines if line.metrics.get(counts.LOCAL_STORE_REQUESTS)} == {5}
    told = "\n".join(text for _, text in lines_of(run))
    assert "stores 8.19 kB in local memory (4 sectors per request), 31 requests more for constants" in told
    assert say("run.as-written") not in told


def test_what_is_not_counted_as_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "local.cu").write_text(LOCAL, encoding="utf-8")
    run = build([tmp_path / "local.cu"], "count").run(quiet=True)
    assert counts.LOCAL_STORE_REQUESTS not in run.kernels[0].metrics
    assert sum(say("run.as-written") in text for _, text in lines_of(run)) == 1


HEADER = """\
#pragma once
template <int BY> __device__ int at(int i) { return i * BY; }
"""
SIDE = """\
#include "at.cuh"
static __global__ void walk(float* x) { x[at<STEP>(threadIdx.x)] = 1; }
cudaError_t {name}(float* x) {{
    void* arguments[] = {{&x}};
    return cudaLaunchKernel((const void*)walk, dim3(1), dim3(32), arguments, 0, nullptr);
}}
"""
MAIN = """\
#include "at.cuh"
cudaError_t left(float* x);
cudaError_t right(float* x);
__global__ void copy(float* to, const float* from, int n) {
    if (threadIdx.x < n) to[at<STEP>(threadIdx.x)] = from[threadIdx.x];
}
int main() {
    float* x;
    cudaMalloc(&x, 256 * STEP * 4);
    cudaMemset(x, 0, 256 * STEP * 4);
    left(x);
    right(x + 32 * STEP);
    copy<<<1, 32>>>(x + 200 * STEP, x, 8);
    cudaDeviceSynchronize();
    return cudaFree(x);
}
"""


@COMPILED
@pytest.mark.slow
def test_several_files_with_a_folder_and_a_macro_are_counted_alike_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two static kernels of one name, launched by a pointer; a third with arguments of its own."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "at.cuh").write_text(HEADER, encoding="utf-8")
    for name in ("left", "right"):
        text = SIDE.replace("{name}", name).replace("{{", "{").replace("}}", "}")
        (tmp_path / f"{name}.cu").write_text(text.replace("STEP>(", "STEP * 2>(" if name == "right" else "STEP>("))
    (tmp_path / "main.cu").write_text(MAIN, encoding="utf-8")
    files = [tmp_path / f"{name}.cu" for name in ("main", "left", "right")]

    def counted(setting: str) -> list[tuple[bool, dict[str, float]]]:
        monkeypatch.setenv("ONEKERNEL_NVCC", setting)
        made = build(files, "count", folders=[tmp_path / "include"], defines=["STEP=2"], arch="sm_90")
        run = made.run(quiet=True)
        assert run.status == 0 and not run.errors
        names = (counts.LOAD_REQUESTS, counts.LOAD_SECTORS, counts.STORE_REQUESTS, counts.STORE_SECTORS)
        return [(k.extra["by_code"], {name: k.metrics[name] for name in names}) for k in run.kernels]

    written, coded = counted("off"), counted("on")
    assert [metrics for _, metrics in written] == [metrics for _, metrics in coded]
    assert not any(by_code for by_code, _ in written) and coded[-1][0]
