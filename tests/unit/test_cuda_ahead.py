"""A `.cu` compiled with no GPU: what nvcc refuses at its line, what machine code says, and which compiler is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.backends.base import BuildError, Unavailable
from onekernel.backends.machine_code import Count, functions_of
from onekernel.cuda import ahead, nvcc
from onekernel.cuda.ahead import Resources, compile_ahead, resources
from onekernel.cuda.nvcc import Nvcc
from onekernel.cuda.refusals import refuse

ROOT = Path(__file__).resolve().parents[2]
needs_nvcc = pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here")

LISTING = """\
//--------------------- .text._Z1kPf --------------------------
\t.section\t.text._Z1kPf,"ax",@progbits
_Z1kPf:
.text._Z1kPf:
\t//## File "/home/me/mine.cu", line 7
        /*0010*/                   LDG.E.128 R4, [R2.64] ;
        /*0020*/              @!P1 LDG.E.U16 R4, [R2.64] ;
\t//## File "/usr/local/cuda/include/help.h", line 203 inlined at "/usr/local/cuda/include/help.h", line 69
\t//## File "/usr/local/cuda/include/help.h", line 69 inlined at "/home/me/mine.cu", line 9
\t//## File "/home/me/mine.cu", line 9
        /*0030*/                   LDGSTS.E.BYPASS.128 [R4], [R2.64] ;
        /*0040*/                   MUFU.EX2 R4, R4 ;
        /*0050*/                   MUFU.RCP R4, R4 ;
\t//## File "/home/me/mine.cu", line 11
        /*0060*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0070*/                   STG.E [R2.64], R5 ;
        /*0080*/                   STG.E [R2.64+0x4], R5 ;
        /*0090*/                   STL.64 [R1], R5 ;
        /*00a0*/              @P2  EXIT ;
//--------------------- .nv.shared._Z1kPf --------------------------
"""


def test_machine_code_is_counted_by_line_and_width():
    (kernel,) = functions_of(LISTING, "mine.cu").values()
    assert (kernel.symbol, kernel.instructions) == ("_Z1kPf", 10)
    assert set(kernel.counts) == {
        Count(7, "load", 16, 1),
        Count(7, "load", 2, 1),
        Count(9, "copy", 16, 1),  # inlined from a header: the line that called it
        Count(9, "exp2", 0, 1),
        Count(11, "barrier", 0, 1),
        Count(11, "store", 4, 2),
        Count(11, "spill-store", 8, 1),
    }
    assert kernel.wide("load") == (1, 2) and kernel.wide("store") == (0, 2)


def test_what_ptxas_says_becomes_resources():
    log = """\
ptxas info    : Compiling entry function '_Z1kILi4EEvPf' for 'sm_80'
ptxas info    : Function properties for _Z1kILi4EEvPf
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 400 bytes cmem[0]
"""
    assert resources(log) == (Resources("_Z1kILi4EEvPf", "k<4>", 32, 16, 12, 8, 1024),)


def toolkit(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "include").mkdir()
    (folder / "bin" / "nvcc").write_text("#!/bin/sh\n")
    (folder / "bin" / "nvcc").chmod(0o755)
    (folder / "bin" / "nvcc.profile").touch()
    (folder / "include" / "cuda_runtime_api.h").write_text("#define CUDART_VERSION  13020\n")
    return folder


def test_the_toolkit_asked_for_goes_before_the_one_on_path(tmp_path, monkeypatch):
    asked, on_path = toolkit(tmp_path / "asked"), toolkit(tmp_path / "path")
    monkeypatch.setenv("PATH", f"{on_path / 'bin'}")
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.delenv("CUDA_HOME", raising=False)
    assert nvcc.find.__wrapped__() == Nvcc(on_path, "13.2")
    monkeypatch.setenv("CUDA_HOME", str(asked))
    assert nvcc.find.__wrapped__() == Nvcc(asked, "13.2")


def test_wheels_of_two_cuda_versions_count_as_absent(tmp_path, monkeypatch):
    versions = dict.fromkeys(("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime"), "13.5.37")
    monkeypatch.setattr(nvcc.metadata, "version", lambda name: versions[name])
    assert nvcc.mixed_wheels() is None
    versions["nvidia-cuda-nvcc"] = "13.0.88"
    assert nvcc.mixed_wheels() == {"nvidia-cuda-nvcc": "13.0", "nvidia-nvvm": "13.5", "nvidia-cuda-crt": "13.5",
                                   "nvidia-cuda-runtime": "13.5"}  # fmt: skip


@pytest.mark.slow
@needs_nvcc
def test_a_solution_compiles_once(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path))
    compiled = compile_ahead(ROOT / "solutions" / "vector_add.cu", "sm_90")
    assert [k.name for k in compiled.kernels] == ["vector_add_kernel"]
    assert compiled.kernels[0].registers > 0 and ".entry" in compiled.ptx
    (code,) = compiled.machine_code().values()
    source = (ROOT / "solutions" / "vector_add.cu").read_text().splitlines()
    for count in code.counts:
        assert count.kind in ("load", "store") and "out[i]" in source[count.line - 1]
    monkeypatch.setattr(ahead, "_compile", None)  # the second time reads what was kept
    assert compile_ahead(ROOT / "solutions" / "vector_add.cu", "sm_90") == compiled


@pytest.mark.slow
@needs_nvcc
def test_what_nvcc_refuses_is_named_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path))
    source = (ROOT / "solutions" / "vector_add.cu").read_text().replace("__global__ void", "void")
    (tmp_path / "vector_add.cu").write_text(source)
    with pytest.raises(BuildError) as refused:
        compile_ahead(tmp_path / "vector_add.cu")
    (finding,) = refused.value.findings
    assert "<<<" in source.splitlines()[finding.line - 1]
    with pytest.raises(BuildError) as quickly:
        refuse(tmp_path / "vector_add.cu")
    assert quickly.value.findings == refused.value.findings


# Each is refused by another of nvcc's programs: the preprocessor, the one for the host, for the device, the assembler
# by its reading, and by what it makes of a kernel that is not the shortest.
REFUSED = {
    "preprocessor": '#include "missing.h"\n',
    "host": "void launch() { __syncthreads(); }\n",
    "device": "int helper() { return 1; }\ntemplate <class T> __global__ void k(T* x) { *x = helper(); }\n"
              "void launch(int* x) { k<int><<<1, 1>>>(x); }\n",
    "assembler": "__global__ void a() {}\n__global__ void k(int* x) { asm volatile(\"turn %0;\" ::\"r\"(*x)); }\n",
    "linking": "__device__ void missing(int*);\n__global__ void a() {}\n__global__ void k(int* x) { missing(x); }\n",
    "shared": "__global__ void a() {}\n__global__ void k(float* x) { __shared__ float big[20000];\n"
              "big[threadIdx.x] = *x; __syncthreads(); *x = big[threadIdx.x ^ 1]; }\n",
}  # fmt: skip


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("program", REFUSED)
def test_without_machine_code_the_same_is_refused(program, tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path))
    path = tmp_path / "mine.cu"
    path.write_text(f"#include <cuda_runtime.h>\n{REFUSED[program]}")
    with pytest.raises(BuildError) as wholly:
        compile_ahead(path)
    with pytest.raises(BuildError) as quickly:
        refuse(path)
    assert quickly.value.findings == wholly.value.findings
    monkeypatch.setattr(ahead, "_compile", None)  # and so it is the second time, with nothing compiled
    with pytest.raises(BuildError):
        refuse(path)


@needs_nvcc
@pytest.mark.slow
def test_what_it_takes_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path))
    refuse(ROOT / "solutions" / "vector_add.cu", "sm_90")
    monkeypatch.setattr("onekernel.cuda.refusals._refused", None)  # the second time reads what was kept
    refuse(ROOT / "solutions" / "vector_add.cu", "sm_90")


def test_a_compiler_that_refuses_what_is_right_is_not_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path / "cache"))
    home = toolkit(tmp_path / "broken")
    says = "crt/math_functions.h(12): error: exception specification"
    (home / "bin" / "nvcc").write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    with pytest.raises(Unavailable, match="exception specification"):
        compile_ahead(ROOT / "solutions" / "vector_add.cu", nvcc=Nvcc(home, "13.0"))
    with pytest.raises(Unavailable, match="exception specification"):
        refuse(ROOT / "solutions" / "vector_add.cu", nvcc=Nvcc(home, "13.0"))
