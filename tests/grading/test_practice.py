"""The small exercises: each starter earns nothing, each answer everything, each typical mistake is refused by name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import course
from onekernel.author import exercises
from onekernel.checks import tallies
from onekernel.checks.puzzle import judge as puzzle
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, PASSED, UNTOUCHED, Failure, Result
from onekernel.labs.practice import FILE
from onekernel.labs.reader import load
from onekernel.sandbox.readers import figures
from support import in_process
from support.course import COURSE, ROOT
from support.patience import HUNG_SECONDS

# Every twelfth is fast; of the others a third is run each day.
SLOW = [pytest.mark.slow, pytest.mark.sample(every=3)]
PRACTICE = [pytest.param(e, id=e.slug, marks=() if n % 12 == 0 else SLOW) for n, e in enumerate(COURSE.practice)]
EACH = pytest.mark.parametrize("exercise", PRACTICE)


@pytest.fixture(autouse=True, scope="module")
def _in_this_process() -> Iterator[None]:
    yield from in_process.patched()


def graded(exercise: course.Exercise, path: Path, seed: int = 7) -> Result:
    return grade(Submission(COURSE, exercise, path, "simulator", seed))


def failures(result: Result) -> list[Failure]:
    return [f for v in result.verdicts for f in v.failures]


@EACH
def test_the_answer_earns_every_point(exercise: course.Exercise) -> None:
    assert exercises.solution(COURSE, exercise) == []


@EACH
def test_the_starter_earns_nothing_and_runs_far_enough_to_be_told_why(exercise: course.Exercise) -> None:
    assert exercises.starter(COURSE, exercise) == []
    untouched = graded(exercise, COURSE.starter(exercise))
    assert untouched.status == (FAILED if exercise.broken else UNTOUCHED)


@EACH
def test_each_typical_mistake_is_refused_with_its_cause(exercise: course.Exercise) -> None:
    assert exercises.wrong(COURSE, exercise) == []


@EACH
def test_the_answer_computes_what_is_meant(exercise: course.Exercise) -> None:
    assert bool(exercise.meant) == bool(exercise.operator)
    assert exercises.meant(COURSE, exercise) == []


@pytest.mark.parametrize("exercise", COURSE.practice, ids=lambda e: e.slug)
def test_the_folder_is_whole(exercise: course.Exercise) -> None:
    assert [*exercises.told_in_both(COURSE, exercise), *exercises.to_write(COURSE, exercise)] == []
    assert exercise.points in (1, 2)


def test_each_comes_before_what_it_names_and_a_new_one_right_before_it(tmp_path: Path) -> None:
    def order(*before: tuple[str, str]) -> list[tuple[str, str]]:
        root = tmp_path / "-".join(name for name, _ in before)
        for part in ("docs", "solutions"):
            root.mkdir(exist_ok=True)
            (root / part).symlink_to(ROOT / part)
        for lab in ("00-hello-cuda", "01-naive-kernel"):
            shutil.copytree(ROOT / "labs" / lab, root / "labs" / lab)
        for slug, what in before:
            folder = root / "labs" / "practice" / slug
            folder.mkdir(parents=True)
            for name, text in NEW.items():
                (folder / name).write_text(text.replace('before = "01-naive-kernel"', f'before = "{what}"'))
        for name in ("lab.toml", "README.md", "README.es.md"):
            shutil.copy(ROOT / "labs" / "practice" / name, root / "labs" / "practice")
        return [(e.slug, e.before[:2]) for e in load(root).practice]

    lab, here = "01-naive-kernel", [("a", "b"), ("b", "c"), ("c", "01-naive-kernel"), ("d", "00-hello-cuda")]
    assert order(*here) == [("d", "00"), ("a", "01"), ("b", "01"), ("c", "01")]
    assert [slug for slug, _ in order(*here, ("new", "c"))] == ["d", "a", "b", "new", "c"]
    assert [slug for slug, _ in order(*here, ("last", lab))] == ["d", "a", "b", "c", "last"]
    assert [slug for slug, _ in order(*here, ("first", "a"))] == ["d", "first", "a", "b", "c"]
    with pytest.raises(course.UserError, match=r"a/exercise\.toml.*comes before itself"):
        order(("a", "b"), ("b", "a"))


def test_every_tally_has_its_words() -> None:
    from onekernel.messages import Message

    for name in tallies.TALLIES:
        assert Message(f"practice.tally-{name}").text("en") != Message(f"practice.tally-{name}").text("es")


NEW = {
    "exercise.toml": """\
title = { en = "Minus", es = "Menos" }
chapter = "01-03-launch#launch"
before = "01-naive-kernel"
minutes = 2
inputs = [{ n = 96 }, { n = 32 }]
meant = "-x"

[tensors.x]
shape = ["n"]
values = "normal"

[tensors.out]
shape = ["n"]
out = true

[limits]
load_sectors = 1

[[wrong]]
change = "-x[i]"
to = "x[i]"
caught = "values"
""",
    "answer.cu": """\
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void negate(const float* x, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // <gap>
    //| // TODO
    out[i] = -x[i];
    // </gap>
}

extern "C" cudaError_t minus(const float* x, float* out, int64_t n, cudaStream_t stream) {
    negate<<<n / 32, 32, 0, stream>>>(x, out);
    return cudaGetLastError();
}
""",
    "README.md": "# Minus\n\nEach number with the other sign.\n\n## Hint\n\nA sign.\n",
    "README.es.md": "<!-- en: 0 -->\n# Menos\n\nCada número con el otro signo.\n\n## Pista\n\nUn signo.\n",
}


@pytest.mark.slow
def test_one_folder_makes_an_exercise_without_any_python(tmp_path: Path) -> None:
    for part in ("docs", "kernels", "solutions"):
        (tmp_path / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "labs", tmp_path / "labs")
    (tmp_path / "learners").mkdir()
    folder = tmp_path / "labs" / "practice" / "minus"
    folder.mkdir()
    for name, text in NEW.items():
        (folder / name).write_text(text, encoding="utf-8")

    def onekernel(*words: str) -> tuple[int, str]:
        argv = [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main())", *words]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=HUNG_SECONDS, check=False)
        return done.returncode, done.stdout + done.stderr

    assert onekernel("author", "starters")[0] == 0
    assert "TODO" in (folder / "starter.cu").read_text()
    assert onekernel("start", "ana")[0] == 0
    mine = tmp_path / "learners" / "ana" / "practice" / "minus.cu"
    mine.write_text((folder / "answer.cu").read_text().replace("-x[i]", "x[i]"))
    code, out = onekernel("check", "minus")
    assert code == 1 and "0 / 2" in out and "96" in out
    mine.write_text((folder / "answer.cu").read_text().replace("-x[i]", "-x[i] + 0 * x[(i + 8) % 32]"))
    code, out = onekernel("check", "minus")
    assert code == 1 and "1 / 2" in out and "up to" in " ".join(out.split())
    shutil.copy(folder / "answer.cu", mine)
    code, out = onekernel("check", "minus")
    assert code == 0 and "2 / 2" in out
    code, out = onekernel("check", "--solutions", "cluster_neighbour")  # with every wall, and nvcc where it is
    assert code == 0 and "2 / 2" in out, out
    code, out = onekernel("status", "practice", "--lang", "es")
    assert "minus" in out and "2 / 2" in out


@pytest.mark.parametrize(
    ("old", "new", "place", "mend"),
    [
        ('shape = ["n"]\nvalues', 'shape = ["m"]\nvalues', "exercise.toml:9", "nearest is n"),
        ('values = "normal"', 'values = "norml"', "exercise.toml:10", "normal"),
        ("out = true", "", "exercise.toml", "out = true"),
        ("load_sectors = 1", "load_sector = 1", "exercise.toml:17", "load_sectors"),
        ("inputs = [{ n = 96 }, { n = 32 }]", "inputs = [{ n = 0 }]", "exercise.toml:5", "without a zero"),
        ('change = "-x[i]"', 'change = "-x[j]"', "exercise.toml:20", "out[i] = -x[i];"),
        ("minutes = 2", "minutes = 0", "exercise.toml:4", "1 to 60"),
        ('before = "01-naive-kernel"', 'before = "01-naive"', "exercise.toml:3", "01-naive-kernel"),
        ("[limits]", "[limit]", "exercise.toml", "limits"),
        ('meant = "-x"', "", "exercise.toml", "each output: out"),
        ('meant = "-x"', 'meant = "-x +"', "exercise.toml:6", "each output: out"),
        ("#launch", "#lunch", "exercise.toml:2", '<a id="lunch">'),
    ],
)
def test_a_mistake_in_the_folder_is_refused_with_its_place(
    old: str, new: str, place: str, mend: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "solutions").symlink_to(ROOT / "solutions")
    for name in ("00-hello-cuda", "01-naive-kernel"):
        shutil.copytree(ROOT / "labs" / name, tmp_path / "labs" / name)
    folder = tmp_path / "labs" / "practice" / "minus"
    folder.mkdir(parents=True)
    for name in ("lab.toml", "README.md", "README.es.md"):
        shutil.copy(ROOT / "labs" / "practice" / name, folder.parent)
    for name, text in NEW.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert [e.slug for e in load(tmp_path).practice] == ["minus"]
    path = folder / FILE
    assert old in NEW[FILE]
    path.write_text(NEW[FILE].replace(old, new, 1), encoding="utf-8")
    with pytest.raises(course.UserError) as refused:
        load(tmp_path)
    assert place in str(refused.value) and mend in str(refused.value), str(refused.value)
    assert place in refused.value.message.text("es")


def test_what_is_counted_in_a_lab_file_is_held_to_the_answer_too() -> None:
    """The kind is one like the others: it works with an operator of the course."""
    from onekernel import checks

    exercise = COURSE.exercises["vector_add"]
    options = {"limits": {"load_sectors": 1, "store_sectors": 1}, "sizes": {"n": 1000}}
    title = course.Text("Frugal", "Sin derroche")
    check = course.Check("vector_add.1-limits", checks.named("limits"), 2, title, "00-motivation#roofline", options)
    result = graded(replace(exercise, checks=(check,)), COURSE.solution(exercise))
    assert result.earned == 2 and {v.status for v in result.verdicts} == {PASSED}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("STRIDE_1 = 2 ** 99999\n", "no-answer"),
        ("STRIDE_1 = (-8) ** 0.5\n", "no-answer"),
        ("STRIDE_1 = 10**9 * 10**9\n", "no-answer"),
        ("STRIDE_1 = 1e400\nSTRIDE_2 = float('nan')\n", "no-answer"),
        ("STRIDE_1 = '4 s'\n", "no-answer"),
        ("STRIDE_1 = 4.5\n", "too-many"),
        ("STRIDE_1 = -4\n", "too-few"),
        ("STRIDE_1 = 4 / 0\n", "no-answer"),
        ("STRIDE_1 = 12,288\n", "too-many"),  # two numbers, to Python; a whole one is wanted, and no other is meant
        ("STRIDE_1 = 12,28\n", "comma"),
        ("STRIDE_1 = 2,33\n", "comma"),
        ("STRIDE_1 = 1,234,567.5\n", "comma"),
        ("STRIDE_1 = 4,\n", "no-answer"),
        ("STRIDE_1 = 'a', 4\n", "no-answer"),
        ("STRIDE_1 = 16.384\n", "point"),  # thousands, in Spanish
        ("import os; os._exit(0)\nSTRIDE_1 = 9\n", "too-many"),
    ],
)
def test_no_answer_to_a_puzzle_is_run_or_breaks_it(text: str, code: str, tmp_path: Path) -> None:
    exercise = COURSE.exercises["sectors"]
    path = tmp_path / "sectors.py"
    path.write_text(text, encoding="utf-8")
    result = graded(exercise, path)
    assert result.earned == 0 and code in {f.code for f in failures(result)}
    path.write_text("STRIDE_1 = 4\nSTRIDE_2 = (", encoding="utf-8")
    assert {f.code for f in failures(graded(exercise, path))} == {"syntax"}


@pytest.mark.parametrize(
    "text",
    ["4096", "4_096", "4,096", "4 096  # elements", "4096.0", "4.096e3", "2**12", "64 * 64", "'4 096'", "'4.096'",
     "'4 KiB'", "'4 Ki'", "'2^12'"],
)
def test_a_whole_number_is_read_as_it_is_commonly_written(text: str) -> None:
    given = figures(f"ANSWER = {text}\n")["ANSWER"]
    assert puzzle._wrong("ANSWER", given, 4096.0, 1e-9) is None
    thousands = puzzle._wrong("ANSWER", figures("ANSWER = 4.096\n")["ANSWER"], 4096.0, 1e-9)
    assert thousands is not None and "4096" in thousands.text("en") and "punto" in thousands.text("es")
    assert puzzle._wrong("ANSWER", figures("ANSWER = 4,000\n")["ANSWER"], 4000.0, 1e-9) is None
    half = puzzle._wrong("ANSWER", figures("ANSWER = 2,500\n")["ANSWER"], 2.5, 1e-9)
    assert half is not None and half.key == "practice.comma"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return 1 / 0", "raised"),
        ("return None", "other-kind"),
        ("return x.tolist()", "other-kind"),
        ("return x.double().diagonal()", "copied"),
        ("return x.diagonal() + float('nan')", "other-value"),
        ("x[0] = 0\n    return x.diagonal()", "argument-changed"),
        ("y = x.diagonal().clone()\n    x.zero_()\n    return y", "argument-changed"),
        ("return x", "other-shape"),
        ("return 'diagonal'", "other-kind"),
    ],
)
def test_what_is_not_the_answers_view_is_told_apart(body: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "diagonal.py"
    path.write_text(f"def diagonal(x):\n    {body}\n", encoding="utf-8")
    result = graded(COURSE.exercises["diagonal"], path)
    assert result.earned == 0 and failures(result)[0].code == code
    path.write_text("def diagonal(x):\n    return x.diagonal()\n", encoding="utf-8")  # another way to the same view
    assert graded(COURSE.exercises["diagonal"], path).earned == 1
