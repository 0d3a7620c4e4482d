"""`onekernel run` as its user meets it: output and status of the program, findings behind them, exit 3."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from onekernel import cuda
from onekernel.cli import main
from onekernel.programs import Executable, build
from onekernel.programs.data import exit_status, json_of
from onekernel.programs.load import Found
from onekernel.programs.page import page
from onekernel.programs.recordings import recordings
from onekernel.programs.text import lines_of
from onekernel.simulator.compilation.compiler import compiler
from support.compilers import CLANGS, COMPILERS
from support.marks import marked
from support.patience import HUNG_SECONDS

HERE = Path(__file__).parent


MAIN = "import sys; from onekernel.cli import main; sys.exit(main())"


def onekernel(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd, check=False)


@pytest.mark.slow
def test_a_program_runs_as_it_is_and_its_faults_are_told(tmp_path: Path) -> None:
    path = HERE / "increment.cu"
    done = onekernel("run", path, "--", "1000")
    assert (done.stdout, done.returncode) == ("first 1.0 of 1000\n", 3)
    wanted = {(f"{path.name}:{line}:") for _, line in marked(path)}
    assert all(where in done.stderr for where in wanted)
    assert "a[1000], 1 past the last of its 1000 elements (block 3, thread 232)" in done.stderr

    out = tmp_path / "report.json"
    done = onekernel("run", path, "--report", "json", "-o", out, "--", "1000", "7")
    report = json.loads(out.read_text(encoding="utf-8"))
    assert (report["status"], report["exit_status"], done.returncode) == (7, 3, 3)
    assert {(f["code"], f["line"]) for f in report["findings"]} == marked(path)
    assert all(f["text"]["es"] != f["text"]["en"] for f in report["findings"])

    known = onekernel("run", path, "--baseline", out, "--", "1000", "7")
    assert known.returncode == 7
    assert "increment.cu:7" not in known.stderr
    assert "Nothing was found that the baseline does not list." in known.stderr
    assert "Nothing wrong was found" not in known.stderr


@pytest.mark.slow
def test_what_no_lane_brings_is_told_only_where_something_depends_on_it(tmp_path: Path) -> None:
    path = tmp_path / "shuffles.cu"
    asks = "if (threadIdx.x >= n) return; int v = __shfl_sync(~0u, n, 31);"
    text = f"""#include <cstdio>
__global__ void never_used(int n) {{ {asks} if (threadIdx.x == 0) printf("%d\\n", n > 31 ? v : 4); }}
__global__ void printed(int n) {{ {asks} if (threadIdx.x == 0) printf("%d\\n", v); }}
__global__ void endless(int n) {{ {asks} while (v > 0) v = v % 7 + 1; }}
int main(int count, char**) {{
    for (int k = 0; k < 20; k++) never_used<<<1, 32>>>(20);
    if (count > 1) printed<<<1, 32>>>(20);
    if (count > 2) endless<<<1, 32>>>(20);
    cudaDeviceSynchronize();
}}
"""
    path.write_text(text, encoding="utf-8")
    done = onekernel("run", path)
    assert (done.stdout, done.returncode) == ("4\n" * 20, 0), done.stderr
    assert "Lane" not in done.stderr
    told = onekernel("run", path, "--", "1")
    assert (told.stdout.count("\n"), told.returncode) == (21, 3)
    assert "shuffles.cu:3: Lane" in told.stderr
    assert "shuffles.cu:2:" not in told.stderr
    stopped = onekernel("run", "--limit", "2", path, "--", "1", "1")
    assert stopped.returncode == 3
    assert "shuffles.cu:4: Lane" in stopped.stderr


@pytest.mark.slow
def test_several_files_with_headers_and_names_of_their_own() -> None:
    two = HERE / "two"
    done = onekernel("run", two / "main.cu", two / "again.cu", "-I", two / "include", "-D", "SCALE=2")
    assert (done.stdout, done.returncode) == ("./main 60.0\n", 0), done.stderr
    assert "sizeof" not in done.stderr  # a name may hold a number of bytes
    missing = onekernel("run", two / "again.cu")
    assert missing.returncode == 1
    assert "No file has main()" in missing.stderr


@pytest.mark.slow
def test_a_size_that_the_printf_of_a_gpu_does_not_know_is_printed_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "sizes.cu"
    prints = r'printf("%zu, %d %%zu %llu\n", sizeof(int), 7, 8ULL);'
    text = f"#include <cstdio>\n__global__ void k() {{ {prints} }}\n"
    path.write_text(text + f"int main() {{ {prints} k<<<1, 1>>>(); cudaDeviceSynchronize(); }}\n", encoding="utf-8")
    done = onekernel("run", "--fast", path)
    assert done.stdout == "4, 7 %zu 8\n%zu, 7 %zu 8\n", done.stderr
    assert done.stderr.count("knows the sizes h, l and ll alone") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nothing.cu"], "is not there"), (["-I", "/nowhere", HERE / "increment.cu"], "not a folder")],
)
def test_what_cannot_be_run_is_a_sentence(words: list[str], said: str) -> None:
    done = onekernel("run", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.slow
def test_what_cuda_allows_runs_and_is_not_complained_of() -> None:
    done = onekernel("run", HERE / "allowed.cu", "--", "--verify")
    said = done.stdout.splitlines()[2:]
    assert said == ["names 3 3", "reference 7", "shared 3", "largest 255", "malloc 64", "value 1", "array 2",
                    "mapped 8 8", "constant 6", "both 136", "time 1 flag 1"], done.stdout + done.stderr  # fmt: skip
    gone = done.stderr.count("CUDA 13 has no ")  # cudaThreadSynchronize, and a prefetch to a device's number
    assert (done.returncode, gone, "0 errors, 2 warnings" in done.stderr) == (0, 2, True), done.stderr


ENDS = {1: 0, 2: 0, 3: 0, 4: 134, 5: 0, 6: 0, 7: 0, 8: 0, 9: 139, 10: 4, 11: 0, 12: 0, 13: 0, 14: 0,
        **dict.fromkeys(range(15, 29), 0), 29: 152, 30: 0, 31: 1, 32: 0}  # fmt: skip
"""The program's own status, by the number of the mistake."""
SAID = {
    1: "v.data() is memory of the host, and twice uses it at line 10",
    2: "stack is memory of the host",
    3: "table is memory of the host",
    4: 'assert(n == "one"[0]) failed on the host',
    6: "of 1,048,576 blocks on. It makes progress",
    7: "a loop does not end",
    8: "a loop does not end",
    10: "32 bytes of device memory",
    11: "of 1,024 threads of block 0 having ended. It makes progress",
    12: "still going from barrier to barrier",
    13: "reads s[-40] in shared memory, 40 elements before the first",
    14: "large has 536,870,912 bytes, and this machine has no room",
    15: "The host touches page-locked memory here before the copy that fills it, in line 109,",
    16: "The host writes page-locked memory here while the copy in line 106 may still",
    17: "The host touches mapped memory here while the kernel launched at line 102,",
    20: "It comes from cudaMallocPitch: 512 bytes, not elements, lie between the beginnings of two rows.",
    21: "twice uses early after it was freed at line 182",
    23: "count here reads d[3], which set of line 73 writes in another stream",
    24: "cudaMemsetAsync here writes d[503], which set of line 73 writes in another stream, too",
    32: "later reads values[16392], 16329 past the last of its 64",
    30: "twice was not run: the simulator needs 140 MB",
    22: "Lane 0 asks for the value of lane 16, which has returned",
}


@pytest.fixture(scope="module")
def wrong() -> Executable:
    return build([HERE / "wrong.cu"])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(ENDS))
def test_a_mistake_is_told_at_its_line(number: int, wrong: Executable) -> None:
    done = wrong.run([str(number)], limit=1, quiet=True)
    wanted = marked(HERE / "wrong.cu", number)
    assert {(f.code, f.line) for f in done.findings} == wanted
    assert done.status == ENDS[number]
    assert exit_status(done) == (3 if done.errors else ENDS[number])
    assert SAID.get(number, "") in (done.findings[0].message.text("en") if done.findings else "")


@pytest.mark.slow
def test_threads_of_the_host_work_at_once() -> None:
    program = build([HERE / "threads.cu"])
    for _ in range(5):
        done = program.run(quiet=True)
        assert (done.status, done.findings, done.launches) == (0, (), 30)


@pytest.mark.slow
def test_a_program_is_not_told_what_right_programs_have_too(tmp_path: Path) -> None:
    if compiler().family != "g++":
        pytest.skip("g++'s warnings are read, and no other's")
    path = tmp_path / "right.cu"
    path.write_text(
        "#include <cstdlib>\n"
        "__global__ void k(double* x) { __syncthreads(); x[threadIdx.x] += 1; }\n"
        "int main() {\n"
        "    int own[32];\n"
        "    for (int i = 0; i < 32; i++) own[i] = i * 1.5;\n"
        "    double* h = (double*)malloc(32 * sizeof(double));\n"
        "    double* d;\n"
        "    cudaMalloc(&d, 32 * sizeof(double));\n"
        "    cudaMemset(d, 1, 1);\n"
        "    free(h);\n"
        "    return own[0];\n"
        "    if (own[1] = 2) return 1;\n"
        "}\n"
    )
    assert [(w.code, w.line) for w in build([path]).warnings] == [("warning-assignment", 12)]


@pytest.mark.slow
def test_limits_and_offsetof_come_with_cuda_as_from_nvcc(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "struct Two { char a; int b; };\nint main() { return INT_MAX == 2147483647 ? offsetof(Two, b) : 1; }\n", "utf-8"
    )
    assert build([path]).run([], quiet=True).status == 4


@pytest.mark.slow
def test_an_error_that_nobody_looks_at_is_told_and_no_other() -> None:
    if compiler().family != "g++":
        pytest.skip("with clang++ only launches are reported")
    path = HERE / "unasked.cu"
    program = build([path])
    for arguments, code in (([], "unasked-error"), (["asks"], None)):
        done = program.run(arguments, quiet=True)
        wanted = {(code if c == "unasked-error" else c, line) for c, line in marked(path)}
        assert {(f.code, f.line) for f in done.findings} == {(c, line) for c, line in wanted if c}
    findings = program.run([], quiet=True).findings
    refused = [f.message.text("en") for f in findings if f.code == "bad-launch"]
    assert [text.split()[0] for text in refused] == ["fill", "fill"]  # and not `clear`, which was launched before
    said = {f.line: f.message.text("en") for f in findings if f.code == "unasked-error"}
    texts = [said[line] for line in sorted(said)]
    assert texts[0].startswith("cudaMalloc returned cudaErrorMemoryAllocation (out of memory), and nothing looked")
    assert texts[1].startswith("cudaSetDevice returned cudaErrorInvalidDevice (invalid device ordinal)")
    assert texts[3].startswith("The launch of fill failed with cudaErrorInvalidValue")


@pytest.mark.slow
def test_without_hooks_a_host_pointer_is_told_before_it_is_used() -> None:
    done = onekernel("run", "--fast", HERE / "wrong.cu", "--", "1")
    assert (done.returncode, "v.data() is memory of the host" in done.stderr) == (3, True), done.stderr


def test_the_page_stands_alone_in_both_languages(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = onekernel("run", HERE / "increment.cu", "--report", "html", "-o", out, "--", "1000")
    page = out.read_text(encoding="utf-8")
    assert done.returncode == 3
    assert "http" not in page and "src=" not in page and "<script" not in page
    for code, line in marked(HERE / "increment.cu"):
        assert code in page and f'<tr id="en0-{line}" class=hit>' in page and f'href="#en0-{line}"' in page
    assert "1 past the last of its 1000 elements" in page and "1 más allá del último de sus 1000 elementos" in page
    assert page.count('class="bar"') == 2  # one line of the kernel moves bytes, once in each language
    assert "&lt;stdio" in page or "&lt;cstdio&gt;" in page


@pytest.mark.slow
def test_pictures_show_the_line_that_wastes_most(capfd: pytest.CaptureFixture[str]) -> None:
    path = HERE / "wasteful.cu"
    load, column = (
        next(n for n, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if what in text)
        for what in ("wastes most", "worst shared")
    )
    run = build([path], "count").run(warp=0, quiet=True)
    assert len(recordings(run)) == 8 + 1  # of the ten launches of one line the first eight
    text = page(run)
    pictures = [ElementTree.fromstring(p) for p in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    labels = [p.attrib["aria-label"] for p in pictures]
    assert [label[:10] for label in labels] == ["Read of x[", "Read of ti", "Lectura de", "Lectura de"]
    assert "Sectors of 32 bytes: 32. Used: 128 of 1024" in labels[0] and "32-way conflict" in labels[1]
    for lang, picture in zip(("en", "es"), pictures[::2], strict=True):
        cells = [cell.text for cell in picture.iter("text") if cell.text and cell.text.isdigit()]
        assert cells == 2 * [str(lane) for lane in range(32)]  # the row of lanes, and each in its sector
        assert f'href="#{lang}0-{load}"' in text and f'href="#{lang}0-{column}"' in text
    names = re.findall(r'\bid="([^"]+)"', text)
    assert len(names) == len(set(names)) and set(re.findall(r"url\(#([^)]+)\)", text)) <= set(names)
    assert "http" not in text and "<script" not in text

    assert main(["trace", str(path), "--terminal", "--", "2"]) == 0
    said = capfd.readouterr().out
    assert f"wasteful.cu:{load} " in said and "Sectors of 32 bytes: 8." in said and "bank" not in said
    assert main(["trace", str(path), "--terminal", "--line", str(column)]) == 0
    assert "32-way conflict" in capfd.readouterr().out
    assert main(["trace", str(path), "--shape", "64"]) == 2
    assert "has a main(): its sizes and types are its own" in capfd.readouterr().err


LAUNCHER = """
template <int N>
__global__ void scale(const float* x, float* y, int n, float by) {
    __shared__ float s[N];
    if (threadIdx.x < n) s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < LIMIT) y[threadIdx.x] = s[(2 * n - 1 - threadIdx.x) % n] * by;
}
extern "C" cudaError_t reversed(const float* x, float* y, int64_t n, float by, cudaStream_t stream) {
    scale<64><<<1, 64, 0, stream>>>(x, y, n, by);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_a_file_is_loaded_edited_and_loaded_again(tmp_path: Path) -> None:
    path, x = tmp_path / "mine.cu", np.arange(48, dtype=np.float32)
    for by in (2, 3):
        path.write_text(LAUNCHER.replace("LIMIT", "n").replace("* by", f"* by * {by}"), encoding="utf-8")
        loaded, y = cuda.load(path), np.zeros_like(x)
        loaded.reversed(x, y, x.size, 0.5)
        assert np.array_equal(y, x[::-1] * 0.5 * by)
    path.write_text(LAUNCHER.replace("LIMIT", "n + 1"), encoding="utf-8")
    with pytest.raises(Found, match=r"y\[48\], 1 past the last of its 48 elements"):
        cuda.load(path).reversed(x, np.zeros_like(x), x.size, 1.0)
    with pytest.raises(TypeError, match="takes 4 arguments and was given 1"):
        loaded.reversed(x)
    with pytest.raises(AttributeError, match="It has: reversed"):
        loaded.other(x)


def test_code_copied_with_its_frame_of_markdown_is_told_of_the_frame(tmp_path: Path) -> None:
    if compiler().family != "g++":
        pytest.skip("g++'s words are read")
    path = tmp_path / "copied.cu"
    path.write_text("```cuda\nint main() {}\n```\n")
    done = onekernel("run", path)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "Three backquotes" in line] == done.stderr.splitlines()


def test_what_is_no_source_is_told_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "program.cu").write_bytes(b"\x7fELF\0\0")
    for given, said in (
        (tmp_path, "is a folder"),
        (tmp_path / "program.cu", "is not a text file"),
        (tmp_path / "no.cu", "is not there"),
    ):
        done = onekernel("run", given)
        assert done.returncode == 2
        assert said in done.stderr


ALIGNED = "struct alignas(16) Four { float x, y, z, w; };\n"
STORES = """\
__global__ void k(Four* y) { Four f; f.x = f.y = f.z = 1; f.w = threadIdx.x; y[threadIdx.x] = f; }
int main() { Four* y; cudaMalloc(&y, 512); k<<<1, 32>>>(y); cudaDeviceSynchronize(); cudaFree(y); }
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILERS)
def test_counts_that_a_compiler_may_have_split_are_said_to_be_inexact(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONEKERNEL_CXX", name)
    path, exact = tmp_path / "mine.cu", []
    for text in (ALIGNED + STORES, STORES.replace("Four", "float4")):
        path.write_text(text, encoding="utf-8")
        done = build([path], "count").run(quiet=True)
        exact.append(json.loads(json_of(done))["kernels"][0]["exact_requests"])
        assert ("are not exact" in "\n".join(said for _, said in lines_of(done))) != exact[-1]
        assert ("are not exact" in page(done)) != exact[-1]
    assert exact == [name not in CLANGS, True]


STOPPED = """
#include <cstdio>
__global__ void racy(int* out) {
    __shared__ int cell[64];
    cell[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = cell[63 - threadIdx.x];
}
__global__ void slow(float* x) {
    for (int i = 0; i < 1 << 30; i++) x[threadIdx.x] += x[(threadIdx.x + i) % 64];
}
int main() {
    int* a;
    cudaMalloc(&a, 64 * sizeof(int));
    racy<<<1, 64>>>(a);
    printf("first kernel\\n");
    fflush(stdout);
    slow<<<1 << 20, 1>>>((float*)a);
    cudaFree(a);
}
"""


STOPPED_AT_ONCE = """
import os, signal, subprocess, sys
from onekernel.programs import build
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
program, popen, started = build([sys.argv[1]]), subprocess.Popen, []
def stopped_at_once(*words, **options):
    started.append(popen(*words, **options))
    os.kill(os.getpid(), signal.SIGINT)
    return started[-1]
subprocess.Popen = stopped_at_once
run = program.run(quiet=True, limit=10000)
print(started[0].returncode is not None, run.status)
"""


def test_a_program_that_is_stopped_while_it_is_started_is_not_left_running(tmp_path: Path) -> None:
    (tmp_path / "stopped.cu").write_text(STOPPED)
    environment = os.environ | {"PYTHONPATH": str(HERE.parents[1] / "src")}
    command = [sys.executable, "-c", STOPPED_AT_ONCE, tmp_path / "stopped.cu"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HUNG_SECONDS)
    assert done.stdout.split() == ["True", str(128 + signal.SIGTERM)], done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize(("stop", "whole_group"), [("SIGTERM", False), ("SIGTERM", True), ("SIGINT", True)])
def test_what_was_found_is_told_where_a_program_is_stopped_from_outside(
    stop: str, whole_group: bool, tmp_path: Path
) -> None:
    path = tmp_path / "stopped.cu"
    path.write_text(STOPPED)
    command = [sys.executable, "-c", MAIN, "run", "--limit", "10000", path]
    environment = os.environ | {"PYTHONPATH": str(HERE.parents[1] / "src"), "ONEKERNEL_LANG": "en"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    listens = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - a shell's background job ignores it
    with subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=listens, **pipes) as process:
        assert process.stdout.readline() == "first kernel\n"
        for _ in range(2):  # `timeout` tells the command, then its group
            (os.killpg if whole_group else os.kill)(process.pid, signal.Signals[stop])
        said = process.communicate(timeout=HUNG_SECONDS)[1]
    assert process.returncode == 3
    assert "Race on cell[" in said and "The program was stopped from outside, by SIG" in said
    assert "launch was number 2, of slow" in said
