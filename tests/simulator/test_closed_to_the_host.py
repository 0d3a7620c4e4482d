"""What kernels could bring to the host behind the copies of a graded file: prints, and functions of libraries."""

import json
from pathlib import Path

import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.sandbox import protocol
from onekernel.sandbox.protocol import report_to_json

LAUNCHER = """#include <cuda_runtime.h>
%s
__global__ void tell(int n) { %s }
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    tell<<<1, 1, 0, stream>>>(n);
    return cudaGetLastError();
}
"""
PROTOTYPES = ["cudaError_t tell_it(int n, cudaStream_t stream);"]


def graded(tmp_path: Path, before: str, body: str) -> simulator.Simulated:
    path = tmp_path / "tell.cu"
    path.write_text(LAUNCHER % (before, body), encoding="utf-8")
    return simulator.build(path, "check", scrambled=True, prototypes=PROTOTYPES)


def test_what_a_kernel_prints_is_told_though_the_host_cannot_read_it_meanwhile(tmp_path: Path) -> None:
    program = graded(tmp_path, "", r'for (int i = 0; i < n; i++) printf("\"%d\" of\t%d\n", i, n);')
    texts = [f.message.values["text"] for f in program.call("tell_it", [2]).findings if f.code == "printed"]
    assert texts == ['"0" of 2', '"1" of 2']


@pytest.mark.parametrize(
    ("before", "body", "named"),
    [("#include <unistd.h>", "lseek(3, n, SEEK_SET);", "lseek"),
     ("#define TWO(a, b) a##b\n#include <unistd.h>", "TWO(lse, ek)(3, n, SEEK_SET);", "lseek"),
     ("#include <unistd.h>\n__device__ __noinline__ void move(int n) { lseek(3, n, SEEK_SET); }", "move(n);", "lseek"),
     ("#include <string.h>", "char s[9]; strncpy(s, n ? \"ab\" : \"c\", 4); if (s[n]) __trap();", "strncpy")],
)  # fmt: skip
def test_a_kernel_calls_no_function_of_the_libraries(tmp_path: Path, before: str, body: str, named: str) -> None:
    with pytest.raises(BuildError) as refused:
        graded(tmp_path, before, body)
    told = refused.value.findings
    assert {f.code for f in told} == {"library-of-host"}
    assert any(named in f.message.values["name"] for f in told)


def test_the_mathematics_of_a_gpu_are_no_library_of_the_host(tmp_path: Path) -> None:
    graded(tmp_path, "", """int e;
    double w, x = modf(n + sin(double(n)), &w);
    if (frexp(x, &e) + w + remquo(x, 3.0, &e) + tgamma(x) == e) __trap();""")


HANDED = """#include <stdio.h>
#include <string.h>
#include <string>
struct Copy { %s };
__global__ void use(int* out, Copy by) { if (by.copy == nullptr) out[0] = 1; }
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    std::string text(n, 'a');
    char copied[32];
    memcpy(copied, text.data(), n);
    if (strlen(copied) > 99) printf("%%s", copied);
    use<<<1, 1, 0, stream>>>(nullptr, %s);
    return cudaGetLastError();
}
"""


@pytest.mark.parametrize(
    ("member", "handed", "named"),
    [("char* (*copy)(char*, const char*);", "Copy{strcpy}", "strcpy"),
     ("char* (*copy)(char*, const char*, size_t);", "Copy{&strncpy}", "strncpy"),
     ("int (*copy)(char*, const char*, ...);", "Copy{sprintf}", "sprintf")],
)  # fmt: skip
def test_no_kernel_is_handed_what_copies(tmp_path: Path, member: str, handed: str, named: str) -> None:
    path = tmp_path / "tell.cu"
    path.write_text("#include <cuda_runtime.h>\n" + HANDED % (member, handed), encoding="utf-8")
    with pytest.raises(BuildError) as refused:
        simulator.build(path, "check", prototypes=PROTOTYPES)
    (found,) = refused.value.findings
    assert (found.code, found.message.values["name"]) == ("library-address", named)
    assert found.line and named in path.read_text(encoding="utf-8").splitlines()[found.line - 1]


def test_a_host_that_calls_them_by_name_or_hands_over_others_is_not_refused(tmp_path: Path) -> None:
    path = tmp_path / "tell.cu"
    text = HANDED % ("void (*copy)(void*);", "Copy{free}")
    path.write_text("#include <cuda_runtime.h>\n#include <stdlib.h>\n#include <iostream>\n" + text.replace(
        "    use<<<", "    std::cerr << text.substr(n) << std::endl;\n    use<<<"), encoding="utf-8")  # fmt: skip
    simulator.build(path, "check", prototypes=PROTOTYPES)


ASIDE = """#include <cuda_runtime.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
__global__ void tell(int n) { %s }
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    %s
    tell<<<1, 1, 0, stream>>>(n);
    const bool kept = %s;
    fesetenv(FE_DFL_ENV);  // for the tests that follow in this process
    return kept ? cudaGetLastError() : cudaErrorUnknown;
}
"""


@pytest.mark.parametrize(
    ("body", "before", "kept"),
    [("volatile float zero = 0.0f * n, y = 1.0f / zero;", "feclearexcept(FE_ALL_EXCEPT);",
      "!fetestexcept(FE_DIVBYZERO)"),
     ("volatile float x = -n, y = logf(x);", "errno = 7;", "errno == 7"),
     ("volatile float x = -0.5f * n, y = lgammaf(x);", "signgam = 5;", "signgam == 5"),
     ("fesetround(FE_UPWARD);", "", "fegetround() == FE_TONEAREST"),
     ("", "fesetround(FE_DOWNWARD); feraiseexcept(FE_OVERFLOW);",
      "fegetround() == FE_DOWNWARD && fetestexcept(FE_OVERFLOW)")],
    ids=["flags", "errno", "gamma", "rounding", "the-hosts-own"],
)  # fmt: skip
def test_a_kernel_tells_the_host_nothing_beside_its_results(tmp_path: Path, body: str, before: str, kept: str) -> None:
    path = tmp_path / "tell.cu"
    path.write_text(ASIDE % (body, before, kept), encoding="utf-8")
    report = simulator.build(path, "check", scrambled=True, prototypes=PROTOTYPES).call("tell_it", [1])
    assert report.status_name == "cudaSuccess"


MANY = """#include <cuda_runtime.h>
__global__ void tell(int n) {}
extern "C" cudaError_t tell_it(int n, cudaStream_t stream) {
    for (int i = 0; i < n; i++) tell<<<1, 1, 0, stream>>>(i);
    return cudaGetLastError();
}
"""


@pytest.mark.parametrize("mode", ["check", "count"])
@pytest.mark.slow
def test_a_call_of_more_launches_than_a_report_holds_ends_in_a_sentence(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "tell.cu"
    path.write_text(MANY, encoding="utf-8")
    # The room of a report ends it, on the slowest machine too, and not its time.
    program = simulator.build(path, mode, scrambled=True, prototypes=PROTOTYPES, time_limit=120)
    assert not program.call("tell_it", [2_000]).findings
    report = program.call("tell_it", [1_000_000])
    assert [(f.message.key, f.line) for f in report.findings] == [("simulator.time-limit-launches", 4)]
    assert report.status and len(json.dumps(report_to_json(report))) < protocol.JSON_BYTES
    assert not program.call("tell_it", [2_000]).findings  # the next call has the room again


COPIES = """#include <cuda_runtime.h>
__global__ void count(unsigned char* to, int n) { for (int i = 0; i < n; i++) to[i] = i + 1; }
__global__ void look(const unsigned char* at, int n, int* same) { for (int i = 0; i < n; i++) *same += at[i] == i + 1; }
// How many of n bytes are as they were on the other side, in one copy there, as an error's number.
extern "C" cudaError_t copied(int n, int down, cudaStream_t stream) {
    unsigned char *there, here[256] = {};
    int same = 0, *counted;
    cudaMalloc(&there, 256);
    cudaMalloc(&counted, sizeof(int));
    cudaMemsetAsync(counted, 0, sizeof(int), stream);
    if (down) {
        count<<<1, 1, 0, stream>>>(there, n);
        cudaMemcpyAsync(here, there, n, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int i = 0; i < n; i++) same += here[i] == i + 1;
    } else {
        for (int i = 0; i < n; i++) here[i] = i + 1;
        cudaMemcpyAsync(there, here, n, cudaMemcpyHostToDevice, stream);
        look<<<1, 1, 0, stream>>>(there, n, counted);
        cudaMemcpyAsync(&same, counted, sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
    }
    cudaFree(there);
    cudaFree(counted);
    return (cudaError_t)same;
}
"""


def test_a_call_tells_the_host_64_bytes_and_takes_any_number_from_it(tmp_path: Path) -> None:
    path = tmp_path / "copied.cu"
    path.write_text(COPIES, encoding="utf-8")
    prototypes = ["cudaError_t copied(int n, int down, cudaStream_t stream);"]
    program = simulator.build(path, "check", scrambled=True, prototypes=prototypes)
    same = {(n, down): program.call("copied", [n, down]).status for n in (64, 65, 200) for down in (0, 1)}
    assert same[64, 1] == 64
    assert same[65, 1] < 8 and same[200, 1] < 16  # a byte is the same by chance once in 256
    assert (same[64, 0], same[65, 0], same[200, 0]) == (64, 65, 200)
