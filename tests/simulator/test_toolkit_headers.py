"""No header of the CUDA toolkit ends in "no such file": each is here, or is refused with what to do instead."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.messages import Message
from onekernel.simulator.facts.includes import advice
from onekernel.simulator.paths import INCLUDE
from support.compilers import FAMILIES
from support.simulated import clean

# The names of CUDA 13.0's include folder, beside those of the pages on its libraries and of CUDA 12 and older.
TOOLKIT = """
builtin_types.h channel_descriptor.h common_functions.h cooperative_groups.h crt/host_defines.h crt/mma.h
crt/sm_90_rt.h cuComplex.h cuda.h cudaEGL.h cudaEGLTypedefs.h cudaGL.h cudaGLTypedefs.h cudaProfiler.h
cudaTypedefs.h cudaVDPAU.h cuda_awbarrier.h cuda_awbarrier_primitives.h cuda_bf16.h cuda_bf16.hpp
cuda_device_runtime_api.h cuda_egl_interop.h cuda_fp16.h cuda_fp16.hpp cuda_fp4.h cuda_fp6.hpp cuda_fp8.h
cuda_gl_interop.h cuda_occupancy.h cuda_pipeline.h cuda_pipeline_helpers.h cuda_profiler_api.h cuda_runtime.h
cuda_runtime_api.h cuda_stdint.h cuda_vdpau_interop.h cudart_platform.h cupti.h cupti_activity.h
device_atomic_functions.h device_double_functions.h device_functions.h device_launch_parameters.h device_types.h
driver_functions.h driver_types.h fatbinary_section.h host_config.h generated_cuda_meta.h generated_nvtx_meta.h
host_defines.h library_types.h math_constants.h math_functions.h mma.h nv/target nv_decode.h nvfunctional
nvperf_host.h nvtx3/nvToolsExt.h nvtx3/nvToolsExtCuda.h nvvm.h Openacc/cupti_openacc.h Openmp/omp-tools.h
sm_20_atomic_functions.h sm_30_intrinsics.h sm_32_intrinsics.hpp sm_35_intrinsics.h sm_61_intrinsics.h
surface_indirect_functions.h surface_types.h texture_indirect_functions.h texture_types.h vector_functions.h
vector_types.h vector_functions.hpp cooperative_groups/memcpy_async.h cooperative_groups/reduce.h
cooperative_groups/details/info.h cub/cub.cuh cub/util_ptx.cuh thrust/sort.h cuda/atomic cuda/barrier cuda/pipeline
cuda/ptx cuda/std/limits cuda/std/mdspan cccl/thrust/sort.h cublas_v2.h cublasLt.h cufft.h cufftXt.h curand.h
curand_kernel.h cusolverDn.h cusparse.h cudnn.h nccl.h npp.h nppi.h nvjpeg.h nvblas.h nvml.h nvrtc.h nvJitLink.h
nvPTXCompiler.h nvToolsExt.h cuda_d3d11_interop.h nvcuvid.h texture_fetch_functions.h surface_functions.h
cuda_texture_types.h cuda_surface_types.h sm_20_intrinsics.hpp cudalibxt.h nvfatbin.h nvsandboxutils.h CL/cl.h
""".split()  # fmt: skip  # noqa: SIM905
PROGRAM = """{headers}
__global__ void k(const float* x, float* y, long n) {{ {body} }}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {{
    {launcher}
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}}
"""


def test_a_header_of_the_toolkit_is_here_or_known_with_what_to_do() -> None:
    lost = [name for name in TOOLKIT if not (INCLUDE / name).is_file() and advice(name) is None]
    assert lost == []
    own = ("my_kernels.h", "cuda_utils.h", "cuda_helper.hpp", "device_matrix.h", "host_timer.h", "vector_add.h")
    assert [name for name in own if advice(name) is not None] == []
    assert advice("common/book.h") is None
    for name in TOOLKIT:
        if (told := advice(name)) is not None:
            values = {"what": f"<{name}>", "library": told[1], "line": 1, "arch": "sm_80"}
            assert all(name in Message(f"simulator.{told[0]}", values).text(lang) for lang in ("en", "es"))


def test_so_is_every_header_of_a_toolkit_that_is_installed() -> None:
    """Those of the system, and those that PyTorch's packages bring."""
    packages = [Path(p) for p in sys.path if p.endswith("site-packages")]
    roots = [*Path("/usr/local").glob("cuda*/include"), *(r for p in packages for r in p.glob("nvidia/*/include"))]
    if not roots:
        pytest.skip("no CUDA toolkit is installed")
    names = [str(p.relative_to(root)) for root in roots for p in root.rglob("*") if p.is_file()]
    lost = {n for n in names if not (INCLUDE / n).is_file() and advice(n.removeprefix("cccl/")) is None}
    assert not lost, f"toolkit_headers.toml knows no advice for {', '.join(sorted(lost))}"


def test_what_is_missing_is_refused_by_name_line_and_advice(tmp_path: Path) -> None:
    """In angle brackets and in quotes; but a file of the program's own is its own, whatever it is called."""
    wanted = {"cufft.h": "cuFFT", "thrust/no_such.h": "Thrust", "nvrtc.h": "<<<...>>>", "crt/mma.hpp": "cuda_runtime.h"}
    lines = [f"#include <{h}>" if i % 2 else f'#include "{h}"' for i, h in enumerate(wanted)]
    path = tmp_path / "kernel.cu"
    (tmp_path / "cusparse.h").write_text("constexpr int kMine = 7;\n", encoding="utf-8")
    text = PROGRAM.format(headers="\n".join([*lines, '#include "cusparse.h"']), body="", launcher="")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    assert [(f.code, f.line) for f in caught.value.findings] == [("unsupported", i) for i in range(1, 5)]
    for finding, (header, advised) in zip(caught.value.findings, wanted.items(), strict=True):
        assert all(f"<{header}>" in finding.message.text(lang) for lang in ("en", "es"))
        assert advised in finding.message.text("en")


@pytest.mark.parametrize("name", ["cuda_utils.h", "common/timer-host.cuh", "a" * 300 + ".h"])
def test_a_header_of_a_programs_own_repository_is_told_as_one(name: str, tmp_path: Path) -> None:
    """Not as an inner part of CUDA's headers, whatever its name begins with."""
    path = tmp_path / "kernel.cu"
    path.write_text(PROGRAM.format(headers=f'#include "{name}"', body="", launcher=""), encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    (finding,) = caught.value.findings
    assert f"There is no header called {name} in CUDA or C++" in finding.message.text("en")
    assert f"ninguna cabecera llamada {name} en CUDA" in finding.message.text("es")
    assert all("-I" in finding.message.text(lang) for lang in ("en", "es"))


@pytest.mark.slow
def test_a_header_with_a_zero_in_its_name_does_not_compile(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(PROGRAM.format(headers='#include "a\0b.h"', body="", launcher=""), encoding="utf-8")
    with pytest.raises(BuildError):
        simulator.build(path)


def test_every_header_that_is_here_compiles_alone_and_with_the_others() -> None:
    """CUDA's libraries have tests of their own."""
    names = [str(p.relative_to(INCLUDE)) for p in sorted(INCLUDE.rglob("*")) if p.is_file()]
    public = [n for n in names if not re.match(r"ok/|bits/|helper_|cub/|thrust/|cublas|curand", n)]
    for compiler in FAMILIES:
        text = "".join(f"#include <{name}>\n" for name in public) + "int main() { return 0; }\n"
        how = [compiler, "-std=gnu++17", "-fsyntax-only", "-DOK_ARCH=800", "-Wall", "-Wextra", "-Werror",
               "-Wno-deprecated-declarations", "-I", str(INCLUDE), "-x", "c++", "-"]  # fmt: skip
        done = subprocess.run(how, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]


def test_complex_numbers_ranges_and_the_standard_library_of_kernels(tmp_path: Path) -> None:
    source = PROGRAM.format(
        headers="#include <cuComplex.h>\n#include <nvtx3/nvToolsExt.h>\n#include <cuda/std/cmath>\n"
        "#include <cuda/std/utility>\n#include <cuda/std/limits>\n#include <cuda/std/cstdint>\n"
        "#include <cuda/std/type_traits>\n#include <cuda/std/array>",
        body="""
    const int i = threadIdx.x;
    cuFloatComplex z = make_cuFloatComplex(x[i], 1.0f), w = cuCmulf(z, cuConjf(z));
    cuDoubleComplex q = cuCdiv(cuComplexFloatToDouble(w), make_cuDoubleComplex(0.0, 2.0));
    float a = cuCrealf(w), b = static_cast<float>(cuCimag(q));
    cuda::std::swap(a, b);
    cuda::std::array<float, 2> both = {a, b};
    static_assert(cuda::std::is_same_v<cuda::std::uint32_t, unsigned>);
    y[i] = i < 30 ? both[0] + 4 * both[1] : i < 31 ? cuda::std::numeric_limits<float>::max() : cuCabsf(z);""",
        launcher='nvtxRangePush("k"); nvtxMark("here"); nvtxRangePop();',
    )
    x = np.arange(32, dtype=np.float32)
    got = clean(tmp_path, source, x, np.zeros(32, np.float32))
    square = x * x + 1
    want = np.where(np.arange(32) < 30, 3.5 * square, np.finfo(np.float32).max)
    want[31] = np.hypot(31, 1)
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_whole_numbers_are_divided_as_libcudacxx_does(tmp_path: Path) -> None:
    source = PROGRAM.format(
        headers="#include <cuda/cmath>\n#include <cuda/std/cstdint>",
        body="""
    enum Size : int { SEVEN = 7 };
    static_assert(cuda::ceil_div(0, 4) == 0 && cuda::ceil_div(8, 4) == 2 && cuda::ceil_div(9, SEVEN) == 2);
    static_assert(cuda::ceil_div(0xffffffffu, 2u) == 0x80000000u);
    static_assert(cuda::ceil_div(INT64_C(1) << 40, 3) == 366503875926);
    static_assert(cuda::round_up(9, 4) == 12 && cuda::round_down(9, 4) == 8);
    static_assert(cuda::ilog2(1) == 0 && cuda::ilog2(1023) == 9);
    const int i = threadIdx.x;
    y[i] = cuda::ceil_div(i, 4) + x[i] + cuda::round_up(i, 8);""",
        launcher="",
    )
    i = np.arange(32, dtype=np.float32)
    got = clean(tmp_path, source, i, np.zeros(32, np.float32))
    np.testing.assert_array_equal(got, np.ceil(i / 4) + i + np.ceil(i / 8) * 8)


def test_a_span_is_there_in_the_standard_that_nvcc_is_given(tmp_path: Path) -> None:
    source = PROGRAM.format(
        headers="#include <cuda/std/array>\n#include <cuda/std/span>",
        body="""
    namespace s = cuda::std;
    s::span<const float> in(x, n), half = in.first(16);
    s::span out{y, static_cast<s::size_t>(n)};
    static_assert(s::is_same_v<decltype(out), s::span<float>> && s::span<int, 4>::extent == 4);
    float own[4] = {1, 2, 3, 4};
    s::array<float, 2> two{5, 6};
    s::span<float, 4> four = own;
    s::span<const float> less = four.subspan<1, 2>(), as_const = two;
    float sum = 0;
    for (float v : less) sum += v;
    const int i = threadIdx.x;
    out[i] = in.last(32)[i] + half.size() + sum + as_const.back() + four.subspan(3).front();""",
        launcher="",
    )
    i = np.arange(32, dtype=np.float32)
    np.testing.assert_array_equal(clean(tmp_path, source, i, np.zeros(32, np.float32)), i + 16 + 5 + 6 + 4)


def test_a_graded_file_is_told_once_that_thrust_is_for_whole_programs(tmp_path: Path) -> None:
    """Wherever NVIDIA's headers are: installing them would not help it."""
    path = tmp_path / "graded.cu"
    includes = "".join(f"#include <thrust/{name}.h>\n" for name in ("transform", "reduce", "system_error"))
    path.write_text(f'{includes}extern "C" int run(float* x, long n) {{ return 0; }}\n', encoding="utf-8")
    with pytest.raises(BuildError) as refused:
        simulator.build(path, prototypes=["int run(float* x, long n)"])
    assert [(f.line, f.message.key) for f in refused.value.findings] == [(1, "simulator.header-program")]
