"""The first files that a class hands in get a verdict: a launcher that does nothing, one that writes a number, one
thread that does all the work. Graded with 4 GB of memory: the grader holds no more because of what a file does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from onekernel.course import Exercise
from onekernel.grading import grader
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, Verdict
from onekernel.ops import OPERATORS
from onekernel.sandbox.machine import MachineFault
from support.course import COURSE

CUDA = [e for e in COURSE.exercises.values() if e.operator and e.file.endswith(".cu")]
_LAUNCHER = re.compile(r'extern "C" cudaError_t \w+\([^)]*\)')
_INCLUDES = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n#include <stdint.h>\n"
_ONE = "template <class T> __global__ void one(T* p) { *p = T(1.0f); }\n"
_GRADED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
from onekernel.course import find_root
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
course, path = load(find_root()), Path(sys.argv[2])
for verdict in grade(Submission(course, course.exercises[sys.argv[1]], path, "simulator", 5)).verdicts:
    print(verdict.status, verdict.earned, *(f.code for f in verdict.failures))
"""
ALL_ALONE = {
    "dot_product": """
__global__ void dot(const float* a, const float* b, float* out, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    *out = sum;
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<1, 1, 0, stream>>>(a, b, out, (int)n);
    return cudaGetLastError();
}
""",
    "vector_add": """
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    add<<<1, 1, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
""",
}


def launchers(exercise: Exercise) -> list[str]:
    """The launchers' heads in the course's own answer; a class's name for an element type is that of CUDA."""
    text = COURSE.solution(exercise).read_text(encoding="utf-8")
    return [re.sub(r"\bbf16\b", "__nv_bfloat16", head) for head in _LAUNCHER.findall(text)]


def nothing(exercise: Exercise) -> str:
    return _INCLUDES + "".join(f"{head} {{ return cudaSuccess; }}\n" for head in launchers(exercise))


def one_number(exercise: Exercise) -> str:
    operator = exercise.made or OPERATORS[exercise.operator or ""]
    written = operator.outputs()[0].name
    body = f"{{ one<<<1, 1, 0, stream>>>({written}); return cudaGetLastError(); }}\n"
    return _INCLUDES + _ONE + "".join(f"{head} {body}" for head in launchers(exercise))


def graded(exercise: Exercise, text: str, folder: Path) -> list[list[str]]:
    """Of each check its status, its points, and what failed, as a process with little memory tells."""
    path = folder / Path(exercise.file).name
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", _GRADED, exercise.slug, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=COURSE.root)
    assert done.returncode == 0, done.stderr[-2000:]
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.sample(every=8)
@pytest.mark.parametrize("kind", [nothing, one_number])
@pytest.mark.parametrize("exercise", CUDA, ids=lambda e: e.slug)
def test_what_does_next_to_nothing_is_wrong_and_stops_nobody(exercise: Exercise, kind, tmp_path: Path) -> None:
    told = graded(exercise, kind(exercise), tmp_path)
    assert len(told) == len(exercise.checks) and {"failed"} <= {status for status, *_ in told}
    assert not {"unjudged", "ended"} & {code for *_, code in told}
    assert sum(float(points) for _, points, *_ in told) < exercise.points / 2


@pytest.mark.slow
@pytest.mark.parametrize("slug", ALL_ALONE)
def test_one_thread_that_does_all_has_its_verdict(slug: str, tmp_path: Path) -> None:
    told = graded(COURSE.exercises[slug], _INCLUDES + ALL_ALONE[slug], tmp_path)
    assert len(told) == len(COURSE.exercises[slug].checks)
    assert not {"unjudged", "ended"} & {code for *_, code in told}


def test_what_the_grader_cannot_do_for_one_file_is_no_fault_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(_INCLUDES + ALL_ALONE["vector_add"], encoding="utf-8")
    mine = Submission(COURSE, exercise, path, "simulator", 5)
    asked: list[Path] = []

    def everywhere(submission: Submission) -> list[Verdict]:
        asked.append(submission.path)
        if submission.path == path or len(asked) > 2:
            raise MemoryError
        return []

    monkeypatch.setattr(grader, "_everywhere", everywhere)
    result = grade(mine)
    assert {v.status for v in result.verdicts} == {NOT_ASSESSED} and len(result.verdicts) == len(exercise.checks)
    (said, *_) = (f.message for v in result.verdicts for f in v.failures)
    assert said.key == "grading.not-graded" and "points stay open" in said.text("en")
    assert asked == [path, COURSE.solution(exercise)]
    with pytest.raises(MachineFault):  # our own file fares no better now
        grade(mine)
