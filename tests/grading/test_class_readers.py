"""What reads a class's files in the grader's own process, given files changed at random: each is read, soon, and none
stops the class. `audits/fuzz` gives the same to the readers of a submission."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path

import pytest

from audits.fuzz.run import SECONDS, Kind, tried
from onekernel import learners
from onekernel.cohort import journal, layouts, matching, outputs, similarity
from onekernel.cohort.submissions import Student, lateness
from onekernel.report import gradebook
from onekernel.report.html import esc
from support.course import COURSE

FILES = int(os.environ.get("ONEKERNEL_FUZZED", "40"))  # of each kind
DUE = datetime.datetime.fromisoformat("2026-11-22T18:00:00+00:00")
METADATA = b"""submission_1:
  :submitters:
  - :name: "Ada \\xE9"
    :sid: '1'
    :email: ada@b.c
  :created_at: 2026-11-22 02:30:41.160906000 Z
submission_2:
  :submitters:
  - :name: Bo
  :created_at: 2026-11-30T02:30:41+14:00
"""
LINE = {"student": "ada", "exercise": "quiz", "key": "a.b", "took": 0.5, "result": {"exercise": "quiz", "verdicts": []}}


def sources(root: Path) -> list[bytes]:
    return [p.read_bytes() for place in ("solutions/*.py", "kernels/*.cu") for p in sorted(root.glob(place))]


def read_sources(data: bytes, folder: Path) -> object:
    """A file of a student, as it is copied, dealt a language, compared with others and shown."""
    names = ("softmax_triton.py", "vector_add.cu", "tuning_log.md")
    for name in names:
        (folder / name).write_bytes(data)
        (folder / name).write_bytes(matching.text_of(folder / name, name, []))
    text = (folder / names[0]).read_text(encoding="utf-8", errors="replace")
    assert "<script" not in esc(text) and "\u202e" not in esc(text)
    spoken = outputs.language_of(Student("ada", "ada", folder, names), COURSE)
    return spoken, similarity.alike("a", {"a": text, "b": text}, ())


def read_predictions(data: bytes, folder: Path) -> object:
    (folder / "predictions.json").write_bytes(data)
    found = learners.read_predictions(folder)
    for answers in found.values():
        cells = [gradebook.safe(a) for a in answers.values()]
        assert not any(c.startswith(("=", "@")) for c in cells)
    return json.dumps(found).encode()


def read_metadata(data: bytes, folder: Path) -> object:
    for name in ("submission_1", "submission_2"):
        (folder / name).mkdir(exist_ok=True)
    (folder / layouts.METADATA).write_bytes(data)
    owners = [piece.owner for piece in layouts.pieces(folder)[1]]
    return [lateness(Student("a", o.name, folder, (), date=o.date), DUE) for o in owners]


def read_journal(data: bytes, folder: Path) -> object:
    (folder / journal.NAME).write_bytes(data)
    with journal.opened(folder, None, 1) as book:
        known = book.only({("ada", "quiz"): "a.b", ("bo", "quiz"): "a.c"}, COURSE)
        known.add("eva", "quiz", "a.b", LINE["result"], 0.1)
        return known.seed, dict(known)


KINDS = [
    Kind("sources", sources, read_sources),
    Kind("predictions", lambda root: [(root / "solutions" / "predictions.json").read_bytes()], read_predictions),
    Kind("metadata", lambda root: [METADATA], read_metadata),
    Kind("journal", lambda root: [b'{"class": 1, "seed": 7}\n' + json.dumps(LINE).encode() + b"\n"], read_journal),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_changed_file_of_a_class_is_read_soon(kind: Kind) -> None:
    found = tried(kind, COURSE.root, FILES, seed=1)
    assert not found["other"], found["first"]
    assert found["slowest_s"] < SECONDS
