"""Kinds of check: each is its own package, loads what it needs when it is used, and can be added without an edit."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import onekernel
from onekernel.course import find_root
from support.courses import LAB, make_course

ROOT = find_root(Path(__file__).parent)
GRADED = """
import sys
from dataclasses import replace
from pathlib import Path
from onekernel.course import find_root
from onekernel.labs.reader import load

course = load(find_root(Path(sys.argv[1])))
loaded = [m for m in sys.modules if m.startswith(("onekernel.grading", "onekernel.sandbox", "onekernel.minigpt"))]

import onekernel.cli.check
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission

exercise = course.exercises["softmax_block"]
correct, counted = exercise.checks[0], next(c for c in exercise.checks if c.kind.counted)
exercise = replace(exercise, checks=(replace(correct, options={"groups": ["strides"]}), counted))
result = grade(Submission(course, exercise, course.solution(exercise), "simulator", 7))
foreign = ("onekernel.minigpt", "onekernel.bench.", "torch", "triton", "matplotlib")
print(loaded, result.status, [m for m in sys.modules if m.startswith(foreign) and m != "onekernel.bench.cards"])
"""
WORDS = '''"""Kind "words": a text of some words."""

from onekernel.checks.options import Number
from onekernel.course import Kind

KIND = Kind(__name__, {"least": Number()}, runs_code=False)
'''
WORDS_JUDGE = '''from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message


def judge(submission, check, ran, before):
    found = len(submission.path.read_text().split())
    if found >= check.options["least"]:
        return Verdict(check, PASSED, check.points)
    message = Message("grading.words", {"found": found})
    return Verdict(check, FAILED, failures=(Failure(message, check.chapter),))
'''
ADDED = """
import sys
from pathlib import Path
from onekernel.errors import UserError
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.report.text import lines

root = Path(sys.argv[1])
course = load(root)
exercise = course.exercises["exam"]
(verdict,) = grade(Submission(course, exercise, root / "mine.py", "simulator", 1)).verdicts
print(verdict.check.id, verdict.status, *lines(verdict, course, "again"))
lab = root / "labs" / "01-second" / "lab.toml"
lab.write_text(lab.read_text().replace("least", "lest"))
try:
    load(root)
except UserError as error:
    print(error)
"""


def said(script: str, *words: object, **environment: str) -> str:
    command = [sys.executable, "-c", script, *map(str, words)]
    env = {**os.environ, "ONEKERNEL_LANG": "en", **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout


def test_a_softmax_check_loads_its_own_judge_and_no_other() -> None:
    assert said(GRADED, ROOT).strip() == "[] passed []"


@pytest.mark.slow
def test_a_kind_is_added_by_its_package_its_message_and_a_lab(tmp_path: Path) -> None:
    ours, copy = Path(onekernel.__file__).parent, tmp_path / "src" / "onekernel"
    shutil.copytree(ours, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "checks" / "words").mkdir()
    (copy / "checks" / "words" / "__init__.py").write_text(WORDS)
    (copy / "checks" / "words" / "judge.py").write_text(WORDS_JUDGE)
    with (copy / "messages" / "grading.toml").open("a") as messages:
        messages.write('\n[words]\nen = "{found} words are too few."\nes = "{found} palabras son pocas."\n')
    assert changed(filecmp.dircmp(ours, copy, ignore=["__pycache__"])) == {"messages/grading.toml", "checks/words"}

    root = make_course(tmp_path / "course")
    lab = LAB.format(file="exam.py").split("[[exercise.check]]")
    check = '\nkind = "words"\nleast = 3\npoints = 2\ntitle = { en = "W", es = "P" }\nchapter = "00-motivation"\n'
    (root / "labs" / "01-second" / "lab.toml").write_text(f"{lab[0]}[[exercise.check]]{check}")
    (root / "mine.py").write_text("two words")
    verdict, mistake = said(ADDED, root, PYTHONPATH=str(tmp_path / "src")).split("\n", 1)
    assert verdict.startswith("exam.1-words failed 2 words are too few.")
    assert "lab.toml:10: unknown key 'lest'; the nearest is least" in mistake


def changed(found: filecmp.dircmp[str], at: str = "") -> set[str]:
    """What differs between two folders, or is in one of them alone."""
    here = {f"{at}{name}" for name in (*found.diff_files, *found.left_only, *found.right_only)}
    return here.union(*(changed(below, f"{at}{name}/") for name, below in found.subdirs.items()))
