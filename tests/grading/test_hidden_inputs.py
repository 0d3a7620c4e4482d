"""No input that is hidden, and no text of a submission that had it, reaches what a student sees, in any export."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onekernel.cohort import journal
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result, Scorecard
from onekernel.messages import LANGUAGES, speaking
from onekernel.report import class_page, classroom, gradebook, gradescope, student_page
from onekernel.report.gradebook import Row
from support.course import COURSE, ROOT

TOLD = "told_"  # begins what each file here says of an input: its size or its first number, plus FAR
FAR = 7_000_003  # no number that a page has for another reason
_TELLS = re.compile(f"{TOLD}|\\b7[,. ]?00\\d[,. ]?\\d\\d\\d")

CUDA = """
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
{before}
__global__ void add(const float* a, const float* b, float* out, int64_t n) {{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) {kernel}
}}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {{
    {launcher}
    if (n > 0) add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}}
"""
ADDS = "out[i] = a[i] + b[i];"
WRITES = """
static void says(const char* name, const char* text, long long n) {
    if (FILE* f = fopen(name, "w")) {
        fprintf(f, text, n);
        fclose(f);
    }
}
"""
PLAIN = {"key": "grading.plain", "values": {"text": "told_%lld"}}
FINDING = {"code": "compile-error", "message": PLAIN, "file": None, "line": None, "severity": "error", "chapter": ""}


def cuda(*, before: str = "", kernel: str = ADDS, launcher: str = "") -> str:
    return CUDA.format(before=before, kernel=kernel, launcher=launcher)


def reports(data: dict[str, Any], *names: str, then: str = "") -> str:
    """A launcher that writes this in the place of what the worker tells."""
    text = json.dumps(json.dumps(data))
    return cuda(before=WRITES, launcher="".join(f'says("out/{name}", {text}, n); ' for name in names) + then)


def triton(line: str) -> str:
    return f"import sys\ndef gelu_triton(x, out=None, approximate=False):\n    {line}\n    return x\n"


def answer(slug: str, line: str, *instead: str) -> str:
    """The course's answer with other lines before one of its."""
    text = (ROOT / "solutions" / f"{slug}.py").read_text(encoding="utf-8")
    assert text.count(line) == 1
    indent = re.search(rf"^( *){re.escape(line)}", text, re.MULTILINE)
    assert indent
    return text.replace(line, f"\n{indent[1]}".join([*instead, line]))


NUMBERS = "// " + " ".join(str(FAR + n) for n in range(2000)) + " 0 1 2 3 4 5 6 7 31 32 255 256\n"
FORWARD = "positions = torch.arange(tokens.shape[1], device=tokens.device)"
BLOCK = "x = x + self.attention(self.norm1(x))"
BENCH = "x, out = device.randn(n), device.empty(n)"
# What a file does with an input while it has it: (exercise, file).
FILES = {
    "exits with words": (
        "vector_add", cuda(launcher='if (n > 0) { fprintf(stderr, "told_%lld", (long long)n); _exit(3); }')),
    "reports a build that failed": ("vector_add", reports({"findings": [FINDING], "log": ""}, "built.json")),
    "reports a machine that lacks something": ("vector_add", reports({"unavailable": PLAIN}, "built.json")),
    "reports nonsense": (
        "vector_add", reports({"status": "told_%lld"}, "0.json", "1.json", then="if (n > 0) _exit(0);")),
    "strays to a number of its comment": ("vector_add", cuda(before=NUMBERS, kernel=f"out[n + {FAR}] = a[i];")),
    "asserts": (
        "vector_add", cuda(before="#include <cassert>", kernel='{ out[i] = a[i]; assert(n == 0 && "told_it"[0]); }')),
    "prints in a kernel": ("vector_add", cuda(kernel='{ out[i] = a[i]; printf("told_%lld", (long long)n); }')),
    "raises in Triton": ("gelu_triton", triton("raise ValueError(f'told_{x.numel() + 7000003}')")),
    "raises a class of its own": (
        "gelu_triton", triton("raise type(f'told_{x.numel() + 7000003}', (Exception,), {})(f'told_{x.numel()}')")),
    "ends its process in Triton": ("gelu_triton", triton("sys.exit(f'told_{x.numel() + 7000003}')")),
    "raises in a port": ("torch_minigpt", answer(
        "torch_minigpt", FORWARD, "raise ValueError(f'told_{tokens.flatten()[0].item() + 7000003}')")),
    "computes what it tells in a port": ("torch_minigpt", answer("torch_minigpt", BLOCK).replace(
        BLOCK, "x = x * 0 + 7000003.0 + self.attention(self.norm1(x))")),
    "returns what it tells from a port": ("torch_minigpt", answer(
        "torch_minigpt", FORWARD, "return torch.zeros(7000003, dtype=torch.float32)")),
    "raises in a benchmark": ("benchmark", answer("benchmark", BENCH, "raise ValueError(f'told_{n + 7000003}')")),
    "measures what it tells": ("benchmark", answer("benchmark", BENCH, "return 7.000003, 7.000003")),
}  # fmt: skip
HOSTILE = (
    "exit_zero_in_launcher.cu", "forges_reports.cu", "forges_nonsense.cu", "says_unavailable.cu",
    "kernel_throws_what_it_read.cu", "host_formats_what_a_kernel_prints.cu", "host_pipes_what_a_kernel_prints.cu",
    "leaves_a_message.cu", "triton_prints_a_text_of_its_own_class.py", "triton_writes_what_a_kernel_prints.py",
    "triton_computes_as_a_kernel_prints.py", "triton_reads_ahead_in_the_compilers_copy.py",
)  # fmt: skip


def graded(slug: str, text: str, folder: Path) -> Result:
    exercise = COURSE.exercises[slug]
    (folder / exercise.file).write_text(text, encoding="utf-8")
    result = grade(Submission(COURSE, exercise, folder / exercise.file, "simulator", 5))
    return journal.restored(journal.stored(result, folder), COURSE, folder)


def seen(result: Result, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Everything that a student may see of a result, by the export that it is in."""
    for variable in classroom.VARIABLES:
        monkeypatch.setenv(variable, "x")
    for steady in (result, journal.steady(result)):
        card = Scorecard.of([steady])
        mine = Row("ada", "Ada", {"canvas": "17", "moodle": "4711"}, "", False, (), card, folder)
        for name, data in (("gradescope", gradescope.of_student(card, COURSE, folder)),
                           ("pytest --gradescope", gradescope.results(card, COURSE))):  # fmt: skip
            shown: dict[str, Any] = {**data, "tests": [t for t in data["tests"] if t["visibility"] == "visible"]}
            yield name, json.dumps(shown, ensure_ascii=False)
        yield "classroom", json.dumps(classroom.results(card, COURSE), ensure_ascii=False)
        for lang in LANGUAGES:
            with speaking(lang):
                yield f"page, {lang}", student_page.html(student_page.About("Ada"), card, COURSE)
                yield f"class, {lang}", class_page.html([mine], [steady.exercise], COURSE, [], 0.5)
                yield from gradebook.files([mine], [steady.exercise]).items()


def _without_its_lines(text: str, file: str) -> str:
    """A page without the lines of the student's own file that it shows: those were there before there was an input."""
    for line in sorted({line.strip() for line in file.splitlines()} - {""}, key=len, reverse=True):
        for form in (line, json.dumps(line, ensure_ascii=False)[1:-1], student_page.esc(line)):
            text = text.replace(form, "")
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_what_a_file_tells_of_a_hidden_input_is_in_no_field_that_a_student_sees(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug, text = FILES[name]
    if slug == "torch_minigpt":
        shutil.copy(ROOT / "solutions" / "softmax_naive.cu", tmp_path)
    result = graded(slug, text, tmp_path)
    assert any(v.failures for v in result.verdicts)
    found = {where: _TELLS.findall(_without_its_lines(text_of, text))
             for where, text_of in seen(result, tmp_path, monkeypatch)}  # fmt: skip
    assert {where: told for where, told in found.items() if told} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.sample(every=3)
def test_no_file_that_prints_or_names_what_it_reads_tells_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside what its own file holds, no number of it is a size of an input that failed."""
    text = (ROOT / "tests" / "hostile" / name).read_text(encoding="utf-8")
    slug = re.search(r"exercise: (\w+)", text)[1]  # type: ignore[index]
    result = graded(slug, text, tmp_path)
    failures = [f for v in result.verdicts for f in v.failures]
    quoted = {str(f.message.values["output"]) for f in failures if "output" in f.message.values}
    quoted |= {str(f.about) for f in failures if f.about}
    for where, page in seen(result, tmp_path, monkeypatch):
        assert [words for words in quoted - {"-"} if words in page] == [], where


def test_an_instructor_is_told_what_a_student_is_not(tmp_path: Path) -> None:
    result = graded("torch_minigpt", FILES["raises in a port"][1], tmp_path)
    card = Scorecard.of([result])
    rows = [Row("ada", "Ada", {}, "", False, (), card, tmp_path)]
    hidden = [t for t in gradescope.of_student(card, COURSE, tmp_path)["tests"] if t["visibility"] == "hidden"]
    assert TOLD in json.dumps(hidden) and TOLD in b"".join(gradebook.junit(rows, COURSE)).decode()
