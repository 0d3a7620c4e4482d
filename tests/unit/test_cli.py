"""The command line as its users meet it: what it prints, what it writes, how it ends."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from audits.book import run as book
from onekernel import cli, comments, learners, messages
from onekernel.cli import common, parser, pool, scoreboard
from onekernel.cli.console import console
from onekernel.course import find_root
from onekernel.cuda import nvcc
from onekernel.errors import TRY_AGAIN, UserError
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, PARTIAL, PASSED, Result, Scorecard, Verdict
from onekernel.labs.reader import load
from support.course import COURSE
from support.courses import SOLUTION, make_course
from support.patience import HUNG_SECONDS

ROOT = find_root(Path(__file__).parent)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("ONEKERNEL_LEARNER", raising=False)
    monkeypatch.delenv("ONEKERNEL_LANG", raising=False)
    monkeypatch.setattr(messages, "_chosen", None)
    console.cache_clear()
    return make_course(tmp_path)


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(messages, "_chosen", None)
        code = cli.main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def ana(run: Run, root: Path) -> Path:
    assert run("start", "ana")[0] == 0
    return root / "learners" / "ana"


def solve(root: Path, slug: str) -> None:
    shutil.copy(root / "solutions" / f"{slug}.py", root / "learners" / "ana" / f"{slug}.py")


def test_a_learners_first_hour(run: Run, root: Path, ana: Path) -> None:
    code, out, _ = run("check")
    assert code == 1
    assert out.count("yours to solve") == 2
    assert "0 / 12" in out
    assert "onekernel check quiz" in out

    text = (ana / "quiz.py").read_text()
    (ana / "quiz.py").write_text(
        text.replace('FLOPS = ""', 'FLOPS = "16.8 MFLOP"').replace('BYTES = ""', 'BYTES = "1 s"')
    )
    code, out, _ = run("check", "00", "--seed", "7")
    assert code == 1
    assert "2 / 6" in out
    assert 'BYTES = "1 s" has the wrong unit' in out
    assert "docs/en/00-motivation.md#roofline" in out
    assert "onekernel check quiz --seed 7" in out

    solve(root, "quiz")
    code, out, _ = run("check", "quiz")
    assert (code, "6 / 6" in out) == (0, True)
    assert "Next: exam" in out
    code, out, _ = run("status")
    assert code == 0
    assert re.search(r"✓ quiz +passed +6 / 6", out)
    assert re.search(r"○ 01-second +0 of 1 solved +0 / 6", out) and "exam.py" in out
    code, out, _ = run("status", "1")
    assert code == 0 and re.search(r"○ exam +yours to solve +0 / 6", out) and "quiz" not in out
    solve(root, "exam")
    code, out, _ = run("check")
    assert (code, "12 / 12" in out) == (0, True)
    assert "nothing left" in out


def test_what_is_graded_is_said_before_the_next_is(run: Run, ana: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exercise may take a minute on a GPU: nobody waits for all of them to read the first."""
    graded = pool.grade

    def announced(submission: Submission) -> Result:
        print(f"now {submission.exercise.slug}", flush=True)
        return graded(submission)

    monkeypatch.setattr(pool, "grade", announced)
    out = run("check")[1]
    order = [out.index(text) for text in ("now quiz", "○ quiz", "now exam", "○ exam", "0 / 12")]
    assert order == sorted(order)


def test_nobody_is_congratulated_while_an_exercise_is_only_in_part(run: Run, root: Path, ana: Path) -> None:
    """One whose prediction was off is not open any more, and not passed either."""
    solve(root, "exam")
    run("check", "exam")
    missed = {"status": PARTIAL, "solved": True, "earned": 5, "date": "2026-11-22", "device": "cpu", "version": "1"}
    learners.Learner(root, "ana").record("quiz", missed)
    for words in (("check", "exam"), ("status",)):
        out = run(*words)[1]
        assert "Passed in part: quiz." in out and "Congratulations" not in out and "is passed" not in out


def test_the_exercise_just_checked_comes_next_while_it_is_not_done(run: Run, root: Path, ana: Path) -> None:
    assert "Next: exam" in run("check", "exam")[1]
    solve(root, "exam")
    assert "Next: quiz" in run("check", "exam")[1]


def test_a_learner_who_begins_in_a_later_lab_goes_on_from_there(root: Path) -> None:
    """What comes next is of their lab or a later one, then what they have left out; a small one of what lies ahead."""
    ana = learners.Learner(root, "ana")
    ana.folder.mkdir(parents=True, exist_ok=True)
    done = {"status": PASSED, "solved": True, "earned": 1, "date": "2026-11-22", "device": "cpu", "version": "1"}
    ana.record("softmax_triton", done)
    assert common.lab_of(COURSE, ana) == "03-triton"
    following = common.next_of(COURSE, ana)
    assert following is not None and following.lab == "04-pytorch"
    small = next(e for e in common.open_ones(COURSE, ana, "04-pytorch") if e.home)
    assert small.before == "04-pytorch"
    for exercise in COURSE.exercises.values():
        if exercise.lab >= "03" and not exercise.home:
            ana.record(exercise.slug, done)
    left = common.next_of(COURSE, ana)
    assert left is not None and left.slug == next(iter(COURSE.exercises))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("softmax-triton", "softmax_triton"),
        ("gemm_tilde", "gemm_tiled"),
        ("Softmax Naive", "softmax_naive"),
        ("torch_mingpt", "torch_minigpt"),
        ("vecter_add", "vector_add"),
        ("03-triton-and-pytorch", "03-triton"),
        ("softmax", "softmax_naive, softmax_block"),
    ],
)
def test_a_slip_in_a_name_is_answered_with_the_exercise_that_it_nearly_is(name: str, meant: str) -> None:
    with pytest.raises(UserError, match=f"Did you mean {meant}"):
        common.select(COURSE, [name])


@pytest.mark.parametrize("name", ["3", "03", "003", "03-triton"])
def test_a_lab_is_known_by_its_number(name: str) -> None:
    assert {e.lab for e in common.select(COURSE, [name])} == {"03-triton"}


def test_how_to_repeat_a_check_is_said_once(run: Run, ana: Path) -> None:
    (ana / "quiz.py").write_text('FLOPS = "1 s"\nBYTES = "1 s"\nBINDS = "none"\n')
    out = run("check", "quiz", "--seed", "7")[1]
    assert out.count("✗ quiz: ") == 2 and out.count("onekernel check quiz --seed 7") == 1


def test_the_same_hour_in_spanish(run: Run, ana: Path) -> None:
    code, out, _ = run("--lang", "es", "check", "quiz")
    assert code == 1
    assert "por resolver" in out
    assert "yours to solve" not in out
    assert "labs/00-first/README.es.md" in out
    (ana / "quiz.py").write_text('FLOPS = "1 s"\n')
    _, out, _ = run("check", "quiz", "--lang=es")
    assert "docs/es/00-motivation.md#roofline" in out
    assert "repite:" in out


def test_solutions_get_full_points_and_nobodys_scores_change(run: Run, root: Path) -> None:
    code, out, _ = run("check", "--solutions")
    assert (code, "12 / 12" in out) == (0, True)
    assert list((root / "learners").iterdir()) == []


def test_who_looks_at_the_worked_example_changes_nothing_in_it(run: Run, root: Path, ana: Path) -> None:
    borja = shutil.copytree(ana, root / "learners" / "borja")
    (borja / "profile.md").write_text("<!-- evidence -->\n<!-- /evidence -->\n")
    before = {path: path.read_bytes() for path in borja.iterdir()}
    code, out, _ = run("check", "--learner", "borja", "quiz")
    assert code == 1 and "the scores in learners/borja stay as they are" in out
    assert {path: path.read_bytes() for path in borja.iterdir()} == before
    shutil.copy(root / "solutions" / "quiz.py", ana / "quiz.py")
    shutil.copy(root / "solutions" / "quiz.py", borja / "quiz.py")
    assert run("check", "--learner", "borja", "quiz")[0] == 0
    assert not (borja / "scores.json").exists()  # and anybody else's are kept:
    assert run("check", "--learner", "ana", "quiz")[0] == 0
    assert (ana / "scores.json").is_file()


def test_scores_say_when_with_what_and_keep_the_best(run: Run, root: Path, ana: Path) -> None:
    solve(root, "quiz")
    run("check", "quiz", "--seed", "5")
    (ana / "quiz.py").write_text('FLOPS = "1 s"\n')
    assert run("check", "quiz")[0] == 1
    scores = json.loads((ana / "scores.json").read_text())["exercises"]["quiz"]
    assert (scores["best"]["earned"], scores["last"]["earned"]) == (6, 0)
    assert scores["best"] | {"date": ""} == {
        "status": "passed", "solved": True, "earned": 6, "assessed": 6, "points": 6,
        "checks": {"quiz.1-answers": 4, "quiz.2-answers": 2},
        "device": "-", "seed": 5, "version": scores["best"]["version"], "date": "",
    }  # fmt: skip
    assert re.match(r"\d{4}-\d\d-\d\dT", scores["best"]["date"])


def test_the_profile_carries_the_evidence_and_nothing_else_of_it_changes(run: Run, root: Path, ana: Path) -> None:
    profile = ana / "profile.md"
    profile.write_text(profile.read_text().replace("# ana", "# Ana, who knows C"))
    before = profile.read_text()
    solve(root, "quiz")
    run("check", "quiz")
    (row,) = [line for line in profile.read_text().splitlines() if line.startswith("| quiz")]
    assert row.split("|")[2].strip() == "6 / 6"
    head, _, tail = profile.read_text().partition("<!-- evidence -->")
    assert head == before.partition("<!-- evidence -->")[0]
    assert tail.endswith("<!-- /evidence -->\n")
    for own in ("no markers", "<!-- evidence --> unclosed", "\udcff"):
        profile.write_text(own, errors="surrogateescape")
        kept = profile.read_bytes()
        assert run("check", "quiz")[0] == 0
        assert profile.read_bytes() == kept


def test_json_holds_the_whole_scorecard(run: Run, ana: Path, tmp_path: Path) -> None:
    target = tmp_path / "card.json"
    run("check", "--json", str(target), "--seed", "9")
    card = json.loads(target.read_text())
    assert (card["learner"], card["seed"], card["earned"], card["points"]) == ("ana", 9, 0, 12)
    assert [r["status"] for r in card["results"]] == ["untouched", "untouched"]


def test_what_was_graded_before_ctrl_c_is_in_the_json(
    run: Run, ana: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(submissions: Sequence[Submission], meanwhile: Callable[[], object], **_: object) -> Iterator[Result]:
        meanwhile()
        yield grade(submissions[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(pool, "graded", stopped)
    target = tmp_path / "card.json"
    assert run("check", "--json", str(target))[0] == 130
    assert len(json.loads(target.read_text())["results"]) == 1


WRONG_ROOF = SOLUTION.replace('"memory"', '"compute"')
WRONG_WORK = SOLUTION.replace("16.8", "33.6")


def test_first_stops_at_the_first_check_that_fails(run: Run, root: Path, ana: Path, tmp_path: Path) -> None:
    (ana / "quiz.py").write_text(WRONG_WORK)
    solve(root, "exam")
    for lang, said in (
        ("en", "Stopped at the first check that fails. Not graded: 1 check of quiz, 1 exercise. The recorded score of"),
        ("es", "Parado en la primera comprobación que falla. Sin evaluar: 1 comprobación de quiz, 1 ejercicio. La"),
    ):
        code, out, _ = run("check", "--first", "--lang", lang, "--json", str(tmp_path / "card.json"))
        assert (code, "exam" in out, said in " ".join(out.split())) == (1, False, True)
    card = json.loads((tmp_path / "card.json").read_text())
    (quiz,) = card["results"]
    assert [v["check"] for v in quiz["verdicts"]] == ["quiz.1-answers"]
    assert card["not_graded"] == ["quiz.2-answers", "exam.1-answers", "exam.2-answers"]


def test_first_goes_on_past_what_passes_and_what_is_still_to_be_written(run: Run, root: Path, ana: Path) -> None:
    solve(root, "exam")
    code, out, _ = run("check", "--first")
    assert code == 1 and "○ quiz" in out and "✓ exam" in out and "Stopped" not in out
    solve(root, "quiz")
    plain, first = (re.sub(r"seed \d+", "", run("check", *words)[1]) for words in ((), ("--first",)))
    assert plain == first
    assert run("check", "--first", "--solutions")[0] == 0


def test_what_first_left_half_graded_changes_no_score(run: Run, root: Path, ana: Path) -> None:
    (ana / "quiz.py").write_text(WRONG_WORK)
    run("check", "quiz", "--first")
    assert learners.Learner(root, "ana").scores() == {}  # 2 of 4 would be no score: 2 more were there to be had
    run("check", "quiz")
    whole = learners.Learner(root, "ana").scores()
    assert whole["quiz"]["last"]["checks"] == {"quiz.1-answers": 2, "quiz.2-answers": 2}
    run("check", "quiz", "--first")
    assert learners.Learner(root, "ana").scores() == whole
    (ana / "quiz.py").write_text(WRONG_ROOF)  # its last check fails: all of it is graded
    out = run("check", "quiz", "--first")[1]
    last = learners.Learner(root, "ana").scores()["quiz"]["last"]
    assert "Stopped" not in out and last["checks"] == {"quiz.1-answers": 4, "quiz.2-answers": 0}


def test_first_of_solutions_speaks_of_no_score(run: Run, root: Path) -> None:
    (root / "solutions" / "quiz.py").write_text(WRONG_WORK)
    code, out, _ = run("check", "--solutions", "--first")
    assert code == 1 and "Not graded: 1 check of quiz, 1 exercise." in out and "score" not in out


def test_watch_stops_each_time_at_the_first_check_that_fails(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ana / "quiz.py").write_text(WRONG_WORK)
    naps = iter(["save", "stop"])

    def nap(_: float) -> None:
        if next(naps) == "stop":
            raise KeyboardInterrupt
        solve(root, "quiz")

    monkeypatch.setattr("onekernel.cli.check.sleep", nap)
    first, second = run("check", "quiz", "--watch", "--first")[1].split("Waiting")[:2]
    assert "Not graded: 1 check of quiz." in first and "Roof" not in first
    assert "6 / 6" in second and "Stopped" not in second


def test_hints_come_one_at_a_time(run: Run, ana: Path) -> None:
    assert "no hint" in run("hint", "quiz", "--again")[2]
    first, second, over = (run("hint", "quiz")[1] for _ in range(3))
    assert "hint 1 of 2" in first and "nudge" in first and "the_code" not in first
    assert "    the_code();" in second and "nudge" not in second
    assert "every hint" in over
    again = run("hint", "quiz", "--again")[1]
    assert "nudge" in again and "the_code" in again
    assert "hints read: 2" in run("status")[1]
    assert "Un empujón" in run("--lang", "es", "hint", "quiz", "--again")[1]


def test_diff_reset_and_what_was_kept(run: Run, root: Path, ana: Path) -> None:
    assert "still the starter" in run("diff", "quiz")[1]
    assert "still the starter" in run("reset", "quiz")[1] and not (ana / "kept").exists()
    solve(root, "quiz")
    assert '+FLOPS = "16.8 MFLOP"' in run("diff", "quiz")[1].splitlines()
    assert run("reset", "quiz")[0] == 0
    assert (ana / "quiz.py").read_bytes() == (root / "kernels" / "quiz.py").read_bytes()
    (kept,) = (ana / "kept").iterdir()
    assert kept.read_bytes() == (root / "solutions" / "quiz.py").read_bytes()


def test_a_spanish_learner_gets_spanish_starters(run: Run, root: Path) -> None:
    english = (root / "kernels" / "quiz.py").read_text()
    (line, *_) = comments.told(english, ".py")
    (root / "solutions" / "starters.es.txt").write_text(f"{line}\n    ¿Cuánto?\n")
    assert run("start", "eva", "--lang", "es")[0] == 0
    mine = root / "learners" / "eva" / "quiz.py"
    assert mine.read_text() == english.replace(line, "¿Cuánto?") != english
    assert "por resolver" in run("check", "quiz", "--lang", "es")[1]
    mine.write_text(mine.read_text() + "\nX = 1\n")
    said = run("diff", "quiz")[1].splitlines()[2:]
    assert [line for line in said if line[:1] in ("+", "-")] == ["+", "+X = 1"]  # not the English one
    run("reset", "quiz", "--lang", "es")
    assert mine.read_text() == english.replace(line, "¿Cuánto?")


def test_the_solution_waits_until_it_is_earned(run: Run, root: Path, ana: Path) -> None:
    code, out, err = run("solution", "quiz")
    assert (code, out) == (2, "")
    assert "labs/00-first/README.md" in err
    assert '"16.8 MFLOP"' in run("solution", "quiz", "--spoil")[1]
    solve(root, "quiz")
    run("check", "quiz")
    code, out, _ = run("solution", "quiz")
    assert code == 0
    assert "gap" not in out and "#|" not in out
    (told, *_) = comments.told(out, ".py")
    (root / "solutions" / "starters.es.txt").write_text(f"{told}\n    ¿Cuánto?\n")
    assert run("solution", "quiz", "--lang", "es")[1] == out.replace(told, "¿Cuánto?")


def with_prediction(root: Path) -> None:
    lab = root / "labs" / "00-first" / "lab.toml"
    lab.write_text(
        lab.read_text().split("[[exercise.check]]")[0]
        + """
operator = "vector_add"

[[exercise.check]]
kind = "prediction"
points = 4
title = { en = "Traffic", es = "Tráfico" }
chapter = "00-motivation#roofline"
sizes = { n = 100 }
questions = [{ id = "reads", quantity = "reads_per_element" }, { id = "bytes", quantity = "bytes_requested" }]
"""
    )


def test_a_prediction_is_whole_in_its_unit_and_stays(run: Run, root: Path, ana: Path) -> None:
    assert "no prediction" in run("predict", "quiz")[2]
    with_prediction(root)
    for words, said in (
        (["--set", "reads=2"], "bytes"),
        (["--set", "reads=2 B", "--set", "bytes=1 kB"], "a bare number"),
        (["--set", "reads=many", "--set", "bytes=1 kB"], "not a number"),
        (["--set", "reads=2", "--set", "bytes=1 pound"], "pound"),
        (["--set", "loads=2"], "reads, bytes"),
        (["--set", "reads"], "ID=VALUE"),
    ):
        code, _, err = run("predict", "quiz", *words)
        assert (code, said in err) == (2, True), err
    assert not (ana / "predictions.json").exists()
    assert run("predict", "quiz", "--set", "reads=2", "--set", "bytes=1.2 kB")[0] == 0
    code, _, err = run("predict", "quiz", "--set", "reads=3")
    assert (code, "cannot be changed" in err) == (2, True)
    code, out, _ = run("predict", "quiz")
    assert (code, "reads: 2" in out) == (0, True)
    assert json.loads((ana / "predictions.json").read_text())["quiz"]["answers"] == {"reads": "2", "bytes": "1.2 kB"}


def test_a_prediction_is_asked_for_until_it_can_be_read(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_prediction(root)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["lots", "2", "3 s", "1200 B"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    code, out, _ = run("predict", "quiz")
    assert code == 0
    assert out.count("reads: ") == 3  # asked twice, then shown
    assert learners.read_predictions(ana)["quiz"] == {"reads": "2", "bytes": "1200 B"}


def test_a_bare_number_is_in_the_unit_that_is_asked_for(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_prediction(root)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["", "two", "2", "", "1200"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    code, out, _ = run("predict", "quiz")
    assert code == 0 and out.count("no answer was typed") == 2
    assert "'two' is not a number; it is wanted without a unit" in out and "GFLOP" not in out
    assert learners.read_predictions(ana)["quiz"] == {"reads": "2", "bytes": "1200 B"}


def test_whoever_stops_before_the_last_answer_is_told_that_nothing_is_committed(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_prediction(root)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["2"])

    def typed(_: str) -> str:
        if (text := next(answers, None)) is None:
            raise KeyboardInterrupt
        return text

    monkeypatch.setattr("builtins.input", typed)
    code, _, err = run("predict", "quiz")
    assert code == 130 and "nothing is committed" in err and "is kept" not in err
    assert "quiz" not in learners.read_predictions(ana)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "onekernel check"),
        (["zzzz"], "'zzzz'"),
        (["check", "quis"], "quiz"),
        (["check", "zzzz"], "00-first"),
        (["hint"], "onekernel hint --help"),
        (["check", "zzzz"], "onekernel status"),
        (["hint", "somewhere/none.cu"], "somewhere/none.cu"),
        (["check", "--sede", "3"], "--sede"),
        (["check", "--sede", "3"], "onekernel check --help"),
        (["check", "--seed", "three"], "whole number"),
        (["check", "--seed", "-3"], "whole number"),
        (["check", "--seed", "-3"], "0"),
        (["check", "--seed"], "--seed"),
        (["explain", "x.py", "--seconds", "0"], "--seconds"),
        (["grade", "handed", "--due", "yesterday"], "2026-03-01T18:00"),
        (["grade"], "onekernel grade --help"),
        (["check", "--json", "/nowhere/at/all.json"], "/nowhere/at"),
        (["check", "--device", "tpu"], "simulator"),
        (["check", "--solutions", "--learner", "ana"], "--learner"),
        (["check", "--learner", "eva"], "onekernel start eva"),
        (["check", "--learner", "../ana"], "letters"),
        (["start", "a/b"], "letters"),
        (["start"], "onekernel start --help"),
        (["author"], "PART"),
        (["--lang", "fr", "status"], "en"),
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_what_cannot_be_carried_out_is_said_in_a_sentence(
    run: Run, ana: Path, words: list[str], said: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONEKERNEL_LANG", language)
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert 1 <= len(err.strip().splitlines()) <= 2
    assert "Traceback" not in err
    if language == "en" or said not in ("letters", "whole number"):
        assert said in err


def test_a_missing_folder_is_all_that_is_named(run: Run) -> None:
    _, _, err = run("grade")
    assert "LAB" not in err


def test_a_number_that_must_be_positive_is_asked_for_as_one(run: Run) -> None:
    for words in (["explain", "x.py", "--seconds", "0"], ["gpt", "--temperature", "-1"]):
        assert "whole number" not in run(*words)[2]


def test_a_path_to_another_file_than_the_graded_one_is_refused(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    code, out, err = run("check", "kernels/quiz.py")
    assert (code, out) == (2, "")
    assert "learners/ana/quiz.py" in err and "kernels/quiz.py" in err
    (root / "quiz").write_text("")
    for mine in ("learners/ana/quiz.py", "quiz"):  # a file that happens to have an exercise's name is no path to one
        code, out, err = run("check", mine)
        assert "quiz" in out and not err


def test_no_command_at_all_shows_what_there_is(run: Run) -> None:
    code, out, err = run()
    assert (code, err, "check" in out) == (2, "", True)


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_folder_in_place_of_a_file_is_named_and_moved(
    run: Run, ana: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONEKERNEL_LANG", language)
    (ana / "quiz.py").unlink()
    (ana / "quiz.py").mkdir()
    code, _, err = run("diff", "quiz")
    assert (code, "onekernel reset quiz" in err) == (2, True)
    assert run("reset", "quiz")[0] == 0
    assert (ana / "quiz.py").is_file()


def test_scores_that_cannot_be_written_hide_no_verdict(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    solve(root, "quiz")
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    code, out, err = run("check", "quiz", "--lang", "es")
    assert (code, "6 / 6" in out) == (2, True)
    assert "scores.json: su sistema de ficheros es de solo lectura" in err


def test_damaged_scores_are_told_before_the_work(run: Run, ana: Path) -> None:
    (ana / "scores.json").write_text('{"exercises": {"quiz": {"best": {"solved": true}}}}')
    for command in ("status", "check"):
        code, out, err = run(command)
        assert (code, out) == (2, "")
        assert "scores.json is damaged" in err


def test_nobody_has_started(run: Run) -> None:
    for command in (["check"], ["status"], ["hint", "quiz"], ["predict", "quiz"]):
        code, _, err = run(*command)
        assert (code, "onekernel start" in err) == (2, True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "UTF-8"),
        (b"# " + b"x" * (1 << 20), "1 MB"),
        (b"FLOPS = (", "line 1"),
        (None, "learners/ana/quiz.py is not there"),
    ],
)
def test_a_file_that_cannot_be_graded_is_told_once(run: Run, ana: Path, content: bytes | None, said: str) -> None:
    if content is None:
        (ana / "quiz.py").unlink()
    else:
        (ana / "quiz.py").write_bytes(content)
    code, out, err = run("check", "quiz")
    flat = " ".join(out.split())
    assert (code, err) == (1, "")
    assert said in flat
    assert "Traceback" not in out and str(ana.parent) not in out


def test_a_full_disk_is_one_sentence(run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve(root, "quiz")
    before = run("check", "quiz")
    usage = shutil.disk_usage(root)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    code, _, err = run("check", "quiz")
    assert before[0] == 0
    assert code == TRY_AGAIN
    assert "64 MB free" in err and len(err.strip().splitlines()) == 1
    assert learners.Learner(root, "ana").solved("quiz")


def test_a_disk_that_fills_while_scores_are_written(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    solve(root, "quiz")
    monkeypatch.setattr(os, "fsync", full)
    code, _, err = run("check", "quiz")
    assert (code, f"disk is full ({ana / 'scores.json'})" in err) == (TRY_AGAIN, True)
    assert not (ana / "scores.json").exists()


def test_a_folder_that_cannot_be_written_is_named(run: Run, root: Path) -> None:
    (root / "learners").rmdir()
    (root / "learners").write_text("a file")
    code, _, err = run("start", "eva")
    assert (code, "learners" in err, "Traceback" in err) == (2, True, False)


def test_another_system_is_refused_in_a_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for platform in ("darwin", "win32"):
        monkeypatch.setattr(sys, "platform", platform)
        code, out, err = run("status")
        assert (code, out) == (2, "")
        assert "WSL2" in err and platform in err


SPIN = """
operator = "vector_add"

[[exercise.check]]
kind = "correct"
points = 1
title = { en = "Ends", es = "Termina" }
chapter = "00-motivation#roofline"
groups = ["tails"]
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda s: s.name)
@pytest.mark.slow
def test_an_interrupted_check_says_so_loses_nothing_and_leaves_nobody(
    root: Path, ana: Path, tmp_path: Path, ending: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission that never ends is interrupted: by Ctrl-C, by a time limit, by a terminal that is closed."""
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    solve(root, "quiz")
    lab = root / "labs" / "01-second" / "lab.toml"
    text = lab.read_text().split("[[exercise.check]]")[0].replace("exam.py", "spin.cu")
    lab.write_text(text + SPIN)
    source = """
    #include <cuda_runtime.h>
    #include <stdint.h>
    #include <unistd.h>
    extern "C" cudaError_t spin(const float*, const float*, float*, int64_t, cudaStream_t) { for (;;) usleep(1000); }
    """
    (root / "solutions" / "spin.cu").write_text(source)
    (ana / "spin.cu").write_text(source + "\n")
    # A shell that starts tests in the background has them ignore Ctrl-C, and children inherit that: undone here.
    code = "import signal, sys; [signal.signal(s, signal.SIG_DFL) for s in (1, 15)]; "
    code += "signal.signal(2, signal.default_int_handler); from onekernel.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + HUNG_SECONDS
    while not (ana / "scores.json").exists() or not _children(process.pid):
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(1.0)
    mine = _children(process.pid)
    process.send_signal(ending)
    _, err = process.communicate(timeout=HUNG_SECONDS)
    assert process.returncode == 130
    assert err.strip().splitlines() == [messages.say("cli.interrupted")]
    assert learners.Learner(root, "ana").solved("quiz")
    assert not [pid for pid in mine if Path(f"/proc/{pid}").exists()]
    assert not list(scratch.iterdir())


def _children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def test_watch_grades_again_when_a_file_is_saved(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps = iter(["save", "stop"])

    def nap(_: float) -> None:
        if next(naps) == "stop":
            raise KeyboardInterrupt
        solve(root, "quiz")

    monkeypatch.setattr("onekernel.cli.check.sleep", nap)
    code, out, _ = run("check", "quiz", "--watch")
    assert code == 130
    assert [s in out for s in ("yours to solve", "6 / 6", "Waiting")] == [True] * 3
    assert out.index("yours to solve") < out.index("6 / 6")


def test_watch_moves_on_to_the_next_exercise_and_back_to_what_is_saved(
    run: Run, root: Path, ana: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps = iter(["quiz", "exam", "quiz again", "stop"])

    def nap(_: float) -> None:
        match next(naps):
            case "stop":
                raise KeyboardInterrupt
            case "quiz again":
                (ana / "quiz.py").write_text('FLOPS = "1 s"\n')
            case slug:
                solve(root, slug)

    monkeypatch.setattr("onekernel.cli.check.sleep", nap)
    _, out, _ = run("check", "--watch")
    first, moved, done, again = out.split("Waiting")[:4]
    assert "quiz" in first and "exam" not in first
    assert "6 / 6" in moved and "Next: exam" in moved
    assert "exam" in done and "6 / 6" in done and "Every exercise" in done
    assert "FLOPS" in again


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_scoreboard_fits_the_terminal(run: Run, ana: Path, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    console.cache_clear()
    (ana / "quiz.py").write_text('FLOPS = "1 s"\n')
    for language in ("en", "es"):
        _, out, _ = run("check", "--lang", language)
        board = [line for line in out.splitlines() if re.search(r"[✓✗○◐] ", line)]
        assert board
        assert max(map(len, board)) <= min(columns, 100)
        assert any("quiz" in line for line in board)


def test_help_is_whole_in_each_language(run: Run) -> None:
    for language in ("en", "es"):
        messages.set_language(language)
        _, found = parser.build()
        for name, part in found.items():
            text = part.format_help()
            assert messages.say(f"cli.cmd-{name.replace(' ', '-')}").split()[0] in text
    _, out, _ = run("--lang", "es", "--help")
    assert "uso:" in out and "usage" not in out and "options" not in out


def test_author_starters_and_stamp(run: Run, root: Path) -> None:
    assert run("author", "starters", "--check")[0] == 0
    (root / "kernels" / "quiz.py").write_text("edited")
    code, out, _ = run("author", "starters", "--check")
    assert (code, "kernels/quiz.py" in out) == (1, True)
    assert run("author", "starters")[0] == 0
    assert run("author", "starters", "--check")[0] == 0

    assert run("author", "stamp", "--check")[0] == 1
    assert run("author", "stamp")[0] == 0
    page = root / "docs" / "es" / "00-motivation.md"
    assert page.read_text().splitlines()[1:] == ['<a id="roofline"></a>', "# Roofline"]
    assert run("author", "stamp", "--check")[0] == 0
    (root / "docs" / "en" / "00-motivation.md").write_text("# New\n")
    code, out, _ = run("author", "stamp", "--check")
    assert (code, "docs/es/00-motivation.md" in out) == (1, True)
    page.with_name("99-alone.md").write_text("# Solo\n")
    code, _, err = run("author", "stamp")
    assert (code, "docs/en/99-alone.md" in err) == (2, True)


def test_author_new_writes_and_verify_says_all_that_is_missing(run: Run, root: Path) -> None:
    code, out, _ = run("author", "new", "practice", "mine")
    assert (code, "labs/practice/mine/answer.cu" in out) == (0, True)
    code, out, _ = run("author", "verify", "mine")
    told = " ".join(out.split())
    assert code == 1 and "exercise.toml:4: still to be filled in" in told
    assert "every folder of labs/ has a lab.toml" in told  # the course cannot be read: what can be said is said
    code, out, _ = run("--lang", "es", "author", "verify", "mine")
    assert "falta por rellenar: el título" in " ".join(out.split())
    assert run("author", "verify", "quiz")[0] == 1  # another one is not spared the same sentence
    assert run("author", "verify", "nobody")[0] == 2
    assert run("author", "new", "practice", "Mine")[0] == 2


GUIDES = [ROOT / "docs" / language / page for language in ("en", "es") for page in ("learner.md", "instructor.md")]


@pytest.mark.skipif(
    not all(p.is_file() for p in GUIDES), reason="docs/*/learner.md and instructor.md are not written yet"
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_every_command_and_option_is_documented(language: str) -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in GUIDES if p.parent.name == language)
    _, found = parser.build()
    missing = [name for name in found if name != "author" and f"onekernel {name}" not in text]
    for name, part in found.items():
        options = {o for action in part._actions for o in action.option_strings if o.startswith("--")} - {"--help"}
        missing += [f"{name} {o}" for o in sorted(options) if o not in text]
    plugin = (ROOT / "src" / "onekernel" / "pytest_plugin.py").read_text(encoding="utf-8")
    missing += [f"pytest {o}" for o in re.findall(r'"(--[a-z-]+)"', plugin) if o not in text]
    assert not missing


def test_tools_refuse_what_has_no_kernel_or_no_bench(run: Run, ana: Path) -> None:
    for words, said in (
        (["compile", "quiz"], "has none"),
        (["profile", "quiz"], "no kernel"),
        (["bench", "quiz"], "no bench"),
        (["profile", "F.softmax", "--shape", "4,x"], "8192,4096"),
        (["profile", "F.softmax", "--shape", "0,4"], "8192,4096"),
    ):
        code, out, err = run(*words)
        assert (code, out, said in err) == (2, "", True), (words, err)


@pytest.mark.slow
@pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here")
@pytest.mark.parametrize("lang", ["en", "es"])
def test_compile_reads_a_cuda_file_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lang: str, tmp_path: Path
) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    monkeypatch.setattr(messages, "_chosen", None)
    words = ["compile", "vector_add", "--solutions", "--arch", "sm_90", "--out", str(tmp_path), "--lang", lang]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    source = (ROOT / "solutions" / "vector_add.cu").read_text().splitlines()
    line = next(n for n, text in enumerate(source, 1) if text.strip().startswith("out[i] ="))
    load = {"en": f"line {line}: ", "es": f"línea {line}: "}[lang]
    assert load in said and "vector_add_kernel" in said and "1024: 100 %" in said
    assert {p.suffix for p in tmp_path.iterdir()} == {".ptx", ".sass"}
    assert cli.main(["compile", "vector_add", "--solutions", "--kernel", "nobody"]) == 2


def test_compile_takes_one_size_for_a_tensor_of_one_dimension(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[int, int]] = []

    def compile_source(path: Path, archs: list[str], *, rows: int, cols: int, dtype: str) -> str:
        seen.append((rows, cols))
        return ""

    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    monkeypatch.setattr("onekernel.triton.inspect.compile_source", compile_source)
    for shape in ("1001", "5,1001"):
        assert cli.main(["compile", "gelu_triton", "--solutions", "--arch", "sm_80", "--shape", shape]) == 0
    assert seen == [(1, 1001), (5, 1001)]
    assert cli.main(["compile", "gelu_triton", "--solutions", "--arch", "sm_80", "--shape", "2,5,1001"]) == 2
    assert "2,5,1001" in capsys.readouterr().err


def test_compile_without_nvcc_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    monkeypatch.setattr("onekernel.cuda.ahead.find", lambda: None)
    for lang in ("en", "es"):
        monkeypatch.setattr(messages, "_chosen", None)
        assert cli.main(["compile", "vector_add", "--solutions", "--lang", lang]) == 2
        assert "pip install" in capsys.readouterr().err


def test_bench_says_what_it_would_measure(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    monkeypatch.setenv("ONEKERNEL_LANG", "en")
    monkeypatch.setattr(messages, "_chosen", None)
    assert cli.main(["bench", "softmax_naive", "--dry-run"]) == 0
    assert "softmax_naive (exercise)" in capfd.readouterr().out


@pytest.mark.slow
def test_tables_of_the_course_are_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    assert book.main(["tables", "--check"]) == 0


@pytest.mark.parametrize("lang", ["en", "es"])
def test_speed_without_a_gpu_shows_what_it_needs_and_its_points_never_zero_of_zero(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setattr(messages, "_chosen", lang)
    console.cache_clear()
    real = load(ROOT)
    tuned = real.exercises["softmax_tuned"]
    verdicts = [
        Verdict(c, NOT_ASSESSED, note=messages.Message("grading.needs-gpu"))
        if c.kind.name == "speed"
        else Verdict(c, PASSED, c.points)
        for c in tuned.checks
    ]
    result = Result(tuned, tuple(verdicts), "simulator", 1)
    scoreboard.show_one(result, real, None, alone=True)
    scoreboard.show_rest(Scorecard((result,)), real, "onekernel check")
    out = capsys.readouterr().out
    speed = next(c for c in tuned.checks if c.kind.name == "speed")
    (row,) = [line for line in out.splitlines() if line.endswith(f"– / {speed.points}")]
    assert messages.say("grading.needs-gpu") in row
    assert "0 / 0" not in out


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_a_command_without_memory_says_so(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(words: Sequence[str]) -> None:
        raise error

    monkeypatch.setattr(parser, "parse", command)
    assert cli.main(["doctor"]) == TRY_AGAIN
    assert capsys.readouterr().err.strip() == messages.say("cli.no-memory")


def test_names_of_labs_may_stand_before_and_behind_options() -> None:
    top, _ = parser.build()
    for words in ("grade handed 00 01 --jobs 2", "grade handed --jobs 2 00 01", "grade handed 00 --jobs 2 01"):
        args = top.parse_args(words.split())
        assert (args.folder, args.target, args.jobs) == ("handed", ["00", "01"], 2)
    with pytest.raises(SystemExit):
        top.parse_args(["grade", "handed", "--jobz", "00"])


@pytest.mark.parametrize(("name", "meant"), [
    ("softmax", "softmax_naive, softmax_block, softmax_tuned, softmax_triton, softmax_mul or softmax_mul_triton"),
    ("vectoradd", "vector_add"),
])  # fmt: skip
def test_the_beginning_of_a_name_is_answered_with_all_that_it_begins(name: str, meant: str) -> None:
    with pytest.raises(UserError) as refused:
        common.select(COURSE, [name])
    assert refused.value.message.text("en").endswith(f"Did you mean {meant}?")
