"""What g++ moves without a hook is refused in a graded file, at its line; what has one, or is the host's, is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.simulator.compilation.compiler import compiler

GXX = pytest.mark.skipif(not shutil.which("g++"), reason="no g++, whose hooks these are")
HEAD = """#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <new>
#include <stdint.h>
#include <array>
#include <string>
struct Pair { float a, b; };
struct Many { float v[16]; };
typedef float (*Function)(float);
__device__ __noinline__ Pair pair(float x) { Pair p = {x, x}; return p; }
__device__ __noinline__ Many many(const float* x) { return *(const Many*)x; }
__device__ __noinline__ float sum(Many m) { return m.v[0] + m.v[15]; }
__device__ __noinline__ float first(const Many& m) { return m.v[0]; }
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float apply(Function f, float x) { return f(x); }
__device__ __noinline__ unsigned at(dim3 d, uint3 i) { return d.x + i.x; }
__device__ Pair join(Pair p, Pair q) {
    const float most = fmaxf(p.a, q.a), far = expf(p.a - most), near = expf(q.a - most);
    return {most, isfinite(most) ? p.b * far + q.b * near : p.b + q.b};
}
__device__ Pair operator*(Pair p, Pair q) { return join(join(p, q), join(q, p)); }
__device__ Pair all_of(const Pair* x, int n) {
    Pair p = {0, 0};
    for (int i = 0; i < n; i++) p = join(p, x[i]);
    return p;
}
__device__ void multiply(Pair* y, const Pair* x, int i) { y[i] = x[i] * x[i + 1]; }
struct Maker {
    const float* x;
    __device__ __noinline__ Many operator()(int i) const { return ((const Many*)x)[i]; }
    __device__ __noinline__ Many operator==(int i) const { return ((const Many*)x)[i]; }
};
struct Base { __device__ virtual Many of(const float* x) { return *(const Many*)x; } };
struct Next : Base { __device__ Many of(const float* x) override { return ((const Many*)x)[1]; } };
__device__ __noinline__ float tagged(const char* text, Many m) { return text[0] + m.v[0]; }
__device__ __noinline__ float my__tsan_sum(Many m) { return m.v[0]; }
__device__ __noinline__ float less(bool (*f)(Pair, int), Many m) { return f ? m.v[0] : 0; }
__device__ __noinline__ bool operator<(Pair p, int n) { return p.a < n; }
__device__ __noinline__ void store(Many m, float* y) { *y = m.v[0]; }
[[deprecated("no_sanitize")]] __device__ __noinline__ void old(const float* x, float* y) { %s }
namespace std { __device__ __noinline__ void of_the_file(const float* x, float* y) { %s } }
typedef void (*Moves)(const float*, float*);
__device__ Moves by_pointer = std::of_the_file;
__constant__ Many table = {{1, 2}};
#define COPY __builtin_memcpy
#define JOIN(x, y) x##y
"""
LAUNCHER = """
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    std::string said = "a host may have strings";
    Many here = {}, *there = &here;
    if (n) k<<<1, 32, 0, stream>>>(x, y, there->v[0], (int)said.size());
    return cudaGetLastError();
}
"""
PROTOTYPE = "cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream)"
PAST_THE_HOOKS = {
    "the compiler's memcpy": "__builtin_memcpy(y, x, 64);",
    "by a macro": "COPY(y, x, 64);",
    "pasted": "JOIN(__builtin_mem, move)(y, x, 64);",
    "checked": "__builtin___memcpy_chk(y, x, 64, (size_t)-1);",
    "compared": "if (__builtin_memcmp(x, y, 16) == 0) y[i] = 0;",
    "characters": "y[i] = 0; std::char_traits<char>::copy((char*)y, (const char*)x, 64);",
    "a result": "((Pair*)y)[i] = pair(x[i]);",
    "a large result": "((Many*)y)[i] = many(x);",
    "an argument": "y[i] = sum(((const Many*)x)[i]);",
    "a constant": "y[i] = sum(table);",
    "a call's operator": "((Many*)y)[i] = Maker{x}(i);",
    "an operator with a sign": "((Many*)y)[i] = Maker{x} == i;",
    "an operator's name": "y[i] = less(operator<, ((const Many*)x)[i]);",
    "a lambda's result": "auto f = [=]() __attribute__((noinline)) { return *(const Many*)x; }; *(Many*)y = f();",
    "a virtual function": "Base b; Next c; Base* p = n > 1 ? &b : &c; ((Many*)y)[i] = p->of(x);",
    "a volatile result": "new (y + i) volatile Many(many(x));",
    "a text with a backslash": r'y[i] = tagged("a\\", ((const Many*)x)[i]);',
    "a text with a hook's name": 'y[i] = tagged("__tsan_", ((const Many*)x)[i]);',
    "a name like a hook's": "y[i] = my__tsan_sum(((const Many*)x)[i]);",
    "an element of an array": "y[i] = sum((*(const Many(*)[4])x)[i & 3]);",
    "by a header's function": "namespace cg = cooperative_groups; "
    "cg::invoke_one(cg::coalesced_threads(), store, *(const Many*)x, y);",
}
INTO_A_STRUCT = "*(Many*)y = many(x);"
WITH_HOOKS = {
    "arguments of what a kernel calls": "y[i] = all_of((const Pair*)x, 4).b;",
    "an operator's arguments and result": "multiply((Pair*)y, (const Pair*)x, i);",
    "the header's memcpy": "float v[16]; memcpy(v, x, 64); memcpy(v, x + 3, 12); y[i] = v[i & 15];",
    "into a variable": "Pair p = pair(x[i]); ((Pair*)y)[i] = p;",
    "of a variable": "Many m = ((const Many*)x)[i]; y[i] = sum(m);",
    "into a local array": "Pair p[3]; p[i % 3] = pair(x[i]); y[i] = p[1].a;",
    "into shared memory": "__shared__ Pair s[32]; s[i] = pair(x[i]); __syncthreads(); y[i] = s[31 - i].b;",
    "by reference": "y[i] = first(((const Many*)x)[i]) + first(table);",
    "a whole struct": "((Many*)y)[i] = ((const Many*)x)[i];",
    "an array": "*(std::array<float, 4>*)y = *(const std::array<float, 4>*)x;",
    "a pointer to a function": "y[i] = apply(twice, x[i]);",
    "coordinates": "y[at(blockDim, threadIdx) % 32] = 0;",
}


def built(tmp_path: Path, body: str, old: str = "", of_std: str = "") -> None:
    """Builds a graded file whose kernel does that, as the line after the next of HEAD; `old` is what a deprecated
    function does, `of_std` one with a name of the library's. Raises BuildError."""
    kernel = (
        f"__global__ void k(const float* x, float* y, float z, int n) {{\n    int i = threadIdx.x;\n    {body}\n}}\n"
    )
    path = tmp_path / "moves.cu"
    path.write_text(HEAD % (old, of_std) + kernel + LAUNCHER, encoding="utf-8")
    simulator.build(path, prototypes=[PROTOTYPE], scrambled=True)


@pytest.mark.slow
@GXX
@pytest.mark.parametrize("body", PAST_THE_HOOKS.values(), ids=PAST_THE_HOOKS)
def test_what_is_moved_past_the_hooks_is_refused_at_its_line(tmp_path: Path, body: str) -> None:
    if compiler().family != "g++":
        pytest.skip("another compiler builds here, whose hooks see it")
    with pytest.raises(BuildError) as told:
        built(tmp_path, body)
    assert [(f.code, f.line) for f in told.value.findings] == [("unhooked", HEAD.count("\n") + 3)]


@pytest.mark.slow
@GXX
@pytest.mark.parametrize(
    ("body", "given"), [("old(x, y);", {"old": INTO_A_STRUCT}), ("by_pointer(x, y);", {"of_std": INTO_A_STRUCT})],
    ids=["its deprecation's text", "its name is the library's"],
)  # fmt: skip
def test_no_text_nor_name_of_a_function_hides_what_it_moves(tmp_path: Path, body: str, given: dict[str, str]) -> None:
    if compiler().family != "g++":
        pytest.skip("another compiler builds here, whose hooks see it")
    with pytest.raises(BuildError) as told:
        built(tmp_path, body, **given)
    line = next(n for n, text in enumerate((HEAD % ("@", "@")).splitlines(), 1) if "@" in text)
    assert [(f.code, f.line) for f in told.value.findings] == [("unhooked", line + ("of_std" in given))]


@pytest.mark.slow
@pytest.mark.parametrize("body", WITH_HOOKS.values(), ids=WITH_HOOKS)
def test_what_has_hooks_is_built(tmp_path: Path, body: str) -> None:
    built(tmp_path, body)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('extern "C" void JOIN(__ts, an_read4)(void*) {}', "__tsan_read4"),
        ("namespace JOIN(__o, k) { void mark_many_bits(unsigned char*, unsigned long, int, unsigned long&) {} }",
         "__ok::mark_many_bits"),
    ],
    ids=["a hook", "in its namespace"],
)  # fmt: skip
def test_a_file_that_defines_what_is_the_simulators_is_refused_by_that_name(
    tmp_path: Path, text: str, name: str
) -> None:
    path = tmp_path / "stands_in.cu"
    kernel = "__global__ void k(const float* x, float* y, float z, int n) { y[threadIdx.x] = x[threadIdx.x]; }\n"
    path.write_text(HEAD % ("", "") + text + "\n" + kernel + LAUNCHER, encoding="utf-8")
    with pytest.raises(BuildError) as told:
        simulator.build(path, prototypes=[PROTOTYPE], scrambled=True)
    assert [(f.code, f.message.values["what"]) for f in told.value.findings] == [("machinery", name)]


@pytest.mark.parametrize(
    "text",
    [
        "#pragma GCC optimize(3)", '#pragma GCC target("avx")', '_Pragma("GCC target(\\"avx\\")")',
        '#define WITH _Pragma("GCC optimize(3)")', "#pragma redefine_extname mine theirs",
        '__attribute__((optimize("O3"))) void mine() {}', '#define O3 __attribute__((__optimize__("O3")))',
        '__attribute__((target_clones("avx", "default"))) void mine() {}',
    ],
)  # fmt: skip
def test_what_has_the_compiler_make_something_else_of_a_function_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.cu"
    path.write_text(f"#include <cuda_runtime.h>\n{text}\n", encoding="utf-8")
    with pytest.raises(BuildError) as told:
        simulator.build(path, prototypes=[PROTOTYPE], scrambled=True)
    assert [(f.code, f.line) for f in told.value.findings] == [("unread", 2)]


def test_functions_and_variables_may_have_the_names_of_such_attributes(tmp_path: Path) -> None:
    path = tmp_path / "names.cu"
    text = "#define JOIN(x, y) x##y\nstatic int target(int x) { return x; }\n"
    text += "static int JOIN(optim, ize)(int x) { return x; }\n"
    path.write_text(f"#include <cuda_runtime.h>\n{text}static int all = target(1) + optimize(2);\n", encoding="utf-8")
    simulator.build(path, prototypes=[], scrambled=True)
