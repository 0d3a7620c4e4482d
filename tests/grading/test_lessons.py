"""What a learner reads after a mistake: the line that costs the points, what would do there, one cause at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import gaps
from onekernel.backends.machine_code import disassembler
from onekernel.checks.measures import MEASURES
from onekernel.counts import BYTES_LOADED, LOAD_REQUESTS, LOAD_SECTORS, KernelCounts, LineCounts
from onekernel.course import Check
from onekernel.cuda import nvcc
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Result
from onekernel.messages import LANGUAGES, Message
from support.course import COURSE

COLUMNS = "for (int64_t c = threadIdx.x; c < cols; c += kThreads) {"
SHARE = "(cols + kThreads - 1) / kThreads"
OWN_PART = f"for (int64_t c = threadIdx.x * ({SHARE}); c < min(cols, (threadIdx.x + 1) * ({SHARE})); c++) {{"
TREE = (
    "for (int half = kThreads / 2; half > 0; half /= 2) {\n"
    "        if (t < half) tree[t] = combine(tree[t], tree[t + half]);"
)
SPREAD_TREE = (
    "for (int step = 1; step < kThreads; step *= 2) {\n        const int i = 2 * step * t;\n"
    "        if (i + step < kThreads) tree[i] = combine(tree[i], tree[i + step]);"
)


def solution(slug: str) -> str:
    path = COURSE.solution(COURSE.exercises[slug])
    return gaps.solved(path.read_text(encoding="utf-8"), path)


def graded(tmp_path: Path, slug: str, text: str, keep: Callable[[Check], bool] = lambda check: True) -> Result:
    """The verdicts of the checks to `keep`, with the first: at least one says whether the results are right."""
    exercise = COURSE.exercises[slug]
    path = tmp_path / exercise.file
    path.write_text(text, encoding="utf-8")
    checks = (exercise.checks[0], *(c for c in exercise.checks[1:] if keep(c)))
    return grade(Submission(COURSE, replace(exercise, checks=checks), path, "simulator", 1))


def line_of(text: str, part: str) -> int:
    return next(k for k, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.fixture
def by_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts are certain: NVIDIA's compiler is asked what it makes of the file."""
    if nvcc.find() is None or disassembler() is None:
        pytest.skip("NVIDIA's compiler and its disassembler are not here")
    monkeypatch.delenv("ONEKERNEL_NVCC", raising=False)


def memory_failure(result: Result, measure: str) -> Failure:
    (verdict,) = (v for v in result.verdicts if v.check.options.get("measure") == measure)
    (failure,) = verdict.failures
    return failure


@pytest.mark.slow
def test_lost_points_name_the_line_and_what_would_do(tmp_path: Path, by_machine_code: None) -> None:
    text = solution("softmax_block")
    assert text.count(COLUMNS) == 4 and TREE in text
    text = text.replace(COLUMNS, OWN_PART).replace(TREE, SPREAD_TREE)
    result = graded(tmp_path, "softmax_block", text, lambda c: c.kind.name == "memory")
    scattered = memory_failure(result, "bytes_moved")
    lines = {line_of(text, "y_row[c] ="), line_of(text, "copy[c] =")}
    assert scattered.line in lines and scattered.file == str(tmp_path / "softmax_block.cu")
    (other,) = lines - {scattered.line}
    # 256 threads with 4 elements each: a warp's 32 lanes lie 16 bytes apart, in 16 sectors; 16 x 1024 x 4 B are 65.5 kB
    for told in ("16 sectors per request where 4 would do", "262.1 kB instead of 65.54 kB", f"line {other} likewise"):
        assert told in scattered.message.text("en")
    assert scattered.see == f"onekernel trace softmax_block --line {scattered.line}"
    conflicts = memory_failure(result, "bank_conflicts")
    assert conflicts.line == line_of(text, "combine(tree[i]")
    assert "wavefronts of shared memory where 1,152 would do" in conflicts.message.text("en")
    assert "% of the shared-memory wavefronts are lost to bank conflicts" in conflicts.message.text("en")
    assert result.status == PARTIAL and {v.status for v in result.verdicts} == {PASSED, PARTIAL, FAILED}


@pytest.mark.slow
def test_sectors_that_one_thread_moves_alone_are_its_lines_fault(tmp_path: Path) -> None:
    text = solution("softmax_block")
    copied = f"{COLUMNS}\n                copy[c] = x_row[c];\n            }}"
    assert text.count(copied) == 1
    alone = "if (threadIdx.x == 0) for (int64_t c = 0; c < cols; ++c) copy[c] = x_row[c];\n__syncthreads();"
    text = text.replace(copied, alone)
    failure = memory_failure(graded(tmp_path, "softmax_block", text, lambda c: c.kind.name == "memory"), "bytes_moved")
    assert failure.line == line_of(text, "copy[c] =")
    # each of 16 x 1024 loads of one thread moves a sector of 32 bytes for 4 of them
    assert "moves 524.3 kB in sectors, and its threads ask for 65.54 kB" in failure.message.text("en")


@pytest.mark.slow
def test_a_doubt_about_shared_memory_leaves_what_global_memory_moves_certain(tmp_path: Path) -> None:
    text = solution("softmax_block").replace(COLUMNS, OWN_PART)
    result = graded(tmp_path, "softmax_block", text, lambda c: c.kind.name == "memory")
    assert "16 sectors per request where 4 would do" in memory_failure(result, "bytes_moved").message.text("en")
    (conflicts,) = (v for v in result.verdicts if v.check.options.get("measure") == "bank_conflicts")
    assert conflicts.status == NOT_ASSESSED and "may merge several accesses" in str(conflicts.note)


@pytest.mark.slow
def test_a_long_row_that_is_scattered_costs_points(tmp_path: Path) -> None:
    text = solution("softmax_block").replace(
        COLUMNS,
        f"const int64_t share = cols > 12032 ? {SHARE} : 1, step = cols > 12032 ? 1 : kThreads;\n"
        "    const int64_t end = cols > 12032 ? min(cols, (threadIdx.x + 1) * share) : cols;\n"
        "    for (int64_t c = threadIdx.x * share; c < end; c += step) {",
        3,
    ).replace("const int64_t share = cols", "{const int64_t share = cols")
    for old in ("row[c]);\n    }\n    largest", "largest);\n    }\n    sum", "/ sum;\n    }\n"):
        assert old in text
        text = text.replace(old, old.replace("}\n", "}}\n", 1))
    result = graded(tmp_path, "softmax_block", text, lambda c: c.options.get("measure") == "bytes_moved")
    failure = memory_failure(result, "bytes_moved")
    assert "at 2 x 20000" in failure.message.text("en") and result.verdicts[-1].earned == 0
    assert failure.see is not None and "--shape 2,20000 --line" in failure.see


@pytest.mark.slow
def test_a_race_quotes_the_lines_that_call_the_array_otherwise(tmp_path: Path) -> None:
    text = solution("softmax_block")
    at = text.index("copy[c] = x_row[c];")
    start = text.rindex(COLUMNS, 0, at)
    text = text[:start] + OWN_PART + text[start + len(COLUMNS) :]
    failure = graded(tmp_path, "softmax_block", text).verdicts[0].failures[0]
    assert failure.code == "race-shared"
    told = failure.message.text("en")
    assert f"`copy[c] = x_row[c];` in line {failure.line}" in told
    assert f"`largest = fmaxf(largest, row[c]);` in line {line_of(text, 'fmaxf(largest, row')}" in told
    assert "outside any `if`" in told


@pytest.mark.slow
def test_a_race_with_the_next_turn_says_so(tmp_path: Path) -> None:
    barrier = "        __syncthreads();   // outside the if: every thread must reach it\n"
    text = solution("dot_product").replace(barrier, "")
    failure = graded(tmp_path, "dot_product", text, lambda c: False).verdicts[0].failures[0]
    told = failure.message.text("en")
    assert "in the next turn of the loop" in told and "outside any `if`, so that every thread reaches it" in told
    assert "block 0" in told and "(0,0,0)" not in told


WRONG_TOO = """#include <cuda_runtime.h>
#include <stdint.h>
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n || n < 64) out[i] = a[i] + b[i] + (n > 64);
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


def test_one_cause_is_told_first_and_its_advice_once(tmp_path: Path) -> None:
    result = graded(tmp_path, "vector_add", WRONG_TOO, lambda c: "tails" in c.options.get("groups", ()))
    values, tails = result.verdicts
    assert [f.code for f in values.failures] == ["values"] and values.failures[0].see == "onekernel hint vector_add"
    read, write, rest = tails.failures
    assert (read.code, write.code, rest.code) == ("out-of-bounds-read", "out-of-bounds-write", "values")
    advice = "let each thread test its index first. If it is tested: is it this very index, with `<` and not `<=`?"
    assert advice in read.message.text("en") and "test" not in write.message.text("en")
    assert "past the last of its 1 " not in read.message.text("en")  # a larger input tells more
    said = rest.message.text("en")  # of the inputs on which line 5 stays within, too: it may be another mistake
    assert "by the access out of bounds in line 5 or by another mistake" in said and "elements are wrong" in said


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_is_singular(lang: str) -> None:
    one, two = (Message("grading.inputs", {"right": n, "total": n}).text(lang) for n in (1, 2))
    assert {"en": ("1 of 1 input right", "2 of 2 inputs right"),
            "es": ("1 de 1 entrada correcta", "2 de 2 entradas correctas")}[lang] == (one, two)  # fmt: skip


def test_figures_have_the_separators_of_the_language() -> None:
    share = Message("grading.measured-bank_conflicts", {"value": 71.9, "sizes": "16 x 1024"})
    what = Message("grading.memory", {"what": share, "full": Message("grading.percent", {"value": 2.5})})
    assert "71,9 %" in what.text("es") and "2,5 %" in what.text("es") and "16 x 1024" in what.text("es")
    assert "71.9 %" in what.text("en") and "2.5 %" in what.text("en")
    assert Message.from_json(json.loads(json.dumps(what.to_json()))) == what
    of_the_file = Message("simulator.compile-error", {"line": 1, "what": "bad literal 3.14"})
    assert "3.14" in of_the_file.text("es")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_verdict_of_an_older_version_still_prints(lang: str) -> None:
    """Its values are texts, where a template now says how a number is written."""
    old = Message("grading.measured-barriers", {"value": "1.5"})
    assert old.text(lang).startswith("1.5 barr")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_json_has_not_is_kept_as_a_word(value: float) -> None:
    kept = json.dumps(Message("grading.lesson-requested", {"factor": value}).to_json(), allow_nan=False)
    assert f" {value} " in Message.from_json(json.loads(kept)).text("en")


def test_lines_that_the_untrusted_side_makes_up_are_left_out(tmp_path: Path) -> None:
    mine, other = tmp_path / "k.cu", tmp_path / "other.cu"

    def counts(*lines: LineCounts) -> list[KernelCounts]:
        return [KernelCounts("k", (1, 1, 1), (32, 1, 1), 0, None, {}, lines=lines)]

    spread = {LOAD_REQUESTS: 1.0, LOAD_SECTORS: 32.0, BYTES_LOADED: 128.0}
    good, foreign = LineCounts(str(mine), 3, spread), LineCounts(str(other), 1, spread)
    forged = [LineCounts(str(mine), 7, {**spread, LOAD_SECTORS: x}) for x in (float("inf"), float("nan"), -5.0)]
    found = MEASURES["bytes_moved"].worst_line(counts(good, foreign, *forged), mine)
    assert found is not None and found.line == 3 and "Line 3" in found.message.text("en")
    assert MEASURES["bytes_moved"].worst_line(counts(foreign, *forged), mine) is None


def test_the_size_that_is_drawn_is_the_one_that_is_graded() -> None:
    for exercise in COURSE.exercises.values():
        sizes = [c.options["sizes"] for c in exercise.checks if c.kind.name == "memory"]
        if sizes:
            assert exercise.counted_sizes == sizes[0]


@pytest.mark.parametrize(
    "instead",
    ["return cudaSuccess;", "return cudaStreamSynchronize(stream);", "return cudaErrorInvalidValue;"],
)
def test_who_loses_or_returns_an_error_reads_about_errors(instead: str, tmp_path: Path) -> None:
    """Whatever the check asks for: here any size."""
    exercise, launch = COURSE.exercises["vector_add"], "return cudaGetLastError();"
    text = COURSE.solution(exercise).read_text(encoding="utf-8")
    path = tmp_path / exercise.file
    path.write_text(text.replace(launch, instead), encoding="utf-8")
    assert launch in text
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    read = {f.chapter for v in result.verdicts for f in v.failures if f.code in ("launch-error-lost", "status")}
    assert read == {"01-06-errors#errors"}


NO_MAXIMUM = """\
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_stride, int64_t y_stride) {
    const int64_t r = (int64_t)blockIdx.y * 16 + threadIdx.y, c = (int64_t)blockIdx.x * 16 + threadIdx.x;
    if (r >= rows || c >= cols) return;
    float sum = 0.0f;
    for (int64_t j = 0; j < cols; ++j) sum += expf(x[r * x_stride + j]);
    y[r * y_stride + c] = expf(x[r * x_stride + c]) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_stride, int64_t y_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const dim3 grid((unsigned)((cols + 15) / 16), (unsigned)((rows + 15) / 16));
    naive<<<grid, dim3(16, 16), 0, stream>>>(x, y, rows, cols, x_stride, y_stride);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_a_launch_that_is_refused_hides_no_mistake_of_the_launches_that_are_accepted(tmp_path: Path) -> None:
    """Two mistakes of one file: too many rows for grid.y, and no maximum. The second was put off as if it were the
    first's doing."""
    wanted = (["shapes", "rows", "empty", "errors", "large"], ["peaked", "range"])
    result = graded(tmp_path, "softmax_naive", NO_MAXIMUM, lambda c: c.options.get("groups") in wanted)
    refused, wrong = (v.failures[0] for v in result.verdicts)
    assert refused.code == "bad-launch" and "grid.y" in refused.message.text("en")
    assert "maximum" in wrong.message.text("en") and "fix" not in wrong.message.text("en")


BY_ROWS = """\
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_stride, int64_t y_stride) {
    const int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t j = 0; j < cols; ++j) largest = fmaxf(largest, x[r * x_stride + j]);
    for (int64_t j = 0; j < cols; ++j) sum += expf(x[r * x_stride + j] - largest);
    for (int64_t j = 0; j < cols; ++j) y[r * y_stride + j] = expf(x[r * x_stride + j] - largest) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_stride, int64_t y_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    naive<<<(unsigned)((rows + 255) / 256), 256, 0, stream>>>(x, y, rows, cols, x_stride, y_stride);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_a_kernel_that_shares_work_already_is_right_and_is_told(shared: bool, tmp_path: Path) -> None:
    text = BY_ROWS if shared else solution("softmax_naive")
    known = COURSE.exercises["softmax_naive"]
    (check,) = (c for c in known.checks if c.kind.name == "prediction")
    path = tmp_path / known.file
    path.write_text(text, encoding="utf-8")
    guesses = {"reads": "3" if shared else "513", "writes": "1", "requested": "262 kB", "minimum": "131 kB"}
    exercise = replace(known, checks=(known.checks[0], check))
    correct, predicted = grade(Submission(COURSE, exercise, path, "simulator", 1, guesses)).verdicts
    assert correct.status == PASSED
    told = [m.text("en") for m in predicted.details if m.key == "grading.lesson-shared"]
    assert [t.split(",")[0] for t in told] == ["Your threads load 3 elements for each output"] * shared
