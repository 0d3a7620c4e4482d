"""A class: graded once each whatever interrupts it, equal files and seed giving equal results."""

from __future__ import annotations

import ast
import csv
import errno
import html
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import weakref
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audits.command import ONEKERNEL
from onekernel.cli import main
from onekernel.cohort import cluster, journal, keys, pool
from onekernel.cohort.image.grade import main as in_the_image
from onekernel.cohort.pool import MOST_ON_A_GPU, Slots
from onekernel.cohort.submissions import Student
from onekernel.cohort.tasks import Task
from onekernel.course import find_root
from onekernel.errors import TRY_AGAIN
from onekernel.grading.verdicts import FAILED, Failure, Result, Scorecard, Verdict
from onekernel.labs.reader import load
from onekernel.messages import LANGUAGES, Message, say
from onekernel.report import class_page, gradebook, gradescope, student_page
from onekernel.report.gradebook import Row
from onekernel.sandbox.machine import MachineFault
from support.course import COURSE, ROOT
from support.courses import make_course
from support.patience import HUNG_SECONDS

IMPATIENT = (
    "import sys; from onekernel.cli import main; from onekernel.cohort import pool; pool.PAUSES = ();"
    "sys.exit(main(sys.argv[1:]))"
)
# What a grader is run in: a temporary folder with no room, and no addresses to speak of.
TROUBLES = {
    "disk": ["unshare", "--map-root-user", "--mount", "sh", "-c",
             'mkdir -p room && mount -t tmpfs -o size=8m none room && TMPDIR="$PWD/room" exec "$@"', "sh"],
    "memory": ["sh", "-c", 'ulimit -S -v 3000000 && exec "$@"', "sh"],
}  # fmt: skip
RIGHT, WRONG = '"100.7 MB"', '"67.1 MB"'


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of two exercises that are read, and a folder in which a class hands in."""
    for variable in ("ONEKERNEL_LANG", "ONEKERNEL_LEARNER"):
        monkeypatch.delenv(variable, raising=False)
    root = make_course(tmp_path / "course")
    monkeypatch.setenv("ONEKERNEL_ROOT", str(root))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handed").mkdir()
    return root


def hand_in(course: Path, *names: str, where: str = "handed", answer: str = RIGHT) -> None:
    """A folder per student with both files, `answer` in place of the right one."""
    for name in names:
        folder = course.parent / where / name
        folder.mkdir(parents=True, exist_ok=True)
        for slug in ("quiz", "exam"):
            text = (course / "solutions" / f"{slug}.py").read_text(encoding="utf-8")
            (folder / f"{slug}.py").write_text(text.replace(RIGHT, answer), encoding="utf-8")


def grade(*words: str) -> int:
    return main(["grade", "handed", "--seed", "7", *words])


def rows(out: str = "handed-graded") -> dict[str, dict[str, str]]:
    with Path(out, "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def lines(out: str = "handed-graded") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(out, journal.NAME).read_text(encoding="utf-8").splitlines()]


def test_a_class_is_graded_into_a_gradebook_and_pages(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(course, "ada")
    hand_in(course, "bo", answer=WRONG)
    (course.parent / "handed" / "eva").mkdir()
    assert grade() == 0
    found = rows()
    assert [found[name]["earned"] for name in ("ada", "bo", "eva")] == ["12", "8", "0"]
    assert found["bo"]["quiz"] == "4" and found["eva"]["notes"].startswith("No file in it.")
    assert sorted(p.name for p in Path("handed-graded/students").iterdir()) == ["ada.html", "bo.html", "eva.html"]


@pytest.mark.slow
def test_what_was_graded_is_not_graded_again_and_what_changed_is(course: Path) -> None:
    hand_in(course, "ada", "bo")
    assert grade() == 0
    once = len(lines())
    assert grade() == 0
    assert len(lines()) == once
    hand_in(course, "bo", answer=WRONG)
    assert grade() == 0
    assert len(lines()) == once + 2 and rows()["bo"]["earned"] == "8"
    lab = course / "labs" / "00-first" / "lab.toml"
    lab.write_text(lab.read_text(encoding="utf-8").replace("points = 4", "points = 5"), encoding="utf-8")
    assert grade() == 0
    assert len(lines()) == once + 4 and rows()["ada"]["earned"] == "13"


def test_who_is_gone_leaves_the_results_and_is_named(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(course, "ada", "bo")
    assert grade() == 0
    shutil.rmtree(course.parent / "handed" / "bo")
    capsys.readouterr()
    assert grade() == 0
    assert list(rows()) == ["ada"] and "bo" in capsys.readouterr().out
    assert [p.name for p in Path("handed-graded/students").iterdir()] == ["ada.html"]


def test_of_an_elective_lab_what_somebody_has_begun_is_graded_and_nothing_else(course: Path) -> None:
    lab = course / "labs" / "00-first" / "lab.toml"
    lab.write_text("elective = true\n" + lab.read_text(encoding="utf-8"), encoding="utf-8")
    hand_in(course, "ada", "bo")
    (course.parent / "handed" / "bo" / "quiz.py").unlink()
    assert grade() == 0
    assert rows()["ada"]["quiz"] and not rows()["bo"]["quiz"]
    assert int(rows()["bo"]["assessed"]) < int(rows()["ada"]["assessed"])


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_accident_is_a_zero_without_a_word(course: Path, monkeypatch: pytest.MonkeyPatch, lang: str) -> None:
    """What lay there instead of a file is said where its points are, and what cannot be read keeps them open."""
    monkeypatch.setenv("ONEKERNEL_LANG", lang)
    hand_in(course, "ada", "bo", "eva")
    handed, opened = course.parent / "handed", Path.open
    (handed / "bo" / "quiz.py").unlink()
    (handed / "bo" / "quiz.py").mkdir()
    (handed / "zoe.zip").write_bytes(b"Rar!")

    def closed(path: Path, *words: Any, **named: Any) -> Any:
        if path == handed / "eva" / "quiz.py":  # modes keep nobody out who grades as root
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *words, **named)

    monkeypatch.setattr(Path, "open", closed)
    assert grade() == 0
    found = rows()
    assert [found[n]["quiz"] for n in ("ada", "bo", "eva", "zoe")] == ["6", "0", "", ""]
    assert [found[n]["assessed"] for n in ("ada", "bo", "eva", "zoe")] == ["12", "12", "6", "0"]
    junit = Path("handed-graded/junit.xml").read_text(encoding="utf-8")
    for name, key, file in (("bo", "note-folder", "quiz.py"), ("eva", "note-unreadable", "quiz.py"),
                            ("zoe", "archive-broken", "zoe.zip")):  # fmt: skip
        page = Path(f"handed-graded/students/{name}.html").read_text(encoding="utf-8")
        said = say(f"cohort.{key}", file=file)
        assert page.count(said) >= 2 and said in junit, "among the notes, and where the points are"
        assert say("cohort.page-missing", names="quiz.py") not in page


def settled(device: str) -> Callable[..., tuple[str, None]]:
    """What stands for doctor.settle on a machine where that is `device`."""
    return lambda *_: (device, None)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "told", "again"), [
    ("points", "2 files of exercises whose checks", 2),
    ("solution", "2 files of exercises whose checks", 2),
    ("data", "2 files of exercises whose checks", 2),
    ("statement", "", 0),
    ("seed", "4 files with another seed", 4),
    ("device", "4 files on another device", 4),
    ("compiler", "4 files with other compilers, libraries or GPUs", 4),
    ("grader", "4 files by another version of the graders", 4),
    ("file", "2 files that were handed in otherwise", 2),  # quiz.py and, of the same student, what may lie beside it
    ("renamed", "not among the submissions any more: ada", 2),
    ("gone", "not among the submissions any more: bo", 0),
    ("selection", "this run was not asked for them: exam", 0),
    ("language", "", 0),
])
def test_what_has_changed_since_is_graded_again_and_said_in_a_sentence(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], change: str, told: str,
    again: int,
) -> None:
    hand_in(course, "ada", "bo")
    monkeypatch.setattr("onekernel.doctor.settle", settled("simulator"))  # on a machine with a GPU too
    assert grade() == 0
    before, words = len(lines()), []
    lab, handed = course / "labs" / "00-first", course.parent / "handed"
    match change:
        case "points":
            text = (lab / "lab.toml").read_text(encoding="utf-8")
            (lab / "lab.toml").write_text(text.replace("points = 4", "points = 5"), encoding="utf-8")
        case "solution":
            with (course / "solutions" / "quiz.py").open("a", encoding="utf-8") as file:
                file.write("# Another version.\n")
        case "data":
            (lab / "traces").mkdir()
            (lab / "traces" / "one.json").write_text("{}")
        case "statement":
            (lab / "README.md").write_text("# Better words\n")
        case "seed":
            words = ["--seed", "8"]
        case "device":
            monkeypatch.setattr("onekernel.doctor.settle", settled("cuda"))
        case "compiler":
            monkeypatch.setattr(keys, "tools", lambda *_: "g++ of tomorrow")
        case "grader":
            monkeypatch.setattr(keys, "__version__", "9.9")
        case "file":
            hand_in(course, "bo", answer=WRONG)
        case "renamed":
            (handed / "ada").rename(handed / "zoe")
        case "gone":
            shutil.rmtree(handed / "bo")
        case "selection":
            words = ["quiz"]
        case "language":
            monkeypatch.setenv("ONEKERNEL_LANG", "es")
    capsys.readouterr()
    assert main(["grade", "handed", *(words or ["--seed", "7"])]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert told in out and ("Graded again" in out) == (again > 0 and change != "renamed")
    heads = sum("class" in line for line in lines())
    assert len(lines()) - heads == before - 1 + again


def test_all_that_judges_is_part_of_a_key() -> None:
    """What the judges import decides too; the words that tell it do not."""
    package = Path(keys.__file__).parents[1]
    judges = {p for name in keys.MACHINERY for p in (package / name, *(package / name).rglob("*.py"))}
    others = {package / name for name in ("errors.py", "arguments.py", "__init__.py")}
    words = others | {*(package / "messages").iterdir()}
    imported = {found for p in judges if p.suffix == ".py" for found in _imported(package, p)}
    assert imported - judges - words == set()
    assert all((package / name).exists() for name in keys.MACHINERY)


@pytest.mark.parametrize(("file", "reads", "by"), [
    ("vector_add.cu", '#include "dot_product.cu"\n', "include"),
    ("vector_add.cu", '#include "./dot_\\\nproduct.cu"\n', "an include in two lines"),
    ("vector_add.cu", '#include "gelu.cu"\n', "what it includes"),
    ("vector_add.cu", "#define STR(x) #x\n#define OF(x) STR(x)\n#include OF(dot_##product.cu)\n", "a macro"),
    ("softmax_triton.py", "import dot_product\n", "Python"),
])
def test_a_result_depends_on_what_its_file_reads(file: str, reads: str, by: str, tmp_path: Path) -> None:
    course = load(find_root(Path(__file__)))
    exercise = next(e for e in course.exercises.values() if e.file == file)
    files = {file: reads, "gelu.cu": '#include "dot_product.cu"\n', "dot_product.cu": "// one\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    student = Student("ada", "Ada", tmp_path, tuple(files))
    of = keys.Keys(course, [exercise], "simulator", 7).of
    before = of(student, exercise, {})
    assert of(student, exercise, {}) == before
    (tmp_path / "dot_product.cu").write_text("// other\n")
    assert (after := of(student, exercise, {})) != before and keys.changed(before, after) == "file"
    if file.endswith(".cu"):
        (tmp_path / file).write_text("// on its own\n#include <cuda_runtime.h>\n")
        alone = of(student, exercise, {})
        (tmp_path / "dot_product.cu").write_text("// another\n")
        assert of(student, exercise, {}) == alone


def _imported(package: Path, path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "onekernel":
            there = package.joinpath(*(node.module or "").split(".")[1:])
            for name in [there, *(there / alias.name for alias in node.names)]:
                yield from (p for p in (name.with_suffix(".py"), name / "__init__.py") if p.is_file())


def test_the_tools_of_a_key_are_those_that_its_file_meets(monkeypatch: pytest.MonkeyPatch) -> None:
    course = load(find_root(Path(__file__)))
    monkeypatch.setattr(keys, "gpu_names", lambda: ["NVIDIA H200"])
    slugs, devices = ("softmax_naive", "softmax_triton", "tuning_log"), ("simulator", "cuda")
    seen = {(slug, device): keys.tools(course.exercises[slug], device) for slug in slugs for device in devices}
    for slug, here, elsewhere in ((slugs[0], "nvcc", "triton"), (slugs[1], "triton", "nvcc")):
        assert here in seen[slug, "simulator"] and elsewhere not in seen[slug, "simulator"]
        assert "H200" in seen[slug, "cuda"] and "H200" not in seen[slug, "simulator"]
    assert seen["tuning_log", "simulator"] == ""
    assert keys.tools(course.exercises["softmax_naive"], "simulator") == seen["softmax_naive", "simulator"]
    monkeypatch.setattr(keys.nvcc, "find", lambda: None)
    assert keys.tools(course.exercises["softmax_naive"], "simulator").endswith("nvcc None")


@pytest.mark.slow
@pytest.mark.parametrize("where", [journal.NAME, journal.FINAL, "junit.xml", "students", "work"])
def test_a_disk_that_is_full_is_told_with_its_path_and_scores_nobody(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    """Wherever the grader itself writes: what the system says of a write, and of its end, names no path."""
    hand_in(course, "ada")
    synced, written = os.fsync, Path.write_bytes

    def full(path: object) -> None:
        if where in str(path):
            raise OSError(errno.ENOSPC, "No space left on device")

    def sync(descriptor: int) -> None:
        full(os.readlink(f"/proc/self/fd/{descriptor}"))
        synced(descriptor)

    def write(path: Path, data: bytes) -> int:
        full(path)
        return written(path, data)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "write_bytes", write)
    assert grade() == TRY_AGAIN
    said = " ".join(capsys.readouterr().err.split())
    assert "The disk is full" in said and f"handed-graded/{where}" in said
    monkeypatch.undo()
    monkeypatch.setenv("ONEKERNEL_ROOT", str(course))
    monkeypatch.chdir(course.parent)
    assert grade() == 0 and rows()["ada"]["earned"] == "12"


@pytest.mark.parametrize("own", ["students", "work", "gradescope"])
def test_folders_that_grading_did_not_write_are_not_emptied(
    course: Path, capsys: pytest.CaptureFixture[str], own: str
) -> None:
    """The submissions themselves, in a folder with a name of the results; and somebody's own folder in theirs."""
    hand_in(course, "ada", where=own)
    hand_in(course, "bo")
    for source in (own, "handed"):
        assert main(["grade", source, "--out", "."]) == 2
        assert "would empty" in capsys.readouterr().err
        assert Path(own, "ada", "quiz.py").is_file() and not Path(journal.NAME).exists()
    Path(journal.NAME).touch()  # that an earlier run began here makes the submissions no results
    assert main(["grade", own, "--out", "."]) == 2 and Path(own, "ada", "quiz.py").is_file()


@pytest.mark.slow
def test_the_results_of_another_class_are_not_overwritten(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(course, "ada", "bo")
    assert grade() == 0
    results = [p for p in Path("handed-graded").rglob("*") if p.is_file() and "work" not in p.parts]
    before = {p: p.read_bytes() for p in results}
    hand_in(course, "eva", where="later")
    assert main(["grade", "later", "--out", "handed-graded"]) == 2
    assert "has the results of another class: ada is in it" in capsys.readouterr().err
    assert {p: p.read_bytes() for p in results} == before
    hand_in(course, "ada", where="later")  # of those who are in it some may have left, and others come
    assert main(["grade", "later", "--out", "handed-graded"]) == 0 and {*rows()} == {"ada", "eva"}


def test_half_a_character_stops_no_class(tmp_path: Path) -> None:
    why = Message.of("grading.unjudged", error="\ud800")  # as predictions.json may spell it
    result = {"verdicts": [{"failures": [{"message": why.to_json()}]}]}
    with journal.opened(tmp_path, 1, 1) as book:
        book.add("ada", "quiz", "key", result, 0.1)
        assert book["ada", "quiz"] == result
    with journal.opened(tmp_path, 1, 1) as book:
        assert book["ada", "quiz"] == result


@pytest.mark.slow
def test_more_points_than_a_check_has_are_a_damaged_line(course: Path) -> None:
    hand_in(course, "ada")
    assert grade() == 0
    book = Path("handed-graded", journal.NAME)
    book.write_text(book.read_text(encoding="utf-8").replace('"earned": 4', '"earned": 400'), encoding="utf-8")
    assert grade() == 0 and rows()["ada"]["earned"] == "12"


@pytest.mark.slow
def test_a_torn_line_and_a_damaged_one_cost_their_files_alone(course: Path) -> None:
    hand_in(course, "ada", "bo")
    assert grade() == 0
    whole = Path("handed-graded/results.jsonl").read_bytes()
    book = Path("handed-graded", journal.NAME)
    kept = book.read_bytes().splitlines(keepends=True)
    book.write_bytes(b"".join([kept[0], kept[1], b'{"student": 1}\n[1]\n', kept[3], kept[4][:40]]))
    assert grade() == 0
    assert Path("handed-graded/results.jsonl").read_bytes() == whole
    damaged = [json.loads(line) for line in kept]
    damaged[1]["result"] = {}
    damaged[2]["result"]["verdicts"][0]["earned"] = "many"
    damaged[3]["result"]["verdicts"][0]["status"] = ["passed"]
    book.write_text("".join(json.dumps(line) + "\n" for line in damaged))
    assert grade() == 0
    assert Path("handed-graded/results.jsonl").read_bytes() == whole
    assert book.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("changed", [{"key": "grading.a-name-of-old"}, {"values": {}}])
def test_a_result_with_a_sentence_that_is_gone_is_graded_again(course: Path, changed: dict[str, object]) -> None:
    hand_in(course, "ada")
    hand_in(course, "bo", answer=WRONG)
    assert grade() == 0
    whole, book = Path("handed-graded/results.jsonl").read_bytes(), Path("handed-graded", journal.NAME)
    old = lines()
    told = next(f for line in old if line.get("student") == "bo" for v in line["result"]["verdicts"]
                for f in v["failures"] if f["message"]["values"])  # fmt: skip
    told["message"] |= changed
    book.write_text("".join(json.dumps(line) + "\n" for line in old), encoding="utf-8")
    assert grade() == 0
    assert len(lines()) == len(old) + 1 and Path("handed-graded/results.jsonl").read_bytes() == whole


def test_two_graders_do_not_write_into_one_class(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(course, "ada")
    with journal.opened(Path("handed-graded"), 7, 1):
        assert grade() == 2
    assert "Another `onekernel grade`" in capsys.readouterr().err


def test_which_watch_stopped_a_file_that_hangs_is_no_part_of_the_results(tmp_path: Path) -> None:
    def written(name: str, *keys: str) -> bytes:
        failures = [{"message": {"key": key}, "code": key, "case": key, "line": len(key)} for key in keys]
        verdict = {"check": "x.1", "status": "failed", "earned": 0, "groups": [], "failures": failures}
        (tmp_path / name).mkdir()
        return journal.write_final(tmp_path / name, 7, {("ada", "x"): {"verdicts": [verdict]}}).read_bytes()

    by_the_clock = written("busy", "grading.timed-out", "grading.stopped-before")
    assert written("idle", "simulator.time-limit-host", "grading.stopped-before-line") == by_the_clock
    assert written("other", "grading.killed", "grading.stopped-before-line") != by_the_clock


def test_where_a_file_hung_and_what_stopped_it_is_on_no_page() -> None:
    """A busy machine stops it by the clock, an idle one by processor time, each in another thread and line."""
    exercise = COURSE.exercises["vector_add"]
    one, two, three = exercise.checks[:3]
    n = Message("ops.vector_normal", {"n": 256})

    def told(hung: Message, line: int | None, after: Message) -> list[str]:
        code = "ended" if line is None else "time-limit"
        first = Failure(hung, "01-04-bounds", "normal-256", n, __file__, line, code)
        rest = Failure(after, "01-04-bounds#bounds", code="ended")
        told_of = (one, first), (two, rest), (three, replace(first, case=None, about=None))
        verdicts = tuple(Verdict(c, FAILED, failures=(f,), groups=(("tails", 1, 2),)) for c, f in told_of)
        card = Scorecard.of([journal.steady(Result(exercise, verdicts, "simulator", 7, ran_on="simulator"))])
        mine = Row("ada", "Ada", {}, "", False, (), card, Path())
        return [student_page.html(student_page.About("Ada"), card, COURSE),
                class_page.html([mine], [exercise], COURSE, [], 0.5),
                b"".join(gradebook.junit([mine], COURSE)).decode(),
                json.dumps(gradescope.of_student(card, COURSE, Path()))]  # fmt: skip

    values = {"kernel": "add", "block": 0, "seconds": 6, "warp": "", "also": "", "once": "", "line": 21, "faster": ""}
    idle = Message("simulator.time-limit-meets", {**values, "thread": 140, "met": 1183649})
    other = Message("simulator.time-limit-meets", {**values, "thread": 247, "met": 1057797})
    before = Message("grading.stopped-before-line", {"input": n, "line": 21})
    first = told(idle, 21, before)
    assert told(other, 22, replace(before, values={"input": n, "line": 22})) == first
    busy = Message("grading.timed-out", {"seconds": 20.0})
    assert told(busy, None, Message("grading.stopped-before", {"input": n, "line": 0})) == first
    assert told(Message("grading.total-time", {"seconds": 120}), None, Message("grading.not-run")) == first
    assert all(say("cohort.hung") in text.replace("&#x27;", "'") for text in first)


@pytest.mark.parametrize("hung", [
    Message("grading.timed-out", {"seconds": 20.0}), Message("grading.total-time", {"seconds": 120}),
    Message("simulator.time-limit-kernel", {"kernel": "add", "block": 0, "thread": 3, "seconds": 6}),
], ids=lambda hung: hung.key)
def test_the_loop_that_cannot_end_is_named_whatever_stopped_it(tmp_path: Path, hung: Message) -> None:
    exercise = COURSE.exercises["vector_add"]
    verdict = Verdict(exercise.checks[0], FAILED, failures=(Failure(hung, "", line=7),))
    result = Result(exercise, (verdict,), "simulator", 7, ran_on="simulator")

    def told(text: str) -> tuple[Message, int | None]:
        (tmp_path / exercise.file).write_text(text)
        kept = json.loads(json.dumps(journal.stored(result, tmp_path)))
        (failure,) = journal.steady(journal.restored(kept, COURSE, tmp_path)).verdicts[0].failures
        return failure.message, failure.line

    loop = next(n for n, line in enumerate(HANGS_AT_BARRIERS.splitlines(), 1) if "while" in line)
    assert told(HANGS_AT_BARRIERS) == (Message("cohort.hung-in", {"line": loop}), loop)
    may_end = HANGS_AT_BARRIERS.replace("__syncthreads();", "if (a[0] > 1) break;")
    assert told(may_end) == (Message("cohort.hung"), None)


def test_numbers_computed_from_scrambled_bytes_are_on_no_page() -> None:
    """They are others in each run: noise is all that a submission is to have of them."""
    exercise = COURSE.exercises["vector_add"]
    copy = Message("simulator.out-of-bounds-read-after", {"advice": ""})
    symptoms = [Message("grading.nan", {"count": n, "index": n}) for n in (1, 256)]
    found = [journal.steady(Result(exercise, (Verdict(exercise.checks[0], FAILED, failures=(Failure(
        Message("compile.warning", {"why": copy, "symptom": symptom}), "", code="host-copy"),)),), "simulator", 7))
        for symptom in symptoms]  # fmt: skip
    assert found[0] == found[1] and found[0].verdicts[0].failures[0].message.values["why"] == copy


def test_where_an_object_lay_in_memory_is_the_runs_and_a_mask_the_students() -> None:
    exercise = COURSE.exercises["gelu_triton"]
    said = "KeyError: <object object at 0x7fd2e49d3590>, mask 0xffffffff"
    inside = Message("triton.raised", {"line": 3, "why": said})
    verdict = Verdict(exercise.checks[0], FAILED, failures=(Failure(inside, "", code="raised"),), details=(inside,))
    (found,) = journal.stored(Result(exercise, (verdict,), "triton", 7), Path())["verdicts"]
    for message in (found["failures"][0]["message"], *found["details"]):
        assert message["values"] == {"line": 3, "why": "KeyError: <object object at 0x...>, mask 0xffffffff"}


HANGS_AT_BARRIERS = """
#include <cuda_runtime.h>
#include <cstdint>
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    volatile int step = 64;
    while (step > 0) {
        __syncthreads();
        if (threadIdx.x < step) out[threadIdx.x] = a[0];
    }
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    add<<<1, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""
STRAYS = """
#include <cuda_runtime.h>
#include <cstdint>
__global__ void add(const float* a, const float* b, float* out, int64_t n) { out[(n + 5) << 40] = a[0]; }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<1, 32, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""
RAISES = "def gelu_triton(x, approximate='none'):\n    raise KeyError(object(), {'alpha', 'beta', 'gamma', 'delta'})\n"


@pytest.mark.slow
@pytest.mark.sample(every=3)
def test_equal_files_and_seeds_are_equal_bytes_in_every_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong, hostile = ROOT / "tests" / "wrong", ROOT / "tests" / "hostile"
    texts = {"ada": HANGS_AT_BARRIERS, "bo": STRAYS, "carl": (wrong / "add_blocks_overlap.cu").read_text(),
             "dan": (wrong / "add_cached_by_size.cu").read_text(), "eva": (hostile / "forges_reports.cu").read_text(),
             "flo": (hostile / "exit_zero_in_launcher.cu").read_text(),
             "gil": (hostile / "host_copies_through_an_array.cu").read_text()}  # of noise, another in each run
    for name, text in texts.items():
        folder = tmp_path / "handed" / f"{name}_{len(name) + 10}_assignsubmission_file"  # as Moodle has them
        folder.mkdir(parents=True)
        (folder / "vector_add.cu").write_text(text)
        (folder / "gelu_triton.py").write_text(RAISES)
    for out, jobs in (("one", "1"), ("two", "2")):
        words = ["vector_add", "gelu_triton", "--seed", "7", "--device", "simulator", "--jobs", jobs, "--out", out]
        assert subprocess.run([*ONEKERNEL, "grade", "handed", *words], env=os.environ | {"PYTHONHASHSEED": jobs},
                              capture_output=True).returncode == 0  # fmt: skip
    one, two = ({p.relative_to(out): p.read_bytes() for p in Path(out).rglob("*") if p.is_file()}
                for out in ("one", "two"))  # fmt: skip
    del one[Path(journal.NAME)], two[Path(journal.NAME)]  # what took how long, in the order of its end
    assert one.keys() == two.keys() and len([p for p in one if p.suffix == ".html"]) == len(texts) + 1
    assert [str(p) for p in one if one[p] != two[p]] == []
    loop = next(n for n, line in enumerate(HANGS_AT_BARRIERS.splitlines(), 1) if "while" in line)
    page = next(one[p] for p in one if p.suffix == ".html" and p.name.startswith("ada"))
    assert html.escape(say("cohort.hung-in", line=loop)) in page.decode()


@pytest.mark.slow
def test_one_students_results_are_in_memory_at_a_time(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(course, *(f"s{number}" for number in range(8)), answer=WRONG)
    made, most, real = [], 0, journal.restored

    def restored(*given: Any) -> Any:
        nonlocal most
        made.append(weakref.ref(result := real(*given)))
        most = max(most, sum(ref() is not None for ref in made))
        return result

    monkeypatch.setattr(journal, "restored", restored)
    assert grade() == 0
    assert len(made) >= 2 * 8 and most <= 2 * 2, "each student's two, and those that the next one's replace"


@pytest.mark.slow
def test_a_class_killed_and_resumed_ends_as_one_in_peace(course: Path) -> None:
    names = [f"s{number:02}" for number in range(12)]
    hand_in(course, *names[:6])
    hand_in(course, *names[6:], answer=WRONG)
    Path("handed/s01/exam.py").write_bytes(b"# \xff is no UTF-8\n")
    Path("handed/s02/exam.py").write_text("while ((", encoding="utf-8")
    Path("handed/s03/exam.py").unlink()
    Path("handed/s03/exam.py").symlink_to(course / "solutions" / "exam.py")
    os.utime("handed/s08/quiz.py", (2e9, 2e9))  # handed in years too late
    assert grade("--out", "peace") == 0
    for at_least in (4, 10):
        _killed_after(at_least, ["grade", "handed", "--seed", "7", "--out", "stormy", "--jobs", "2"])
    for trouble in TROUBLES.values():
        if subprocess.run([*trouble, "true"], capture_output=True).returncode == 0:  # a mount may be denied
            argv = [*trouble, sys.executable, "-c", IMPATIENT, "grade", "handed", "--seed", "7", "--out", "stormy"]
            assert subprocess.run(argv, capture_output=True).returncode == TRY_AGAIN
    assert not Path("stormy/results.jsonl").exists() and not Path("stormy/gradebook.csv").exists()
    assert grade("--out", "stormy", "--jobs", "2") == 0
    for path in (p.relative_to("peace") for p in Path("peace").rglob("*") if p.is_file() and p.name != journal.NAME):
        assert (Path("stormy") / path).read_bytes() == (Path("peace") / path).read_bytes(), path
    graded = [(line["student"], line["exercise"]) for line in lines("stormy") if "student" in line]
    assert len(graded) == len(set(graded)) == 2 * len(names)


def _killed_after(results: int, words: Sequence[str]) -> None:
    """Starts the command and ends it by kill -9 once that many results are written."""
    argv = [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main(sys.argv[1:]))", *words]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    book, deadline = Path("stormy", journal.NAME), time.monotonic() + HUNG_SECONDS
    while not book.is_file() or book.read_bytes().count(b"\n") <= results:
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["local", "slurm"])
def test_a_cluster_gives_the_same_results(course: Path, where: str) -> None:
    pytest.importorskip("submitit")
    if where == "slurm" and cluster.queued() is None:
        pytest.skip("no Slurm answers here: its squeue is missing, or its controller does not run")
    hand_in(course, "ada")
    hand_in(course, "bo", answer=WRONG)
    assert grade("--out", "here") == 0
    assert grade("--out", "there", "--cluster", where, "--jobs", "2") == 0
    assert Path("there/results.jsonl").read_bytes() == Path("here/results.jsonl").read_bytes()


class Sent:
    """A job of a cluster."""

    def __init__(self, job_id: str, *, ends: int = 99) -> None:
        self.job_id = job_id
        self.left = ends

    def done(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_job_that_no_queue_knows_is_lost_and_one_of_a_silent_cluster_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "LOST_SECONDS", 0.0)
    gone, late = Sent("3_0"), Sent("3_1", ends=3)
    assert list(cluster._ended([gone, late], 0.0, lambda: {"3_1"})) == [(gone, True), (late, False)]
    late = Sent("3_1", ends=3)
    assert list(cluster._ended([late], 0.0, lambda: None)) == [(late, False)]


@pytest.mark.slow
def test_a_machine_that_recovers_scores_everybody_and_one_that_does_not_nobody(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(course, "ada", "bo")
    monkeypatch.setattr(pool, "PAUSES", (0.0, 0.0))
    faults = iter([MachineFault(Message("cohort.process-ended", {"student": "ada", "exercise": "quiz"}))] * 4)
    real = pool._round

    def sick(tasks: Sequence[Task], *rest: Any) -> Iterator[Any]:
        fault = next(faults, None)
        yield from real(tasks[:1] if fault else tasks, *rest)
        if fault:
            yield fault

    monkeypatch.setattr(pool, "_round", sick)
    assert grade() == 0  # each time one file is graded before the machine fails again
    assert "This has scored nobody" in capsys.readouterr().err
    assert [row["earned"] for row in rows().values()] == ["12", "12"]
    faults = iter([MachineFault(Message("cohort.process-ended", {"student": "ada", "exercise": "quiz"}))] * 9)
    monkeypatch.setattr(pool, "_round", lambda *_: iter([next(faults)]))
    hand_in(course, "bo", answer=WRONG)
    assert grade() == TRY_AGAIN
    assert "2 of 4 files are graded" in capsys.readouterr().err
    assert rows()["bo"]["earned"] == "12"  # what went out before stands


def task(name: str, *, on_gpu: bool = True) -> Task:
    return Task(name, "x", Path(name), "cuda", 1, {}, (), name, on_gpu)


def test_tasks_are_dealt_to_the_gpu_with_the_fewest_and_who_needs_none_never_waits() -> None:
    slots = Slots(2)
    dealt = [slots.take([task(str(n))]) for n in range(2 * MOST_ON_A_GPU)]
    assert [gpu for _, gpu in dealt if _] == [0, 1] * MOST_ON_A_GPU
    waiting = [task("a"), task("b", on_gpu=False)]
    assert slots.take(waiting) == (waiting[1], None)
    slots.give(waiting[1], None)
    assert slots.take(waiting[:1]) is None
    slots.give(task("1"), 1)
    assert slots.take(waiting[:1]) == (waiting[0], 1)
    assert Slots(0).take(waiting) == (waiting[1], None)


def test_gradescopes_image_holds_what_it_runs_and_grades(
    course: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (course / name).write_text("")
    assert main(["grade", "--gradescope-image", "image", "00", "01", "--visibility", "after_due_date"]) == 0
    with zipfile.ZipFile("image/autograder.zip") as archive:
        modes = {i.filename: i.external_attr >> 16 & 0o111 for i in archive.infolist()}
    assert modes["setup.sh"] and modes["run_autograder"] and "course/labs/00-first/lab.toml" in modes
    assert not [name for name in modes if "learners" in name or "tests" in name]
    script = Path("image/run_autograder").read_text(encoding="utf-8")
    assert "/autograder after_due_date quiz exam" in script
    capsys.readouterr()
    hand_in(course, "submission", where="autograder", answer=WRONG)
    about = {"created_at": "2026-11-22T20:00:00+00:00", "assignment": {"due_date": "2026-11-22T17:30:00+00:00"}}
    Path("autograder/submission_metadata.json").write_text(json.dumps(about))
    assert in_the_image(["autograder", "after_due_date", "quiz", "exam"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["score"] == 8 and "3 h late" in found["output"]
    assert {t["visibility"] for t in found["tests"]} == {"after_due_date", "hidden"}


def test_gradescopes_image_writes_no_result_where_its_container_lacks_something(
    course: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(course, "submission", where="autograder", answer=WRONG)
    lacks = Message.of("grading.machine-memory", free=7)
    monkeypatch.setattr(pool, "answer", lambda task, course: (pool.FAULT, lacks.to_json(), 0.0))
    with pytest.raises(MachineFault) as fault:
        in_the_image(["autograder", "after_due_date", "quiz", "exam"])
    assert fault.value.exit_code == TRY_AGAIN and fault.value.message == lacks
    assert capsys.readouterr().out == ""
