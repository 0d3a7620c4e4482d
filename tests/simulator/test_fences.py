"""A graded file, the runtime and the libraries kept apart, whatever leads a kernel to a function of a library."""

from pathlib import Path

import pytest

from onekernel import simulator

PROTOTYPES = ["cudaError_t tell_it(int n, cudaStream_t stream);"]
OWN = """#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
static volatile int asked;
%s
__global__ void work(int n) { %s }
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    static float* held;
    cudaMalloc(&held, 4 * n);
    asked = 0;
    work<<<n, 32, 0, stream>>>(n);
    cudaError_t status = cudaStreamSynchronize(stream);
    cudaFree(held);
    if (asked) return cudaErrorUnknown;
    %s
    return asked == 1 ? status : cudaErrorAssert;
}
"""
STANDING_IN = {
    "strlen": ('extern "C" size_t strlen(const char* s) noexcept { asked = asked + 1; size_t n = 0;'
               " while (s[n]) ++n; return n; }",
               "const char* volatile word = \"ab\"; if (strlen(word) != 2) return cudaErrorUnknown;"),
    "madvise": ('extern "C" int madvise(void*, size_t, int) noexcept { asked = asked + 1; return 0; }',
                "madvise(nullptr, 0, 0);"),
    "a lock": ('extern "C" int pthread_mutex_lock(void*) noexcept { asked = asked + 1; return 0; }',
               "pthread_mutex_lock(0);"),
    "operator delete": ("void operator delete(void* p) noexcept { asked = asked + 1; free(p); }\n"
                        "void operator delete(void* p, size_t) noexcept { asked = asked + 1; free(p); }",
                        "int* volatile made = new int; delete made;"),
}  # fmt: skip


def graded(tmp_path: Path, text: str) -> simulator.Simulated:
    path = tmp_path / "tell.cu"
    path.write_text(text, encoding="utf-8")
    return simulator.build(path, "check", scrambled=True, prototypes=PROTOTYPES)


@pytest.mark.parametrize("name", STANDING_IN)
def test_the_runtime_calls_no_function_of_the_files(tmp_path: Path, name: str) -> None:
    """Only the file's own code does, on the host."""
    own, calls = STANDING_IN[name]
    report = graded(tmp_path, OWN % (own, "if (threadIdx.x == 0) printf(\"%d\", n);", calls)).call("tell_it", [3])
    assert report.status_name == "cudaSuccess"


LED = """#include <cuda_runtime.h>
#include <unistd.h>
#include <sstream>
typedef void (*Function)(const void*, void*, ssize_t);
%s
__global__ void use(%s* f, char* to) { if (threadIdx.x == 0) { %s; } }
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    %s
    char* room;
    cudaMalloc(&room, 64);
    cudaMemsetAsync(room, n, 64, stream);
    %s* there;
    cudaMalloc(&there, sizeof made);
    cudaMemcpyAsync(there, &made, sizeof made, cudaMemcpyHostToDevice, stream);
    use<<<1, 32, 0, stream>>>(there, room);
    return cudaStreamSynchronize(stream);
}
"""
CALL = "(*f)(to, to + 32, 8)"
WAYS = {
    "lambda": ("", "Function made = [](const void* s, void* t, ssize_t k) { swab(s, t, k); };"),
    "class": ("", "struct L { static void go(const void* s, void* t, ssize_t k) { swab(s, t, k); } };"
                  " Function made = L::go;"),
    "macro": ("#define MAKE(name) static void name(const void* s, void* t, ssize_t k) { swab(s, t, k); }\nMAKE(go)",
              "Function made = go;"),
    "constexpr": ("constexpr void go(const void* s, void* t, ssize_t k) { if (k) swab(s, t, k); }",
                  "Function made = go;"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_a_kernel_to_a_function_of_a_library(tmp_path: Path, way: str) -> None:
    before, made = WAYS[way]
    report = graded(tmp_path, LED % (before, "Function", CALL, made, "Function")).call("tell_it", [7])
    assert [(f.code, f.message.values["variable"]) for f in report.findings] == [("host-pointer", "swab")]


def test_a_kernel_writes_into_no_stream_of_the_hosts(tmp_path: Path) -> None:
    before = ("struct Both { std::ostream* stream; std::ostream& (std::ostream::*write)(const char*, long); };\n"
              "static std::stringstream kept;")  # fmt: skip
    text = LED % (before, "Both", "(f->stream->*f->write)(to, 8)", "Both made = {&kept, &std::ostream::write};", "Both")
    report = graded(tmp_path, text).call("tell_it", [7])
    told = [f.message.values["variable"] for f in report.findings if f.code == "host-pointer"]
    assert told == ["std::ostream::write"]


HOST = r"""#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <memory>
#include <iostream>
static int by_size(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
__global__ void nothing(int n) {}
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    char text[200];
    snprintf(text, sizeof text, "%d %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f",
             n, n + 1, n + 2, n + 3, n + 4, n + 5, n + .5, n + 1.5,
             n + 2.5, n + 3.5, n + 4.5, n + 5.5, n + 6.5, n + 7.5, n + 8.5);
    if (strcmp(text, "3 4 5 6 7 8 3.5 4.5 5.5 6.5 7.5 8.5 9.5 10.5 11.5")) return cudaErrorUnknown;
    int numbers[] = {3, 1, n - 1};
    qsort(numbers, 3, sizeof *numbers, by_size);
    if (numbers[0] != 1 || numbers[1] != 2) return cudaErrorUnknown;
    if (strtod("2.5", nullptr) != 2.5 || div(7, n).rem != 1) return cudaErrorUnknown;
    std::vector<std::string> words(n, std::string(40, 'x'));
    std::sort(words.begin(), words.end());
    std::unique_ptr<void, decltype(&free)> room(malloc(9), &free);
    std::cerr << words[0].substr(39) << std::endl;
    nothing<<<1, 32, 0, stream>>>(n);
    try { words.at(n); } catch (const std::out_of_range&) { return cudaGetLastError(); }
    return cudaErrorUnknown;
}
"""


def test_the_hosts_own_code_calls_what_it_likes(tmp_path: Path) -> None:
    """All arguments arrive, in registers of either kind and on the stack, and what is thrown passes."""
    report = graded(tmp_path, HOST).call("tell_it", [3])
    assert (report.status_name, report.findings) == ("cudaSuccess", ())
