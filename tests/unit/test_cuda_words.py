"""nvcc's refusals in the learner's words: the sentence, its line, the names in it. The logs are of nvcc 13.0.88."""

from __future__ import annotations

import pytest

from onekernel.cuda.diagnostics import findings_of_log
from onekernel.cuda.words import plain

SOURCE = """\
#include <cuda_runtime.h>
float square(float v) { return v * v; }
void declared_only(float v);
__device__ float c;
void other(float* x) { x[0] = 1; }
__global__ void k(float* x) {
    x[0] = square(x[0]);
}
extern "C" cudaError_t run(float* x, cudaStream_t stream) {
    other<<<1, 32, 0, stream>>>(x);
    return cudaGetLastError();
}
"""
HOST_CALL = 'calling a __host__ function("{}") from a __global__ function("k") is not allowed'


@pytest.mark.parametrize(
    ("line", "says", "code", "values"),
    [
        (7, HOST_CALL.format("square(float)"), "function-of-host", {"name": "square", "caller": "k"}),
        (7, HOST_CALL.format("declared_only(float)"), "function-of-host", {"name": "declared_only", "caller": "k"}),
        (7, HOST_CALL.format("rand"), "library-of-host", {"name": "rand", "caller": "k"}),
        (7, HOST_CALL.format("void  ::std::sort<float *> (T1, T1)"), "std-on-device", {"name": "std::sort"}),
        (10, 'calling a __device__ function("_Z1c1?") from a __host__ function("run") is not allowed',
         "device-called-by-host", {"caller": "run"}),
        (10, 'a __device__ variable "c" cannot be directly read in a host function',
         "device-variable-on-host", {"name": "c", "caller": "run"}),
        (7, 'identifier "table" is undefined in device code', "variable-of-host", {"name": "table", "caller": "k"}),
        (7, 'identifier "uint32_t" is undefined', "header-missing", {"name": "uint32_t", "header": "stdint.h"}),
        (10, "a host function call cannot be configured", "not-a-kernel", {"name": "other", "definition": 5}),
        (7, 'no instance of overloaded function "atomicAdd" matches the argument list', "atomic-type", {}),
        (7, 'more than one instance of overloaded function "max" matches the argument list:', "types-differ", {}),
        (7, 'identifier "valeu" is undefined', "compile-error", {}),
    ],
)  # fmt: skip
def test_a_refusal_has_the_simulators_sentence(line, says, code, values, tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text(SOURCE)
    (finding,) = findings_of_log(f"mine.cu({line}): error: {says}\n", path)
    assert (finding.code, finding.line) == (code, line)
    assert values.items() <= finding.message.values.items()
    assert finding.message.text("en") and finding.message.text("es")


def test_a_host_function_is_told_once(tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text(SOURCE)
    says = HOST_CALL.format("square(float)"), 'identifier "square" is undefined in device code'
    assert len(findings_of_log("".join(f"mine.cu(7): error: {text}\n" for text in says), path)) == 1


@pytest.mark.parametrize(
    ("signature", "written", "name"),
    [
        ("T1 n::square<float> (T1)", "", "square"),
        ("std::vector<int, ::std::allocator<int> > ::vector(unsigned long)", "", "vector"),
        ("n::P::operator +(P, P)", "", "operator+"),
        ("_ZN36_INTERNAL_1294fd05_6_all_cu_1f5394c19atomicAddE1?1?", "    atomicAdd(&v, 1.f);", "atomicAdd"),
    ],
)
def test_the_name_in_a_signature(signature, written, name):
    assert plain(signature, written) == name
