"""The host side of the CUDA runtime in the simulator: types, memory, errors, streams, events, occupancy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import BuildError
from support.compilers import COMPILERS, FAMILIES
from support.header_programs import program
from support.simulated import clean, run

pytestmark = pytest.mark.slow

LAUNCHER = """
{headers}
__device__ int counter = 5;
__constant__ float table[4] = {{1, 2, 3, 4}};
__global__ void add_one(const float* x, float* y, long n) {{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}}
__global__ void use_globals(int* out) {{
    out[threadIdx.x] = counter + (int)table[threadIdx.x];
}}
extern "C" cudaError_t run(const float* x, int* y, long n, cudaStream_t stream) {{
    int at = 0;
    int said[64] = {{}};
{body}
    if (cudaGetLastError() != cudaSuccess) return cudaErrorUnknown;
    return cudaMemcpy(y, said, sizeof said, cudaMemcpyHostToDevice);
}}
"""


def said(folder: Path, body: str, headers: str = "", compiler: str | None = None) -> list[int]:
    """What `body` wrote to said[at++], run on the host."""
    source = LAUNCHER.format(body=body, headers=headers)
    got = clean(folder, source, np.arange(64, dtype=np.float32), np.zeros(64, np.int32), "check", compiler)
    return got.tolist()


def test_vector_types_have_cudas_sizes_and_alignments() -> None:
    # CUDA C++ Programming Guide, "Built-in Vector Types", alignment requirements.
    sizes = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8}
    sizes |= {"longlong": 8, "ulonglong": 8, "float": 4, "double": 8}
    checks = []
    for name, size in sizes.items():
        for n in (1, 2, 3, 4):
            aligned = {1: size, 2: min(2 * size, 16), 3: size, 4: min(4 * size, 16)}[n]
            layout = f"sizeof({name}{n}) == {n * size} && alignof({name}{n}) == {aligned}"
            checks.append(f'static_assert({layout}, "{name}{n}");')
            members = "xyzw"[:n]
            total = "+".join(f"make_{name}{n}({','.join(map(str, range(1, n + 1)))}).{m}" for m in members)
            checks.append(f'static_assert({total} == {n * (n + 1) // 2}, "make_{name}{n}");')
    checks.append(
        'static_assert(dim3(7, 2).x == 7 && dim3(7, 2).y == 2 && dim3(7, 2).z == 1 && dim3().x == 1, "dim3");'
    )
    for compiler in FAMILIES:
        program('#include "cuda_runtime.h"\n' + "\n".join(checks), compiler)


@pytest.mark.parametrize("compiler", FAMILIES)
def test_errors_have_cudas_names_and_sentences(tmp_path: Path, compiler: str) -> None:
    # As printed by CUDA 13.0's own cudaGetErrorName and cudaGetErrorString.
    known = {
        0: ("cudaSuccess", "no error"),
        1: ("cudaErrorInvalidValue", "invalid argument"),
        2: ("cudaErrorMemoryAllocation", "out of memory"),
        9: ("cudaErrorInvalidConfiguration", "invalid configuration argument"),
        12: ("cudaErrorInvalidPitchValue", "invalid pitch argument"),
        13: ("cudaErrorInvalidSymbol", "invalid device symbol"),
        21: ("cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
        98: ("cudaErrorInvalidDeviceFunction", "invalid device function"),
        100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
        101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
        209: ("cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"),
        400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
        600: ("cudaErrorNotReady", "device not ready"),
        700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
        701: ("cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
        702: ("cudaErrorLaunchTimeout", "the launch timed out and was terminated"),
        710: ("cudaErrorAssert", "device-side assert triggered"),
        716: ("cudaErrorMisalignedAddress", "misaligned address"),
        719: ("cudaErrorLaunchFailure", "unspecified launch failure"),
        720: ("cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
        801: ("cudaErrorNotSupported", "operation not supported"),
        999: ("cudaErrorUnknown", "unknown error"),
        12345: ("unrecognized error code", "unrecognized error code"),
    }
    lines = []
    for value, (name, text) in known.items():
        lines.append(f'said[at] += strcmp(cudaGetErrorName((cudaError_t){value}), "{name}") != 0;')
        lines.append(f'said[at] += strcmp(cudaGetErrorString((cudaError_t){value}), "{text}") != 0;')
    lines += [f"said[at] += {n} != {v};" for v, (n, _) in known.items() if v != 12345]
    assert said(tmp_path, "\n".join(lines), "#include <cstring>", compiler)[0] == 0


@pytest.mark.parametrize("compiler", FAMILIES)
def test_memory(tmp_path: Path, compiler: str) -> None:
    body = """
    float *d = nullptr, *e = nullptr, host[64], back[64] = {};
    for (int i = 0; i < 64; ++i) host[i] = i * 0.5f;
    said[at++] = cudaMalloc(&d, sizeof host);
    said[at++] = cudaMallocAsync((void**)&e, sizeof host, stream);
    said[at++] = cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
    add_one<<<2, 32, 0, stream>>>(d, e, 64);
    said[at++] = cudaMemcpyAsync(back, e, sizeof back, cudaMemcpyDeviceToHost, stream);
    said[at++] = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 64; ++i) wrong += back[i] != i * 0.5f + 1;
    said[at++] = wrong;
    said[at++] = cudaMemset(d, 0, 16) + cudaMemcpy(back, d, 20, cudaMemcpyDefault);
    said[at++] = back[3] == 0 && back[4] == 2;
    // 2-D: a 3 x 5 corner between pitches of 8 and 6 floats.
    said[at++] = cudaMemcpy2D(e, 32, host, 24, 20, 3, cudaMemcpyHostToDevice);
    said[at++] = cudaMemcpy(back, e, 96, cudaMemcpyDeviceToHost);
    wrong = 0;
    for (int r = 0; r < 3; ++r) for (int c = 0; c < 5; ++c) wrong += back[r * 8 + c] != host[r * 6 + c];
    said[at++] = wrong;
    size_t pitch = 0;
    float* wide = nullptr;
    said[at++] = cudaMallocPitch(&wide, &pitch, 100, 3);
    said[at++] = (int)pitch;
    said[at++] = cudaMemset2D(wide, pitch, 0, 100, 3);
    said[at++] = cudaFree(d) + cudaFreeAsync(e, stream) + cudaFree(wide) + cudaFree(nullptr);
    float* empty = host;
    said[at++] = cudaMalloc(&empty, 0) + (empty != nullptr);
    """
    want = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 512, 0, 0, 0]
    assert said(tmp_path, body, compiler=compiler)[:16] == want


def test_pinned_memory(tmp_path: Path) -> None:
    body = """
    float *pinned = nullptr, *d = nullptr;
    said[at++] = cudaMallocHost(&pinned, 256) + cudaMalloc(&d, 256);
    for (int i = 0; i < 64; ++i) pinned[i] = i;
    said[at++] = cudaMemcpy(d, pinned, 256, cudaMemcpyHostToDevice);
    said[at++] = cudaMemcpy(pinned + 32, d, 128, cudaMemcpyDeviceToHost);
    said[at++] = (int)pinned[40];
    cudaPointerAttributes a;
    said[at++] = cudaPointerGetAttributes(&a, pinned + 3) + 10 * a.type;
    said[at++] = cudaPointerGetAttributes(&a, d) + 10 * a.type;
    said[at++] = cudaPointerGetAttributes(&a, said) + 10 * a.type;
    said[at++] = cudaFreeHost(pinned) + cudaFree(d);
    """
    assert said(tmp_path, body)[:8] == [0, 0, 0, 8, 10, 20, 0, 0]


def test_the_pool_keeps_the_attributes_that_it_is_given(tmp_path: Path) -> None:
    body = """
    cudaMemPool_t pool, usual;
    said[at++] = cudaDeviceGetMemPool(&pool, 0);
    said[at++] = cudaDeviceGetDefaultMemPool(&usual, 0) == cudaSuccess && usual == pool;
    uint64_t keeps = 1, asked = 3u << 20;
    said[at++] = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps) == cudaSuccess && keeps == 0;
    said[at++] = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &asked);
    said[at++] = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps) == cudaSuccess &&
                 keeps == asked;
    said[at++] = cudaDeviceGetMemPool(&pool, 1) == cudaErrorInvalidDevice;
    said[at++] = cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &keeps) == cudaErrorInvalidValue;
    cudaGetLastError();
"""
    assert said(tmp_path, body)[:7] == [0, 1, 1, 0, 1, 1, 1]


def test_symbols(tmp_path: Path) -> None:
    body = """
    int seven = 7, got[4] = {};
    float part[2] = {10, 20};
    int* d = nullptr;
    cudaMalloc(&d, sizeof got);
    said[at++] = cudaMemcpyToSymbol(counter, &seven, sizeof seven);
    said[at++] = cudaMemcpyToSymbol(table, part, sizeof part, 2 * sizeof(float));
    use_globals<<<1, 4>>>(d);
    said[at++] = cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; ++i) said[at++] = got[i];
    int back = 0;
    said[at++] = cudaMemcpyFromSymbol(&back, counter, sizeof back);
    said[at++] = back;
    size_t bytes = 0;
    said[at++] = cudaGetSymbolSize(&bytes, table) + (int)bytes;
    said[at++] = cudaMemcpyToSymbol(table, part, sizeof part, 3 * sizeof(float));
    said[at++] = cudaGetLastError();
    cudaFree(d);
    """
    assert said(tmp_path, body)[:12] == [0, 0, 0, 8, 9, 17, 27, 0, 7, 16, 1, 1]


def test_bad_arguments_get_cudas_errors(tmp_path: Path) -> None:
    body = """
    float host[8] = {}, *d = nullptr;
    int value = 0;
    cudaDeviceProp p;
    cudaMalloc(&d, 32);
    said[at++] = cudaMemcpy(d, host, 32, (cudaMemcpyKind)9);
    said[at++] = cudaPeekAtLastError();
    said[at++] = cudaGetLastError();
    said[at++] = cudaGetLastError();
    said[at++] = cudaMemcpy(nullptr, host, 32, cudaMemcpyHostToDevice);
    said[at++] = cudaMemcpy2D(d, 8, host, 8, 12, 2, cudaMemcpyHostToDevice);
    said[at++] = cudaSetDevice(3);
    said[at++] = cudaGetDeviceProperties(&p, 1);
    said[at++] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
    said[at++] = cudaStreamDestroy(nullptr);
    said[at++] = cudaEventRecord(nullptr);
    said[at++] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, add_one, 0, 0);
    said[at++] = cudaMalloc((void**)nullptr, 8);
    add_one<<<1, 2048>>>(d, d, 8);
    said[at++] = cudaDeviceSynchronize();  // a launch that never began is cudaGetLastError's to tell
    said[at++] = cudaGetLastError();
    cudaFree(d);
    """
    source = LAUNCHER.format(body=body, headers="")
    got, _ = run(tmp_path, source, np.zeros(64, np.float32), np.zeros(64, np.int32))
    assert got[:15].tolist() == [21, 21, 21, 0, 1, 12, 101, 101, 1, 400, 400, 1, 1, 0, 1]


def test_a_kernels_fault_is_told_by_synchronising(tmp_path: Path) -> None:
    source = """
    __global__ void bad(const float* x, int* y) { ((int2*)y)[threadIdx.x] = *(const int2*)(x + 1); }
    extern "C" cudaError_t run(const float* x, int* y, long n, cudaStream_t stream) {
        bad<<<1, 32, 0, stream>>>(x, y);
        return cudaStreamSynchronize(stream);
    }
    """
    _, report = run(tmp_path, source, np.zeros(64, np.float32), np.zeros(64, np.int32))
    assert report.status_name == "cudaErrorMisalignedAddress"


def test_streams_and_events_pretend_no_speed(tmp_path: Path) -> None:
    body = """
    cudaStream_t a, b;
    cudaEvent_t start, stop, plain;
    float ms = 0;
    said[at++] = cudaStreamCreate(&a) + cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    said[at++] = cudaEventCreate(&start) + cudaEventCreate(&stop);
    said[at++] = cudaEventCreateWithFlags(&plain, cudaEventDisableTiming);
    said[at++] = cudaEventElapsedTime(&ms, start, stop);  // not recorded yet
    cudaGetLastError();
    said[at++] = cudaEventRecord(start, a) + cudaEventRecord(stop, a) + cudaEventRecord(plain);
    said[at++] = cudaStreamWaitEvent(b, start, 0) + cudaEventSynchronize(stop) + cudaEventQuery(stop);
    said[at++] = cudaEventElapsedTime(&ms, start, stop);
    said[at++] = ms != ms;
    said[at++] = cudaEventElapsedTime(&ms, start, plain);
    cudaGetLastError();
    auto count = [](void* p) { ++*(int*)p; };
    said[at++] = cudaLaunchHostFunc(a, count, &said[at + 1]);
    at++;
    said[at++] = cudaStreamDestroy(a) + cudaStreamDestroy(b) + cudaStreamQuery(nullptr);
    said[at++] = cudaEventDestroy(start) + cudaEventDestroy(stop) + cudaEventDestroy(plain);
    """
    assert said(tmp_path, body)[:13] == [0, 0, 0, 400, 0, 0, 0, 1, 400, 0, 1, 0, 0]


def test_the_modelled_card(tmp_path: Path) -> None:
    body = """
    int v = 0;
    cudaDeviceProp p;
    said[at++] = cudaGetDeviceCount(&v) + v;
    said[at++] = cudaGetDevice(&v) + v + cudaSetDevice(0);
    said[at++] = cudaGetDeviceProperties(&p, 0);
    said[at++] = p.major * 10 + p.minor;
    said[at++] = p.multiProcessorCount;
    said[at++] = p.warpSize;
    said[at++] = p.maxThreadsPerBlock;
    said[at++] = (int)p.sharedMemPerBlock;
    said[at++] = (int)p.sharedMemPerBlockOptin;
    said[at++] = p.maxThreadsDim[2];
    said[at++] = cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) + v;
    said[at++] = cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0) + v;
    said[at++] = cudaRuntimeGetVersion(&v) + v;
    said[at++] = __CUDA_ARCH__;
    """
    # An A100: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and its whitepaper.
    want = [1, 0, 0, 80, 108, 32, 1024, 49152, 166912, 64, 166912, 108, 13000, 800]
    assert said(tmp_path, body)[:14] == want


def test_occupancy_by_threads_blocks_and_shared_memory(tmp_path: Path) -> None:
    cases = [(256, 0), (1024, 0), (32, 0), (96, 0), (33, 0), (256, 40000), (1024, 166912), (128, 166913), (2048, 0)]
    body = "int v = 0, grid = 0, block = 0;\n"
    body += "".join(
        f"cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, add_one, {t}, {s}); said[at++] = v;\n" for t, s in cases
    )
    body += """
    said[at++] = cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_one);
    said[at++] = block;
    said[at++] = grid;
    cudaFuncAttributes a;
    said[at++] = cudaFuncSetAttribute(add_one, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    said[at++] = cudaFuncGetAttributes(&a, add_one) + a.maxDynamicSharedSizeBytes;
    const auto carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    said[at++] = cudaFuncSetAttribute(add_one, carveout, cudaSharedmemCarveoutMaxShared);
    """
    want = []
    for threads, shared in cases:
        warps = -(-threads // 32)
        by_shared = 164 * 1024 // (shared + 1024)
        fits = threads <= 1024 and shared <= 163 * 1024
        want.append(min(64 // warps, 32, by_shared) if fits else 0)
    assert said(tmp_path, body)[:15] == [*want, 0, 1024, 216, 0, 100000, 0]


def test_launch_by_function(tmp_path: Path) -> None:
    body = """
    float *d = nullptr, *e = nullptr, back[64];
    long count = 64;
    cudaMalloc(&d, 256);
    cudaMalloc(&e, 256);
    cudaMemset(d, 0, 256);
    const float* from = d;
    void* arguments[] = {&from, &e, &count};
    said[at++] = cudaLaunchKernel(add_one, dim3(2), dim3(32), arguments, 0, stream);
    cudaMemcpy(back, e, 256, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i) said[1] += (int)back[i];
    cudaMemset(e, 0, 256);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(48);
    config.stream = stream;
    said[2] = cudaLaunchKernelEx(&config, add_one, d, e, 64);
    cudaMemcpy(back, e, 256, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i) said[3] += (int)back[i];
    """
    assert said(tmp_path, body)[:4] == [0, 64, 0, 48]


def test_a_cluster_is_refused_by_line(tmp_path: Path) -> None:
    body = """
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {dim3(2), dim3(32), 0, stream, &cluster, 1};
    return cudaLaunchKernelEx(&config, add_one, x, (float*)y, n);
    """
    source = LAUNCHER.format(body=body, headers="")
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "cudaLaunchKernelEx" in text)
    _, report = run(tmp_path, source, np.zeros(64, np.float32), np.zeros(64, np.int32))
    assert report.status_name == "cudaErrorNotSupported"
    assert [(f.code, f.line) for f in report.findings] == [("bad-launch", line)]
    assert "ONEKERNEL_ARCH=sm_90" in report.findings[0].message.text("en")


@pytest.mark.parametrize("compiler", FAMILIES)
def test_the_special_functions_of_cpp_17_are_there_for_who_names_one(tmp_path: Path, compiler: str) -> None:
    """They are left out of the header that stands before every file: what is in it, each file takes the time for."""
    body = """
    said[at++] = (int)lround(1e6 * std::beta(2.0, 3.0));
    said[at++] = (int)lround(1e6 * std::riemann_zeta(2.0));"""
    assert said(tmp_path, body, "#include <cmath>", compiler)[:2] == [83333, 1644934]


@pytest.mark.parametrize("compiler", FAMILIES)
def test_strings_are_there_for_whoever_includes_them_beside_statements_of_ptx(tmp_path: Path, compiler: str) -> None:
    """<string> stands before cuda_runtime.h where a header of C++ is included, and what translates PTX knows it."""
    headers = """#include <sstream>
__global__ void lane(int* out) {
    int value;
    asm("mov.u32 %0, %%laneid;" : "=r"(value));
    out[threadIdx.x] = value;
}"""
    body = """
    std::ostringstream text;
    text << std::string("lane ") << 3;
    said[at++] = (int)text.str().size();
    lane<<<1, 32, 0, stream>>>(y);
    int back[32];
    said[at++] = cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDeviceToHost, stream);
    said[at++] = back[31];"""
    assert said(tmp_path, body, headers, compiler)[:3] == [6, 0, 31]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_standard_library_stays_usable(compiler: str) -> None:
    # libstdc++ 12 spells an attribute __noinline__, a macro of CUDA's.
    names = ("memory", "thread", "vector", "algorithm", "functional", "random", "map", "string", "iostream", "cmath")
    source = '#include "cuda_runtime.h"\n' + "".join(f"#include <{name}>\n" for name in names)
    program(source + "__device__ __noinline__ int f() { return 1; }\nauto p = std::make_shared<int>(f());", compiler)


@pytest.mark.parametrize("header", ["cub/util_ptx.cuh", "thrust/sort.h", "cuda/ptx", "texture_fetch_functions.h"])
def test_what_is_missing_is_refused_by_name_and_line(tmp_path: Path, header: str) -> None:
    source = f"#include <cuda_runtime.h>\n#include <{header}>\n" + LAUNCHER.format(body="", headers="")
    with pytest.raises(BuildError) as caught:
        run(tmp_path, source, np.zeros(1, np.float32), np.zeros(1, np.int32))
    finding = caught.value.findings[0]
    assert finding.line == 2
    assert header in finding.message.text("en")


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("cudaGraphAddDependencies(nullptr, nullptr, nullptr, 0);", "graph"),
        ("cudaMallocMipmappedArray(nullptr, nullptr, {}, 1);", "mipmap"),
        ("float v = texCubemap<float>(0, 1, 2, 3);", "texture"),
        ("float v = tex3DLod<float>(0, 1, 2, 3, 4);", "texture"),
        ("cudaMemcpy3DPeer(nullptr);", "3-D"),
        ("cudaMemRangeGetAttribute(nullptr, 0, 0, x, 4);", "managed"),
        ("int v = __vadd4(1, 2);", "packed"),
        ("int v = __shfl_down(1, 2);", "_sync"),
        ("cuInit(0);", "driver"),
        ("curandStateScrambledSobol64_t state;", "quasirandom"),
        ("curandSetQuasiRandomGeneratorDimensions(nullptr, 2);", "quasirandom"),
    ],
)
def test_an_unsupported_function_is_refused_by_name_and_line(tmp_path: Path, code: str, word: str) -> None:
    source = LAUNCHER.format(body=code, headers="")
    with pytest.raises(BuildError) as caught:
        run(tmp_path, source, np.zeros(1, np.float32), np.zeros(1, np.int32))
    finding = caught.value.findings[0]
    assert finding.code == "unsupported"
    assert finding.line == source.splitlines().index(code) + 1
    name = re.search(r"\w+", code.removeprefix("float v = ").removeprefix("int v = "))
    assert name is not None
    assert name.group() in finding.message.text("en")
    assert word in finding.message.text("en")


@pytest.mark.parametrize("compiler", FAMILIES)
def test_no_stream_is_captured_where_there_are_no_graphs(tmp_path: Path, compiler: str) -> None:
    body = """
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    said[at++] = cudaStreamIsCapturing(stream, &status);
    said[at++] = status;
    """
    assert said(tmp_path, body, compiler=compiler)[:2] == [0, 0]
