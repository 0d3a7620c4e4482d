"""Host and device: what CUDA refuses and plain C++ does not is refused at its line; what is near it is not.

Each case is a line or two at namespace scope, in a kernel (`x` a float*, `i` an int) or in the launcher. NVIDIA's
compiler, where it is here, is asked about the same files.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.cuda import nvcc
from onekernel.cuda.ahead import compile_ahead
from onekernel.simulator.compilation.diagnostics import compile_error, uses_of_host
from onekernel.simulator.rewrite import Source, rewrite
from support.compilers import CLANGS, GCCS

ALLOWED = Path(__file__).parent / "allowed_by_nvcc.cu"


@dataclasses.dataclass(frozen=True)
class Case:
    top: str = ""
    kernel: str = ""
    host: str = ""
    include: str = ""
    nvcc: bool = True  # whether nvcc refuses it, too
    head: str = "__global__ void k"

    def source(self) -> str:
        return (
            f"#include <cuda_runtime.h>\n#include <stdint.h>\n{self.include}\n{self.top}\n"
            f"{self.head}(float* x, int n) {{\n    int i = threadIdx.x;\n    {self.kernel}\n}}\n"
            'extern "C" cudaError_t run(float* x, cudaStream_t stream) {\n'
            f"    k<<<1, 32, 0, stream>>>(x, 32);\n    {self.host}\n    return cudaGetLastError();\n}}\n"
        )


REFUSED = {
    "address-of-host-constant": [
        Case("static const int kSize = 8;", "const int& size = kSize; x[i] = size;"),
        Case("constexpr float kOne = 1;", "const float* one = &kOne; x[i] = *one;"),
        Case("const int kSize = 8;\n__device__ int twice(int a, const int& b) { return a + b; }",
             "x[i] = twice(i, kSize);"),
        Case("constexpr float kLeast = 1;", "x[i] = std::max(x[i], kLeast);", include="#include <algorithm>"),
        Case("struct P { int a; };\nconstexpr P pair = {1};", "const int& low = pair.a; x[i] = low;"),
        Case("constexpr std::array<int, 3> sizes{1, 2, 3};", "x[i] = sizes[i % 3];", include="#include <array>"),
        Case("constexpr auto twice = [](float v) { return 2 * v; };", "x[i] = twice(x[i]);"),
    ],
    "not-a-kernel": [Case(head="void k"), Case(head="__device__ void k")],
    "kernel-returns": [
        Case(head="__global__ float k"),
        Case("__global__ int other(float* x) { return 0; }"),
        Case("static float* __global__ other(float* x) { return x; }"),
        Case(head="__global__ auto k"),
    ],
    "kernel-two-sides": [Case(head="__global__ __device__ void k"), Case(head="__host__ __global__ void k")],
    "kernel-member": [Case("struct S { static __global__ void other(float* x) {} };")],
    "function-of-host": [
        Case("float square(float v) { return v * v; }", "x[i] = square(x[i]);"),
        Case("template <class T>\nT square(T v) { return v * v; }", "x[i] = square(x[i]);"),
        Case("float square(float v) { return v; }\n__device__ float g(float v) { return square(v); }", "x[i] = g(1);"),
        Case("struct P { float m; P(float a) : m(a) {} };", "P p(x[i]);\n    x[i] = p.m;"),
        Case("struct P { float m; float get() const { return m; } };", "P p{x[i]};\n    x[i] = p.get();"),
        Case("struct P { float m; };\nP operator+(P a, P b) { return {a.m + b.m}; }", "P p{1};\n    x[i] = (p + p).m;"),
        Case("struct F { float operator()(float v) const { return v; } };\n"
             "template <class G>\n__global__ void other(G g, float* x) {\n    x[0] = g(1);\n}",
             host="other<<<1, 1, 0, stream>>>(F{}, x);"),
        Case("float square(float v) { return v * v; }\n#define SQUARE(v) square(v)", "x[i] = SQUARE(x[i]);"),
    ],
    "library-of-host": [
        Case(kernel="x[i] = rand();", include="#include <stdlib.h>"),
        Case(kernel="if (i > 40) exit(1);", include="#include <stdlib.h>"),
        Case(kernel='fprintf(stderr, "x");', include="#include <stdio.h>"),
        Case(kernel="cudaMemcpy(x, x + 1, 4, cudaMemcpyDeviceToDevice);"),
        Case(kernel="cudaMemset(x, 0, 4);"),
        Case(kernel="cudaDeviceSynchronize();"),
        Case(kernel="cudaStreamSynchronize(0);"),
    ],
    "variable-of-host": [
        Case("float factor = 3;", "x[i] *= factor;"),
        Case("const float table[2] = {3, 4};", "x[i] *= table[i & 1];"),
        Case("constexpr int table[2] = {3, 4};", "x[i] *= table[1];"),
        Case("struct P { static constexpr int table[2] = {3, 4}; };", "x[i] *= P::table[i & 1];"),
        Case("namespace c { constexpr int table[2] = {3, 4}; }", "x[i] *= c::table[1];"),
        Case("inline constexpr int table[2] = {3, 4};", "x[i] *= ::table[1];"),
        Case("struct P { static constexpr int table[2] = {3, 4}; };\nconstexpr int ONE = 1;", "x[i] *= P::table[ONE];"),
        Case("struct P { static constexpr int table[2] = {3, 4}; };", "P p; x[i] *= p.table[1];"),
        Case("alignas(16) const float table[4] = {3, 4};", "x[i] *= table[i & 3];"),
        Case("alignas(16) static float table[4];", "x[i] *= table[0];"),
        Case("__device__ float g(float v) { return v; }\nfloat (*table[])(float) = {g, g};", "x[i] = table[i & 1](1);"),
        Case("__device__ float g(float v) { return v; }\nstatic float (*table)(float) = g;", "x[i] = table(1);"),
        Case("static const float* data;", "x[i] = data[i];"),
        Case("static int calls;", "calls += 1;"),
        Case("const float root = sqrtf(2);", "x[i] = root;", include="#include <math.h>"),
        Case("static int half(int v) { return v / 2; }\nconst int two = half(4);", "x[i] = two;"),
    ],
    "std-on-device": [
        Case(kernel="std::vector<float> v(4);\n    x[i] = v[0];", include="#include <vector>"),
        Case(kernel="std::swap(x[0], x[1]);", include="#include <utility>"),
        Case(kernel="std::sort(x, x + 4);", include="#include <algorithm>"),
        Case(kernel="x[i] = std::accumulate(x, x + 4, 0.f);", include="#include <numeric>"),
        Case("struct P { std::vector<int> vector; };\nP pair;", "x[i] = pair.vector[i];", include="#include <vector>"),
        Case("__device__ int size(const std::string& string) { return string.size(); }", include="#include <string>"),
        Case("__device__ std::atomic<int> atomic;", "atomic.fetch_add(1);", include="#include <atomic>"),
    ],
    "stream-on-device": [Case(kernel="std::cout << x[i];", include="#include <iostream>")],
    "device-called-by-host": [
        Case("__device__ float g(float v) { return v; }", "x[i] = g(1);", "if (g(2) > 3) return cudaErrorUnknown;"),
        Case("struct P { float m; __device__ float g() const { return m; } };", host="P p{1};\n    p.g();"),
        Case(host="__syncthreads();"),
        Case("__host__ __device__ float g(float v) { return __expf(v); }", "x[i] = g(1);"),
        Case(host="float v = __expf(1.f);\n    if (v > 9) return cudaErrorUnknown;"),
        Case(host="int v = 0;\n    atomicAdd(&v, 1);"),
        Case(host="if (__ldg(x) > 3) return cudaErrorUnknown;"),
        Case(host="cudaTextureObject_t t = 0;\n    if (tex1Dfetch<float>(t, 1) > 2) return cudaErrorUnknown;"),
        Case(host="auto block = cooperative_groups::this_thread_block();", include="#include <cooperative_groups.h>"),
    ],
    "device-variable-on-host": [
        Case("__device__ float total;", "total = 1;", "if (total > 2) return cudaErrorUnknown;"),
        Case("__device__ float total;", "x[i] = total;", "total = 0;"),
        Case("__constant__ float c;", "x[i] = c;", "if (c > 2) return cudaErrorUnknown;"),
        Case("__device__ float total;", "x[i] = total;", "cudaMemset(&total, 0, 4);", nvcc=False),
        Case("__device__ float a[4];", "x[i] = a[0];", "cudaMemset(a, 0, 16);", nvcc=False),
    ],
    "shared-on-host": [
        Case(host="__shared__ float tile[32];\n    tile[0] = 1;"),
        Case("__host__ __device__ int g(int i) { __shared__ int t[32]; return t[i] = 1; }", "x[i] = g(i);"),
    ],
    "launch-in-kernel": [Case("__global__ void other(float* x) { x[0] = 1; }", "other<<<1, 1>>>(x);")],
    "kernel-in-kernel": [Case("__global__ void other(float* x) { x[0] = 1; }", "if (i == 0) other(x);")],
    "kernel-called": [Case(host="k(x, 32);")],
    "launch-configuration": [
        Case(host="k<<<1, 32, 0, stream, 1>>>(x, 32);"),
        Case(host="k<<<1, 32, 0, x>>>(x, 32);"),
        Case(host="cudaEvent_t e;\n    cudaEventCreate(&e);\n    k<<<1, 32, 0, e>>>(x, 32);"),
    ],
    "lambda-to-kernel": [
        Case("template <class F>\n__global__ void other(F f, float* x) { x[0] = f(1); }",
             host="other<<<1, 1>>>([](float v) { return v; }, x);"),
        Case("template <class F>\n__global__ void other(F f, float* x) { x[0] = f(1); }",
             host="auto f = [](float v) { return v; };\n    other<<<1, 1>>>(f, x);"),
    ],
    "lambda-on-device": [
        Case("template <class F>\n__global__ void other(F f, float* x) { x[0] = f(1); }",
             host="other<<<1, 1>>>([] __device__ (float v) { return v; }, x);"),
        Case("#define HD __host__ __device__\ntemplate <class F>\n__global__ void other(F f) { f(1); }",
             host="auto f = [] HD (float v) { return v; };\n    other<<<1, 1>>>(f);"),
    ],
    "not-on-device": [
        Case("template <int N = 4> __device__ int most(int a) { if (a > N) throw 1; return a; }", "x[i] = most(i);"),
        Case("template <class T = int> struct P { __device__ T most(T a) { if (a > 4) throw 1; return a; } };",
             "x[i] = P<>().most(i);"),
        Case(kernel="if (i > 40) throw 1;"),
        Case(kernel="try { x[i] = 1; } catch (...) {}"),
    ],
    "thread-local-on-device": [Case(kernel="thread_local float v;\n    v = x[i];\n    x[i] = v;")],
    "jump-on-device": [Case(kernel="void* next = &&there;\n    goto *next;\n    there:\n    x[i] = 1;")],
    "kernel-ellipsis": [Case("__global__ void other(float* x, ...) { x[0] = 1; }")],
    "array-of-variable-size": [
        Case(kernel="float v[n];\n    v[0] = x[i];\n    x[i] = v[0];"),
        Case(kernel="float v[warpSize];\n    v[0] = x[i];\n    x[i] = v[0];"),
        Case("__device__ constexpr int warps(int n) { return n / warpSize; }",
             "float v[warps(64)];\n    v[0] = x[i];\n    x[i] = v[0];"),
        Case("template <class T>\n__device__ T one(T* x, int n) { T v[n]; return v[0] = x[0]; }", "x[i] = one(x, n);"),
    ],
    "value-of-a-call": [
        Case("constexpr float root = sqrtf(2);", "x[i] = root;", include="#include <math.h>"),
        Case("constexpr double tau = 2 * std::acos(-1.0);", "x[i] = tau;", include="#include <cmath>"),
        Case(kernel="constexpr float root = sqrtf(2);\n    x[i] = root;", include="#include <math.h>"),
        Case(kernel="static const float root = sqrtf(2);\n    x[i] = root;", include="#include <math.h>"),
        Case("__device__ float root = sqrtf(2);", "x[i] = root;", include="#include <math.h>"),
        Case("__constant__ float root = sqrtf(2);", "x[i] = root;", include="#include <math.h>"),
    ],
    "variable-in-kernel": [
        Case(kernel="__constant__ float c;\n    x[i] = c;"),
        Case(kernel="__device__ float c;\n    x[i] = c;"),
    ],
    "constant-written": [
        Case("__constant__ float c;", "c = x[i];"),
        Case("__constant__ float c[4];", "c[i & 3] += x[i];", nvcc=False),
    ],
    "constant-value": [
        Case("float start() { return 2; }\n__device__ float c = start();", "x[i] = c;"),
        Case(kernel="static float first = x[i];\n    x[i] = first;"),
    ],
    "arena-types": [
        Case("__global__ void other(double* x) {\n    extern __shared__ double buffer[];\n    buffer[0] = x[0];\n}",
             "extern __shared__ float buffer[];\n    buffer[i] = x[i];"),
        Case("template <class T>\n__device__ T* buffer() {\n    extern __shared__ T buffer[];\n    return buffer;\n}",
             "buffer<float>()[i] = 1;\n    buffer<double>()[i] = 2;"),
    ],
    "bounds-misplaced": [
        Case("__device__ void __launch_bounds__(64) g(float* x) { x[0] = 1; }", "g(x);"),
        Case("__global__ void other(float* x) __launch_bounds__(64) { x[0] = 1; }"),
        Case("__host__ __device__ void __maxnreg__(64) g(float* x) { x[0] = 1; }", "g(x);"),
    ],
    "memory-twice": [
        Case("__managed__ __constant__ float v;"),
        Case("__device__ __managed__ __shared__ float v;"),
        Case("__shared__ static __constant__ float v;"),
    ],
    "grid-constant": [
        Case("struct P { float a[4]; };\n__global__ void other(float* x, __grid_constant__ P p) { x[0] = p.a[1]; }"),
    ],
    "bounds-twice": [Case("__global__ void __launch_bounds__(64) __maxnreg__(32) other(float* x) { x[0] = 1; }")],
    "alignas-late": [
        Case(kernel="extern __shared__ alignas(16) float buffer[];\n    x[i] = buffer[i];"),
        Case(kernel="extern alignas(16) __shared__ float buffer[];\n    x[i] = buffer[i];"),
    ],
    "builtin-on-device": [Case(kernel="x[i] = __builtin_ctz(i);"), Case(kernel="if (i > 40) __builtin_trap();")],
    "vector-call": [
        Case(kernel="float4 v = float4(1, 2, 3, x[i]);\n    x[i] = v.w;"),
        Case(kernel="float2 v(1, x[i]);\n    x[i] = v.y;"),
        Case(kernel="x[i] = ((float4)0).x;"),
        Case(host="int2 pair(1, 2);\n    if (pair.x > pair.y) return cudaErrorUnknown;"),
    ],
    "vector-of-number": [
        Case(kernel="float4 v = 0;\n    x[i] = v.w;"),
        Case(kernel="float2 v;\n    v = 1.0f;\n    x[i] = v.y;"),
        Case("__device__ float4 g(float4 v) { return v; }", "x[i] = g(x[i]).x;"),
    ],
    "memory-member": [
        Case("struct P { static __device__ int total; };"),
        Case("struct P { __constant__ static float table[4]; };"),
        Case("template <class T> struct P { static constexpr __device__ T total = 3; };"),
    ],
    "shared-no-extern": [Case(kernel="__shared__ float buffer[];\n    buffer[i] = x[i];")],
    "shuffle-type": [
        Case(kernel="float2 v{x[i], 1};\n    v = __shfl_xor_sync(~0u, v, 1);\n    x[i] = v.x;"),
        Case(kernel="float* p = x;\n    p = __shfl_sync(~0u, p, 0);\n    x[i] = *p;"),
    ],
}  # fmt: skip
# Allowed, too, but not in one file with all else: they decide how the whole file is compiled.
ALONE = {
    "a list of all components": Case(kernel="float2 v[2] = {1, 2, 3, 4};\n    x[i] = v[1].x;"),
    "components by name": Case(kernel="float4 v = {.x = 1, .w = x[i]};\n    x[i] = v.w;"),
    "their bits as another type": Case(
        "struct Four { float v[4]; };", "x[i] = cuda::std::bit_cast<Four>(make_float4(x[i], 0, 0, 0)).v[0];",
        include="#include <cuda/std/bit>",
    ),
    "complex numbers": Case(
        kernel="cuda::std::complex<float> c(x[i], 1.0f);\n    x[i] = cuda::std::abs(c) + cuda::std::exp(c).real();",
        include="#include <cuda/std/complex>",
    ),
}
CASES = [pytest.param(code, case, id=f"{code}-{n}") for code, cases in REFUSED.items() for n, case in enumerate(cases)]


OF_HOST = ("function-of-host", "variable-of-host", "library-of-host")  # the compiler tells of each use


def findings(source: str, tmp_path, compiler=None):
    path = tmp_path / "mine.cu"
    path.write_text(source)
    with pytest.raises(BuildError) as refused:
        simulator.build(path, with_compiler=compiler)
    return refused.value.findings


@pytest.mark.parametrize(("code", "case"), CASES)
def test_what_cuda_forbids_is_refused_at_its_line(code, case, tmp_path):
    source = case.source()
    finding = next(f for f in findings(source, tmp_path) if f.code == code)
    assert "{" not in finding.message.text("es").replace("{ ", "") and finding.message.text("en")
    line = source.splitlines()[finding.line - 1]
    word = re.match(r"\w*", str(finding.message.values.get("name", "")).split("::")[-1])[0]
    assert word.lower() in line.lower() or word == "operator"


def test_a_file_that_is_written_again_is_judged_by_its_new_lines(tmp_path):
    for case in REFUSED["variable-of-host"][:2]:  # at one line, of two names
        assert [f.code for f in findings(case.source(), tmp_path)] == ["variable-of-host"]


@pytest.mark.parametrize(("line", "words", "code", "name"), [
    ("__device__ float c[2] = {start()};", "variable does not have a constant initializer", "constant-value", "c"),
    ("    static float c(x[i]);", "variable does not have a constant initializer", "constant-value", "c"),
    ("    cublasCgemm(nullptr);", "use of undeclared identifier 'cublasCgemm'", "library-name", "cublasCgemm"),
    ("curandNone_t none;", "unknown type name 'curandNone_t'", "library-name", "curandNone_t"),
])  # fmt: skip
def test_clangs_words_become_the_same_sentence(line, words, code, name, tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text(f"\n{line}\n")
    (finding,) = compile_error(Source(path, files=[path]), f"{path}:2:7: error: {words}\n", str(tmp_path)).findings
    assert (finding.code, finding.line, finding.message.values["name"]) == (code, 2, name)


@pytest.mark.parametrize("words", [
    "variable length array 'v' is used [-Wvla]",  # g++, and clang++ in C
    "variable length arrays are a C99 feature [-Wvla-extension]",  # clang++ until 17
    "variable length arrays in C++ are a Clang extension [-Wvla-cxx-extension]",
])  # fmt: skip
def test_every_compilers_words_for_an_array_of_variable_size_are_known(words, tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text("__global__ void kernel(float* x, int n) {\n    float v[n];\n}\n")
    (finding,) = uses_of_host(rewrite(path), f"{path}:2:13: warning: {words}\n")
    assert (finding.code, finding.line) == ("array-of-variable-size", 2)


@pytest.mark.slow
def test_what_cuda_allows_is_not_refused():
    simulator.build(ALLOWED, "fast")


@pytest.mark.slow
@pytest.mark.parametrize("name", ALONE)
def test_what_cuda_allows_is_not_refused_either_where_it_decides_how_vectors_are_copied(name, tmp_path):
    (tmp_path / "mine.cu").write_text(ALONE[name].source())
    simulator.build(tmp_path / "mine.cu", "fast")
    if nvcc.find() is not None:
        compile_ahead(tmp_path / "mine.cu")


@pytest.mark.slow
@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.sample(every=4)
def test_clang_tells_of_the_same_uses(clang, tmp_path):
    simulator.build(ALLOWED, "fast", with_compiler=clang)
    for case in (case for code in (*OF_HOST, "array-of-variable-size") for case in REFUSED[code]):
        both = [findings(case.source(), tmp_path, compiler) for compiler in (*GCCS[:1], clang)]
        told = [[(f.code, f.line, str(f.message.values.get("name")).split("::")[-1]) for f in found] for found in both]
        assert told[0] == told[1]  # P::P of g++ is P of clang++


@pytest.mark.slow
@pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here")
@pytest.mark.sample(every=4)
def test_nvcc_refuses_and_allows_the_same(tmp_path):
    compile_ahead(ALLOWED)
    allowed = []
    for code, cases in REFUSED.items():
        for n, case in enumerate(cases[:1] + [c for c in cases[1:] if not c.nvcc]):  # all take a minute
            path = tmp_path / f"{code}-{n}.cu"
            path.write_text(case.source())
            try:
                compile_ahead(path)
                allowed.append((code, n, case.nvcc))
            except BuildError:
                assert case.nvcc, path.name
    assert not [a for a in allowed if a[2]]


RELAXED = [  # as nvcc 13.0 answers
    "out[0] = std::max(i, 3);", "constexpr float m = std::numeric_limits<float>::max(); out[0] = m;",
    "float b[std::min(3, 4)]; b[i] = 1; out[0] = b[j];", "out[0] = std::clamp(i, 1, 5);", "out[0] = std::gcd(i, 4);",
    "out[0] = std::get<0>(std::make_pair(i, 2));", "std::array<int, 2> p{i, 2}; out[0] = p[1];", "out[0] = sqrt(i);",
    "size_t n = 3; out[0] = std::sqrt(n);", "out[0] = std::sqrt(blockDim.x);", "out[0] = std::ceil(i / 2);",
    "out[0] = floor(-i);", "out[0] = std::log(16);", "out[0] = std::fmin(out[1], 2);", "out[0] = std::atan2(1, 2.f);",
]  # fmt: skip
PLAIN = [
    "out[0] = max(i, 3);", "out[0] = std::pow(i, 2);", "out[0] = std::sqrt(2.0f * i);", "out[0] = std::sqrt((float)i);",
    "out[0] = std::floor(i / 2.f);", "out[0] = std::abs(i);", "out[0] = std::fmod(3.f, 2.f);",
    "out[0] = std::sqrt(out[i]);",
    "out[0] = std::numeric_limits<float>::digits;", "out[0] = std::is_same<int, int>::value;", "out[0] = std::move(i);",
    "float sqrt = 2; out[0] = sqrt;", "out[0] = cuda::std::max(i, 3);", "float i = 2; out[0] = std::exp(i);",
]  # fmt: skip


@pytest.mark.parametrize(("statement", "wanted"), [*((s, 1) for s in RELAXED), *((s, 0) for s in PLAIN)])
def test_constexpr_functions_of_the_host_are_told_of_a_program(statement: str, wanted: int, tmp_path: Path) -> None:
    heads = "".join(f"#include <{name}>\n" for name in ("cmath", "algorithm", "limits", "numeric", "array", "utility"))
    path = tmp_path / "k.cu"
    path.write_text(f"{heads}__global__ void k(float* out, int i, int j) {{\n    {statement}\n}}\n")
    told = {(w.code, w.line) for w in rewrite(path, program=True).warnings}
    assert len(told) == wanted
    assert all(code in ("relaxed-constexpr", "real-of-integer") for code, _ in told)
    assert rewrite(path).warnings == []  # exercises are built with --expt-relaxed-constexpr
