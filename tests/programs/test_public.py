"""What public programs were stopped by: each of these was met in one of them, and is mended for all."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from audits.public_cuda.outcomes import result_of
from audits.public_cuda.programs import candidates
from audits.records import processor_seconds
from onekernel.simulator import cccl
from programs.test_run import onekernel
from support.marks import marked

HERE = Path(__file__).parent


@pytest.mark.slow
def test_a_launch_that_is_repeated_is_run_once_and_one_that_is_not_the_same_each_time() -> None:
    done = onekernel("run", HERE / "repeated.cu", "--limit", "30")
    said = done.stdout.splitlines()
    # b was 1, and is one more after each turn; the next turn adds it to a.
    wanted = ["sum 1.04858e+06", *["round 7"] * 3, "a 5 5 ticks 96 doubled 20 22", "host 3 4", "anew 0"]
    assert said == wanted, done.stdout + done.stderr
    assert (done.returncode, "3,017 launches" in done.stderr) == (0, True), done.stderr


def test_bad_launches_and_calls_are_refused_with_the_errors_of_a_gpu() -> None:
    done = onekernel("run", "--fast", "--arch", "sm_90", HERE / "refused.cu")
    assert done.stdout.splitlines() == (HERE / "refused.txt").read_text(encoding="utf-8").splitlines()
    assert (done.returncode, "40 errors, 0 warnings" in done.stderr) == (3, True), done.stderr


@pytest.mark.slow
def test_a_program_that_is_too_large_to_be_checked_whole_comes_to_its_end(tmp_path: Path) -> None:
    path, out = HERE / "large.cu", tmp_path / "report.json"
    before = processor_seconds(resource.RUSAGE_CHILDREN)
    whole = onekernel("run", path, "--limit", "100")
    assert (whole.returncode, "0 errors, 0 warnings" in whole.stderr) == (0, True), whole.stderr
    # Checked whole it takes four times as long as it does without: half of that is between the two on any machine.
    limit = (processor_seconds(resource.RUSAGE_CHILDREN) - before) / 2.2
    done = onekernel("run", path, "--limit", f"{limit:.2f}", "--report", "json", "-o", out)
    report = json.loads(out.read_text(encoding="utf-8"))
    assert (done.stdout, done.returncode, report["status"]) == ("last 0\n", 0, 0), done.stderr
    assert {(f["code"], f["line"]) for f in report["findings"]} == marked(path)


@pytest.mark.slow
def test_the_samples_of_nvidia_find_their_helpers(tmp_path: Path) -> None:
    done = onekernel("run", HERE / "samples.cu", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "device 0 0 1 7", "picture 4 3 110 0", "light 0.863 colours 40 120", "files 1", "sum 8",
        "engines 1 3 1 3", "textures 131072 65536 16384 2048",
        "  Device 0: <          Ampere >, Compute SM 8.0 detected",
        "  No GPU device was found that can support CUDA compute capability 99.0.",
        "", "error: sdkFindFilePath: file <nowhere.pgm> not found!",
        'gpuDeviceInit() CUDA Device [0]: "Ampere', "able 1 there 0 device 0",
    ], done.stdout + done.stderr  # fmt: skip
    assert (done.returncode, "0 errors, 0 warnings" in done.stderr) == (0, True), done.stderr


@pytest.mark.slow
def test_a_graph_made_node_by_node_does_what_its_nodes_say() -> None:
    done = onekernel("run", HERE / "nodes.cu")
    assert done.stdout.splitlines() == [
        "nodes 6 times 3 to 2 128",
        "without a kernel: cudaErrorInvalidDeviceFunction",
        "three bytes: cudaErrorInvalidValue",
    ], done.stdout + done.stderr  # fmt: skip
    assert (done.returncode, "0 errors, 0 warnings" in done.stderr) == (0, True), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["--check", "--fast"])
def test_a_conditional_node_runs_what_a_kernel_chooses_and_as_often(mode: str) -> None:
    done = onekernel("run", mode, HERE / "choices.cu")
    assert done.stdout.splitlines() == [
        "if: 107, else: 1008, twice: 207",
        "while: 6 after 9 steps; twice: 6 after 11",
        "switch: 1 12 23 30",
        "cudaErrorInvalidValue",
        "cudaErrorInvalidValue",
        "cudaSuccess",
    ], done.stdout + done.stderr  # fmt: skip
    assert (done.returncode, "0 errors, 0 warnings" in done.stderr) == (0, True), done.stderr


@pytest.mark.slow
def test_a_graph_that_is_ready_is_changed_by_another_or_a_node_at_a_time() -> None:
    done = onekernel("run", HERE / "updates.cu")
    assert done.stdout.splitlines() == [
        "by a graph: 12, then 30",
        "longer: cudaErrorGraphExecUpdateFailure 0, still 30",
        "by nodes: 7, 8, 17; the graph: 7",
    ], done.stdout + done.stderr  # fmt: skip
    assert (done.returncode, "0 errors, 0 warnings" in done.stderr) == (0, True), done.stderr


@pytest.mark.slow
def test_what_the_runtime_writes_itself_is_no_access_of_the_kernel_that_is_stopped() -> None:
    """The report of the time limit waited for the one that it made of its own string."""
    done = onekernel("run", "--limit", "2", HERE / "timer.cu")
    assert "in its launch number" in done.stderr and "1 error" in done.stderr, done.stderr


@pytest.mark.slow
def test_what_a_kernel_launches_is_done_when_its_grid_has_ended(tmp_path: Path) -> None:
    said = ["parent", "child 1 at {}", "child 2 at {}", "tail 0 at {}", "doubled 16 copied 42"]
    done = onekernel("run", HERE / "nested.cu")
    counted = "\n".join(said).format(*range(3)) + "\n" + "\n".join(said).format(*range(3, 6)) + "\n"
    assert (done.stdout, done.returncode) == (counted, 0), done.stderr
    assert "0 errors, 0 warnings" in done.stderr
    out = tmp_path / "report.json"
    onekernel("run", HERE / "nested.cu", "--report", "json", "-o", out, "--", "wrong")
    errors = [f for f in json.loads(out.read_text(encoding="utf-8"))["findings"] if f["severity"] == "error"]
    assert [(f["code"], f["line"]) for f in errors] == [("out-of-bounds-write", 39)]
    assert {(f"wrong:{f['code']}", f["line"]) for f in errors} == marked(HERE / "nested.cu")


@pytest.mark.slow
def test_boxes_are_copied_a_graph_has_memory_and_a_kernel_may_wait_for_the_clock() -> None:
    done = onekernel("run", HERE / "volumes.cu", "--limit", "30")
    assert done.stdout.splitlines() == [
        "box 54 68 104", "too high cudaErrorInvalidValue", "array 38", "not a graph's cudaErrorInvalidValue",
        "sum 49", "sum 98", "graph has memory 1", "peer cudaErrorInvalidDevice", "waited 1",
    ], done.stdout + done.stderr  # fmt: skip
    assert (done.returncode, "0 errors, 0 warnings" in done.stderr) == (0, True), done.stderr


EXTENDED = """#include <cstdio>
#include <helper_image.h>
__extension__ typedef long long wide;
__extension__ __device__ wide kept;
__global__ void set() { kept = wide(1) << 40; }
int main() {
    wide there = 0;
    set<<<1, 1>>>();
    cudaMemcpyFromSymbol(&there, kept, sizeof there);
    const float same[] = {1, 2}, other[] = {1, 3};
    const bool compared = compareData(same, same, 2, 0.0f, 0.0f) && !compareData(same, other, 2, 0.0f, 0.0f);
    printf("%d %d\\n", there == wide(1) << 40, compared);
}
"""


@pytest.mark.slow
def test_what_follows_extension_is_a_declaration_like_others_and_helper_image_compares(tmp_path: Path) -> None:
    (tmp_path / "extended.cu").write_text(EXTENDED)
    done = onekernel("run", tmp_path / "extended.cu")
    assert (done.stdout, done.returncode) == ("1 1\n", 0), done.stderr


OVERLOADED = """#include <thrust/device_vector.h>
#include <cstdio>
__global__ void set(int* x, int n);  // another one, that is nowhere
__global__ void set(int* x) { asm("mov.u32 %0, 5;" : "=r"(x[threadIdx.x])); }
int main() {
    thrust::device_vector<int> x(32);
    set<<<1, 32>>>(thrust::raw_pointer_cast(x.data()));
    printf("%d\\n", (int)x[31]);
}
"""


@pytest.mark.slow
@pytest.mark.skipif(not cccl.has("thrust/device_vector.h"), reason="needs nvidia-cuda-cccl")
def test_ptx_goes_together_with_thrust_and_a_kernel_may_be_declared_otherwise(tmp_path: Path) -> None:
    (tmp_path / "overloaded.cu").write_text(OVERLOADED)
    done = onekernel("run", tmp_path / "overloaded.cu")
    assert (done.stdout, done.returncode) == ("5\n", 0), done.stderr


VECTOR = """#include <cublas_v2.h>
#include <cstdio>
#include <vector>
int main() {
    const int n = 1 << 22;  // elements that lie one behind another are one copy
    std::vector<float> there(n, 2.0f), back(n);
    float* x;
    cudaMalloc(&x, n * sizeof *x);
    cublasSetVector(n, sizeof *x, there.data(), 1, x, 1);
    cudaMemset2D(x, sizeof *x, 0, sizeof *x, n / 2);
    cublasGetVector(n, sizeof *x, x, 1, back.data(), 1);
    printf("%g %g\\n", back[n / 2 - 1], back[n / 2]);
    cudaFree(x);
}
"""


@pytest.mark.slow
def test_a_vector_without_gaps_is_one_copy(tmp_path: Path) -> None:
    (tmp_path / "vector.cu").write_text(VECTOR)
    done = onekernel("run", tmp_path / "vector.cu", "--limit", "3")
    assert (done.stdout, done.returncode) == ("0 2\n", 0), done.stderr


MANAGED = """#include <cublas_v2.h>
#include <cstdio>
int main() {
    const int n = 2048;
    float *a, *x, *y, one = 1, zero = 0;
    cudaMallocManaged(&a, n * n * sizeof *a);
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n * n; i++) a[i] = 1;
    for (int i = 0; i < n; i++) x[i] = 2;
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSgemv(handle, CUBLAS_OP_N, n, n, &one, a, n, x, 1, &zero, y, 1);
    cudaDeviceSynchronize();
    printf("%g\\n", y[n - 1]);
    for (float* p : {a, x, y}) cudaFree(p);
    cublasDestroy(handle);
}
"""


@pytest.mark.slow
def test_what_the_host_has_written_is_not_asked_byte_by_byte(tmp_path: Path) -> None:
    (tmp_path / "managed.cu").write_text(MANAGED)
    done = onekernel("run", tmp_path / "managed.cu", "--limit", "3")
    assert (done.stdout, done.returncode) == ("4096\n", 0), done.stderr


CAPTURED = """#include <cublas_v2.h>
#include <cstdio>
int main() {
    cudaStream_t stream;
    cublasHandle_t handle;
    float *x, two = 2, sum = 0, there[4] = {1, 1, 1, 1};
    cudaMalloc(&x, sizeof there);
    cudaMemcpy(x, there, sizeof there, cudaMemcpyHostToDevice);
    cudaStreamCreate(&stream);
    cublasCreate(&handle);
    cublasSetStream(handle, stream);
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cublasSscal(handle, 4, &two, x, 1);
    if (WAITS) cublasSdot(handle, 4, x, 1, x, 1, &sum);
    cudaStreamEndCapture(stream, &graph);
    two = 100;  // the graph keeps what it was
    cudaMemcpy(there, x, sizeof there, cudaMemcpyDeviceToHost);
    printf("captured %g\\n", there[3]);
    cudaGraphInstantiate(&made, graph);
    for (int i = 0; i < 3; i++) cudaGraphLaunch(made, stream);
    cublasSasum(handle, 4, x, 1, &sum);
    printf("sum %g\\n", sum);
    cudaFree(x);
}
"""


@pytest.mark.slow
def test_a_librarys_call_is_part_of_a_graph_and_one_that_the_host_waits_for_is_refused(tmp_path: Path) -> None:
    (tmp_path / "captured.cu").write_text(CAPTURED)
    done = onekernel("run", tmp_path / "captured.cu", "-D", "WAITS=0")
    assert (done.stdout, done.returncode) == ("captured 1\nsum 32\n", 0), done.stderr
    waits = onekernel("run", tmp_path / "captured.cu", "-D", "WAITS=1")
    assert waits.returncode == 3
    assert "captured.cu:16" in waits.stderr and "a stream that is captured" in waits.stderr, waits.stderr


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("#ifdef _WIN32\n#include <windows.h>\n#endif\n", ""),
        ("#if _WIN32\n#include <windows.h>\n#else\n#include <unistd.h>\n#endif\n", ""),
        ("#include <cuda.h>\n", ""),
        ("#include <cufft.h>\n", "cufft.h"),
        ("#include <cuda.h>\nvoid f() { cuInit(0); }\n", "cuInit("),
    ],
)
def test_what_a_program_needs_is_what_a_compiler_on_linux_sees(tmp_path: Path, text: str, needs: str) -> None:
    (tmp_path / "program.cu").write_text(text + "int main() { return 0; }\n")
    assert [c.needs for c in candidates([tmp_path])] == [needs]


def test_the_table_counts_what_came_to_an_end_of_what_nvcc_compiles(tmp_path: Path) -> None:
    ends = ["ran", "ran", "ran-checked-less", "found", "asks", "time-limit", "host-crash", "nvcc-refuses"]
    name = tmp_path.resolve().name
    result = result_of([{"repository": name, "program": "p.cu", "cause": c} for c in ends], {}, [tmp_path])
    assert (result["good"], result["programs"]) == (5, 7)
    assert result["repositories"] == {name: {"commit": "-", "good": 5, "programs": 7}}
    rows = {row[0]["en"]: row[1:] for row in result["tables"]["causes"]["rows"]}
    assert rows["**all of these** (goal: 85 %)"][0] == "5 / 7"
    assert rows["not counted: nvcc refuses it too, as an exercise with blanks"] == ["1", "-"]


OWN_NAMES = """#include <cstdio>
template <class T> struct Pair { T first, second; };
template <class T> struct Box { using Pair = Pair<T>; Pair inside; };
struct Colour { float red; };
struct Pixel { Colour Colour; };
__global__ void fill(float* y) {
    Box<float> box;
    Pixel pixel;
    box.inside.first = pixel.Colour.red = 2;
    *y = box.inside.first + pixel.Colour.red;
}
int main() {
    float* y;
    cudaMallocManaged(&y, sizeof *y);
    fill<<<1, 1>>>(y);
    cudaDeviceSynchronize();
    printf("%g\\n", *y);
    cudaFree(y);
}
"""


@pytest.mark.slow
def test_a_class_has_its_own_name_for_what_has_it_outside_as_nvcc_accepts(tmp_path: Path) -> None:
    (tmp_path / "own.cu").write_text(OWN_NAMES)
    done = onekernel("run", tmp_path / "own.cu")
    assert (done.stdout, done.returncode) == ("4\n", 0), done.stderr


@pytest.mark.slow
def test_another_error_beside_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.cu").write_text(OWN_NAMES.replace("float* y;", "float* y"))
    done = onekernel("run", tmp_path / "own.cu")
    assert done.returncode == 1
    assert "own.cu:13: The `;` at the end of this line is missing" in done.stderr
    assert "changes meaning" not in done.stderr


AS_NVCC_HAS_IT = """#include <cmath>
#include <cstdio>
#include <stdexcept>
__global__ void fill(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }
int main() try {
    float* y;
    cudaMallocManaged(&y, 8 * sizeof *y);
    fill<<<1, std::min(32, 8)>>>(y, 8);
    cudaDeviceSynchronize();
    printf("%g\\n", y[7]);
    cudaFree(y);
    throw std::runtime_error("end");
} catch (const std::logic_error&) {
    return 1;
} catch (...) {
    puts("caught");
    return 0;
}
"""


@pytest.mark.slow
def test_main_may_be_a_try_block_and_cmath_brings_the_minimum(tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text(AS_NVCC_HAS_IT)
    done = onekernel("run", tmp_path / "mine.cu")
    assert (done.stdout, done.returncode) == ("1\ncaught\n", 0), done.stderr
