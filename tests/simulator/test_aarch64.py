"""The runtime on 64-bit ARM, under an emulator: fibers, faults, counts. Needs a cross compiler and qemu's user mode:
apt-get install g++-aarch64-linux-gnu qemu-user."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel.simulator.compilation import compiler
from onekernel.simulator.compilation.compiler import COMMON, Compiler, card
from onekernel.simulator.compilation.parts import UNIT_OF_CARD, UNITS
from onekernel.simulator.paths import RUNTIME
from onekernel.simulator.rewrite import rewrite
from support.patience import HUNG_SECONDS

CROSS, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
KERNELS = Path(__file__).with_name("kernels")
pytestmark = pytest.mark.skipif(
    not (shutil.which(CROSS) and shutil.which(EMULATOR)), reason=f"needs {CROSS} and {EMULATOR}"
)
MAIN = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
extern "C" {
int ok_buffer(const char*, const void*, size_t, size_t, size_t, int, int);
uint64_t ok_buffer_pointer(int);
uint64_t ok_given_stream(int);
int ok_call(void*, const uint64_t*, const float*, unsigned, double, int, int*);
const char* ok_report();
int run(const float*, float*, int64_t, void*);
}
int main(int, char** arguments) {
    const int n = atoi(arguments[1]);
    std::vector<float> x(n, 1.5f), y(n);
    const int from = ok_buffer("x", x.data(), 4 * n, 0, 4 * n, 4, 0);
    const int to = ok_buffer("y", y.data(), 4 * n, 0, 4 * n, 4, 1);
    const uint64_t call[16] = {ok_buffer_pointer(from), ok_buffer_pointer(to), uint64_t(n), ok_given_stream(0)};
    const float floats[4] = {};
    int status = -1;
    ok_call(reinterpret_cast<void*>(run), call, floats, 7, 2.0, 1, &status);
    puts(ok_report());
    return status > 255 ? 255 : status;
}
"""


def build(*words: object) -> None:
    subprocess.run([CROSS, "-w", *map(str, words)], check=True, timeout=HUNG_SECONDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runtime and a program that calls `run` of libkernel.so, compiled for 64-bit ARM."""
    place = tmp_path_factory.mktemp("aarch64")
    (place / "main.cpp").write_text(MAIN)
    build("-std=gnu++17", "-c", place / "main.cpp", "-o", place / "main.o")
    build(*COMMON, "-O2", "-shared", RUNTIME / "machine" / "thread_local.cpp", "-o", place / "libthreads.so")
    how = (*COMMON, *card("sm_80"), "-g0", "-O1", "-fvisibility=hidden")
    units = (*UNITS, UNIT_OF_CARD)
    for unit in units:
        build(*how, "-c", RUNTIME / f"{unit}.cpp", "-o", place / f"{unit}.o")
    build("-r", "-nostdlib", *(place / f"{unit}.o" for unit in units), "-o", place / "runtime.o")
    return place


def report(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> dict:
    source = rewrite(KERNELS / f"{name}.cu")
    (folder / "kernel.cpp").write_text(source.text)
    compiler.fused.cache_clear()
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    how = compiler.flags("count", Compiler(CROSS, "g++", ""))
    compiler.fused.cache_clear()
    header = RUNTIME / "api" / "cuda_runtime.h"
    build(*how, "-include", header, "-c", folder / "kernel.cpp", "-o", folder / "kernel.o")
    build("-shared", "-Wl,-Bsymbolic", folder / "runtime.o", folder / "kernel.o", "-L", folder, "-lthreads",
          "-lpthread", "-lm", "-lrt", "-o", folder / "libkernel.so")  # fmt: skip
    build(folder / "main.o", "-L", folder, "-lkernel", "-lthreads", "-o", folder / "main")
    n = next(line.split()[-1] for line in source.text.splitlines() if line.startswith("// n: "))
    command = [EMULATOR, "-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={folder}", str(folder / "main"), n]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HUNG_SECONDS)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("clean_tree", []),  # barriers: each thread's fiber is left and entered
        ("clean_half_warps", []),
        ("clean_last_block", []),
        ("race_missing_barrier", ["race-shared"]),
        ("misaligned_float4", ["misaligned-access"]),
        ("null_pointer", ["crash"]),
        ("stack_overflow", ["stack-overflow"]),
        ("endless_loop", ["time-limit"]),
        ("missing_return_device", ["missing-return"]),
    ],
)
def test_kernel_on_arm(folder: Path, name: str, codes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert [f["code"] for f in report(folder, name, monkeypatch)["findings"]] == codes


def test_counts_on_arm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """128-bit loads and stores of a warp: one request, 16 sectors, each."""
    (launch,) = report(folder, "clean_float4", monkeypatch)["launches"]
    assert [(a["requests"], a["sectors"]) for a in launch["accesses"]] == [(1, 16), (1, 16)]
