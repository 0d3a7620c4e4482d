"""What a submission may not read: the course's answers and tests, what others handed in, what the grader knows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from onekernel.backends.cache import cache_folder
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.sandbox import hiding, landlock
from support.corpus import exercise, graded
from support.course import COURSE, ROOT
from support.patience import HUNG_SECONDS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(landlock.landlock_version() < 2, reason="no Landlock that closes reading"),
]

SOLUTION = ROOT / "solutions" / "vector_add.cu"
TRITON = ROOT / "solutions" / "softmax_triton.py"
TRIES = """\
#include <cuda_runtime.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
static bool found() {{ {found} }}
__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {{
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, found() ? 0.0f : 1.0f);  // right only if it read
    return cudaGetLastError();
}}
"""
STEALS = {
    "includes in quotes": f'#include "{SOLUTION}"\n',
    "includes upwards": f'#include "{os.path.relpath(SOLUTION, "/tmp")}"\n',
    "includes in brackets": f"#include <{SOLUTION}>\n",
    "includes by a macro": f'#define WHERE "{SOLUTION}"\n#include WHERE\n',
    "embeds the bytes": TRIES.format(found="extern const char bytes[]; return bytes[0] == '/';")
    + f'asm(".section .rodata\\n.global bytes\\nbits: .global bytes\\nbytes: .incb" "in \\"{SOLUTION}\\"\\n");\n',
    "opens it": TRIES.format(found=f'return fopen("{SOLUTION}", "r") != nullptr;'),
    "opens a test": TRIES.format(found=f'return fopen("{Path(__file__)}", "r") != nullptr;'),
    "opens a bench": TRIES.format(found=f'return fopen("{ROOT}/audits/bench/__init__.py", "r") != nullptr;'),
    "reads a process's command line as it is built": '#if !__has_include("/proc/self/cmdline")\n#error none\n#endif\n'
    'static int told = 1\n#include "/proc/self/cmdline"\n;\n' + TRIES.format(found="return true;"),
    "looks for earlier builds": TRIES.format(found=f'return opendir("{cache_folder("simulator")}") != nullptr;'),
}


@pytest.mark.parametrize("text", STEALS.values(), ids=STEALS)
def test_a_kernel_that_reads_the_answer_earns_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    path.write_text(text)
    result = graded(path, "vector_add", "simulator", frozenset({"tails"}))
    assert result.earned == 0, text


def test_a_file_beside_it_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "mine.cuh").write_text(TRIES.format(found="return true;"))
    path = tmp_path / "vector_add.cu"
    path.write_text('#include "mine.cuh"\n')
    assert graded(path, "vector_add", "simulator", frozenset({"tails"})).earned > 0


def test_a_file_that_no_result_depends_on_is_closed_where_a_class_is_graded(tmp_path: Path) -> None:
    """A neighbour is read where the text names it, and not where it opens one by a name that it puts together."""
    (tmp_path / "gelu.cu").write_text("// a neighbour\n")
    beside = "std::string(__FILE__).substr(0, std::string(__FILE__).rfind('/') + 1)"
    for name, named in (('"ge" "lu.cu"', False), ('"gelu.cu"', True)):
        opened = f'return fopen(({beside} + {name}).c_str(), "r") != nullptr;'
        path = tmp_path / "vector_add.cu"
        path.write_text("#include <string>\n" + TRIES.format(found=opened))
        mine = Submission(
            COURSE, exercise("vector_add", frozenset({"tails"})), path, "simulator", 1, closed=(tmp_path,)
        )
        assert bool(grade(mine).earned) is named, name


def test_what_a_neighbour_handed_in_is_closed_and_the_reason_told(tmp_path: Path) -> None:
    for name in ("ana", "bob"):
        (tmp_path / name).mkdir()
    (tmp_path / "ana" / "vector_add.cu").write_text(TRIES.format(found="return true;"))
    path = tmp_path / "bob" / "vector_add.cu"
    path.write_text('\n#include "../ana/vector_add.cu"\n')
    result = graded(path, "vector_add", "simulator", frozenset({"tails"}))
    assert result.earned == 0
    why = result.verdicts[0].failures[0]
    assert why.line == 2 and "../ana/vector_add.cu" in str(why.message)


@pytest.mark.parametrize(
    "text",
    [
        f"exec(open({str(TRITON)!r}).read())\n",
        "from onekernel.ops.softmax import *\n",
    ],
    ids=["runs the solution", "imports the grader"],
)
def test_a_triton_file_that_reads_the_answer_earns_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "softmax_triton.py"
    path.write_text(text)
    result = graded(path, "softmax_triton", "simulator", frozenset({"special"}))
    assert result.earned == 0
    assert "ermission" in str(result.verdicts[0].failures[0].message)


def test_a_small_exercise_that_reads_its_answer_earns_nothing(tmp_path: Path) -> None:
    exercise = COURSE.exercises["vote"]
    path = tmp_path / "vote.cu"
    path.write_text(f'#include "{COURSE.solution(exercise)}"\n')
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert result.earned == 0 and "answer.cu" in str(result.verdicts[0].failures[0].message)


def test_the_largest_open_trees_leave_out_what_is_hidden_and_nothing_else(tmp_path: Path) -> None:
    for name in ("course/solutions/a", "course/src/b", "class/ana/c", "class/bob/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    hidden = [tmp_path / "course" / "solutions", tmp_path / "class"]
    trees = list(hiding._open(hidden, [tmp_path / "class" / "ana"]))
    here = {t.removeprefix(f"{tmp_path}/") for t in trees if t.startswith(str(tmp_path))}
    assert here == {"course/src", "class/ana"}
    assert "/usr" in trees and "/" not in trees
    assert list(hiding._open([], [])) == ["/"]


DRIVER = """
import sys
from pathlib import Path
from onekernel.sandbox import hiding, landlock

landlock.gpu_nodes = lambda: [Path("/dev/null")] * (sys.argv[2] == "gpu")
hiding.from_build([], Path(sys.argv[1]) / "x.cu", Path(sys.argv[1]))
for name in ("maps", "cmdline", "environ"):
    try:
        open(f"/proc/self/{name}").close()
        print(name)
    except PermissionError:
        pass
"""


@pytest.mark.parametrize(("machine", "read"), [("gpu", ["maps"]), ("none", [])])
def test_of_a_process_the_driver_of_a_gpu_finds_what_it_starts_with(
    tmp_path: Path, machine: str, read: list[str]
) -> None:
    command = [sys.executable, "-c", DRIVER, str(tmp_path), machine]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS)
    assert (done.stdout.split(), done.returncode) == (read, 0), done.stderr
