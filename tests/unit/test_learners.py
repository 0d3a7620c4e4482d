"""Learners' folders: names, files, scores, predictions. Nothing that was written is lost."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from onekernel import learners, messages
from onekernel.errors import UserError
from support.courses import make_course


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ONEKERNEL_LEARNER", raising=False)
    return make_course(tmp_path)


@pytest.fixture
def ana(root: Path) -> learners.Learner:
    return learners.start(root, "ana", {"quiz.py": (root / "kernels" / "quiz.py").read_text()})[0]


def record(earned: float, *, solved: bool = False) -> dict[str, object]:
    about = {"date": "2026-01-01", "device": "simulator", "version": "1"}
    return {"status": "partial", "solved": solved, "earned": earned, **about}


@pytest.mark.parametrize("name", ["ana", "Ana_2", "José", "x", "_", "a" * 40, "ana-maría", "山田"])
def test_a_name_of_letters_digits_and_dashes_is_taken(root: Path, name: str) -> None:
    assert learners.named(root, name).folder.parent == root / "learners"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../ana", "a/b", "/ana", "a\\b", "-ana", ".ana", "a b", "a\nb", "a" * 41, "ana\0", "a;b", "~"],
)
def test_a_name_with_anything_else_is_refused(root: Path, name: str) -> None:
    with pytest.raises(UserError):
        learners.start(root, name, {})
    assert not [p for p in (root / "learners").iterdir() if p.is_dir()]


def test_two_spellings_of_a_letter_are_one_learner(root: Path) -> None:
    assert learners.named(root, "Jose\u0301") == learners.named(root, "Jos\u00e9")


def test_start_makes_a_folder_once_and_touches_nothing_after(root: Path, ana: learners.Learner) -> None:
    ana.path("quiz.py").write_text("mine")
    ana.path("profile.md").write_text("me")
    starters = {f: (root / "kernels" / f).read_text() for f in ("quiz.py", "exam.py")}
    again, added = learners.start(root, "ana", starters)
    assert (again, added) == (ana, ["exam.py"])
    assert ana.path("quiz.py").read_text() == "mine"
    assert ana.path("profile.md").read_text() == "me"


@pytest.mark.parametrize(("language", "word"), [("en", "Who I am"), ("es", "Quién soy")])
def test_the_profile_speaks_the_learners_language(
    root: Path, language: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "_chosen", language)
    learner, _ = learners.start(root, "eva", {})
    profile = learner.path("profile.md").read_text(encoding="utf-8")
    assert profile.startswith("# eva\n")
    assert word in profile
    assert "model.cuda()" in profile


def test_the_learner_at_work_is_remembered_and_can_be_named(
    root: Path, ana: learners.Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    learners.start(root, "eva", {})
    assert learners.current(root).name == "eva"
    monkeypatch.setenv("ONEKERNEL_LEARNER", "ana")
    assert learners.current(root) == ana
    monkeypatch.setenv("ONEKERNEL_LEARNER", "../solutions")
    with pytest.raises(UserError):
        learners.current(root)


def test_nobody_and_an_unknown_learner_are_told_how_to_begin(root: Path) -> None:
    with pytest.raises(UserError, match="onekernel start"):
        learners.current(root)
    with pytest.raises(UserError, match="onekernel start eva"):
        learners.existing(root, "eva")


def test_the_best_score_is_kept_and_the_last_one_too(ana: learners.Learner) -> None:
    for earned in (3, 7, 5):
        ana.record("quiz", record(earned))
    scores = ana.scores()["quiz"]
    assert (scores["best"]["earned"], scores["last"]["earned"]) == (7, 5)
    ana.record("quiz", record(6.5, solved=True))  # done, though a prediction cost a little
    ana.record("quiz", record(7))
    assert ana.scores()["quiz"]["best"]["earned"] == 6.5
    assert ana.solved("quiz")
    assert not ana.solved("exam")


def test_of_two_equal_scores_the_one_of_todays_checks_is_kept(ana: learners.Learner) -> None:
    for checks, day in (({"quiz.1": 5}, "1"), ({"quiz.1": 5}, "2"), ({"quiz.1": 3, "quiz.2": 2}, "3")):
        ana.record("quiz", record(5) | {"checks": checks, "date": day})
        assert ana.scores()["quiz"]["best"]["date"] == ("3" if day == "3" else "1")


def test_a_prediction_is_committed_once(ana: learners.Learner) -> None:
    ana.commit_prediction("quiz", {"reads": "2"})
    with pytest.raises(UserError, match=ana.prediction_date("quiz")):
        ana.commit_prediction("quiz", {"reads": "3"})
    ana.commit_prediction("exam", {"reads": "4"})
    assert learners.read_predictions(ana.folder) == {"quiz": {"reads": "2"}, "exam": {"reads": "4"}}


def test_reset_keeps_every_version(root: Path, ana: learners.Learner) -> None:
    starter = (root / "kernels" / "quiz.py").read_text()
    kept = []
    for text in ("first", "second"):
        ana.path("quiz.py").write_text(text)
        kept.append(ana.reset("quiz.py", starter))
    assert [p.read_text() for p in kept if p] == ["first", "second"]
    assert ana.path("quiz.py").read_text() == starter
    ana.path("quiz.py").unlink()
    assert ana.reset("quiz.py", starter) is None
    assert ana.path("quiz.py").read_text() == starter


def test_reset_keeps_a_file_that_is_no_text(root: Path, ana: learners.Learner) -> None:
    ana.path("quiz.py").write_bytes(b"\xff\xfe\0")
    kept = ana.reset("quiz.py", (root / "kernels" / "quiz.py").read_text())
    assert kept is not None
    assert kept.read_bytes() == b"\xff\xfe\0"


def test_reset_moves_away_what_is_no_file(root: Path, ana: learners.Learner) -> None:
    mine = ana.path("quiz.py")
    for place in (mine.mkdir, lambda: mine.symlink_to("nowhere"), lambda: os.mkfifo(mine)):
        mine.unlink()
        place()
        kept = ana.reset("quiz.py", (root / "kernels" / "quiz.py").read_text())
        assert kept is not None and os.path.lexists(kept) and not kept.is_file()
        assert mine.read_bytes() == (root / "kernels" / "quiz.py").read_bytes()


def test_hints_read_are_never_fewer_than_none(ana: learners.Learner) -> None:
    (ana.folder / "hints.json").write_text('{"quiz": -4}')
    assert ana.hints_read("quiz") == 0


def test_a_report_goes_into_a_pipe_and_takes_the_place_of_no_device(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    ends = os.open(pipe, os.O_RDWR | os.O_NONBLOCK), *os.pipe()
    for named, read in ((pipe, ends[0]), (Path(f"/proc/self/fd/{ends[2]}"), ends[1])):
        learners.expect_to_write(named)
        learners.write_report(named, {"points": 1})
        assert json.loads(os.read(read, 99)) == {"points": 1}
    assert pipe.is_fifo() and os.listdir(tmp_path) == ["pipe"]
    for end in ends:
        os.close(end)


def test_a_report_does_not_follow_a_link(tmp_path: Path) -> None:
    (theirs := tmp_path / "theirs").write_text("kept")
    (named := tmp_path / "results.json").symlink_to(theirs)
    learners.write_report(named, {"points": 1})
    assert theirs.read_text() == "kept" and json.loads(named.read_text()) == {"points": 1}


def test_a_full_disk_leaves_the_old_scores(ana: learners.Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    ana.record("quiz", record(3))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left.*/scores\.json'"):
        ana.record("quiz", record(4))
    assert ana.scores()["quiz"]["best"]["earned"] == 3
    assert sorted(p.name for p in ana.folder.iterdir()) == ["profile.md", "quiz.py", "scores.json"]


DAMAGED = [
    "{", "[]", "\xff", "[" * 100_000, '{"exercises": 3}', '{"exercises": {"quiz": 5}}',
    '{"exercises": {"quiz": {"best": 5}}}', '{"exercises": {"quiz": {"best": {"solved": true}}}}',
    json.dumps({"exercises": {"quiz": {"best": record(1) | {"earned": "x"}}}}),
    json.dumps({"exercises": {"quiz": {"best": record(1) | {"status": "great"}}}}),
]  # fmt: skip


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_named_and_left_alone(ana: learners.Learner, text: str) -> None:
    path = ana.folder / "scores.json"
    path.write_text(text, encoding="latin-1")
    for action in (ana.scores, lambda: ana.record("quiz", record(1))):
        with pytest.raises(UserError, match=r"scores\.json"):
            action()
    assert path.read_text(encoding="latin-1") == text


@pytest.mark.parametrize("data", [{"quiz": 3}, {"quiz": {"answers": []}}, {"quiz": {"answers": {"reads": [1]}}}])
def test_predictions_of_a_strange_shape_are_text_or_nothing(ana: learners.Learner, data: object) -> None:
    (ana.folder / "predictions.json").write_text(json.dumps(data))
    for answers in learners.read_predictions(ana.folder).values():
        assert all(isinstance(v, str) for v in answers.values())


def test_a_pipe_or_a_giant_in_place_of_a_file_is_not_read(ana: learners.Learner) -> None:
    path = ana.folder / "predictions.json"
    os.mkfifo(path)
    assert learners.read_predictions(ana.folder) == {}
    path.unlink()
    path.write_bytes(b" " * (2 << 20))
    with pytest.raises(UserError, match="too large"):
        learners.read_predictions(ana.folder)


def test_half_a_character_that_was_typed_loses_no_file(ana: learners.Learner) -> None:
    ana.commit_prediction("quiz", {"bytes": "9\udcff MB"})  # a byte of a terminal that is no UTF-8
    assert ana.predictions("quiz") == {"bytes": "9? MB"}
