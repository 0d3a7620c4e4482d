"""learners/borja, the worked example: his own files, graded as any learner's are, and a log of complete rounds."""

from __future__ import annotations

import json
import re

import pytest

from onekernel import course, learners
from onekernel.checks.log import figures, judge, rounds
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, PARTIAL, PASSED
from onekernel.messages import set_language
from support.course import COURSE, ROOT

pytestmark = pytest.mark.slow

BORJA = learners.named(ROOT, "borja")
HIS = [e for lab in COURSE.labs if not lab.elective for e in lab.exercises if not e.before]  # practice is as one likes
LOGS = {"tuning_log": "softmax_tuned", "gemm_log": "gemm_tiled"}  # each with the kernel that it is about


def submission(exercise: course.Exercise) -> Submission:
    predictions = BORJA.predictions(exercise.slug)
    return Submission(COURSE, exercise, BORJA.path(exercise.file), "simulator", fresh_seed(), predictions)


@pytest.mark.sample(every=4)
def test_he_passes_every_check_that_needs_no_gpu_and_some_of_his_predictions_were_off():
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    verdicts = [v for e in HIS for v in grade(submission(e)).verdicts]
    status = {v.check.id: v.status for v in verdicts}
    speed = {c.id for e in HIS for c in e.checks if c.kind.name == "speed"}
    on_a_gpu = {v.check.id for v in verdicts if v.note and v.note.key == "grading.needs-gpu"}
    predicted = {c.id for e in HIS for c in e.checks if c.kind.predicts}
    assert {i for i, s in status.items() if s == NOT_ASSESSED} == on_a_gpu >= speed
    assert {i for i, s in status.items() if s == PARTIAL} == predicted
    assert set(status.values()) == {PASSED, PARTIAL, NOT_ASSESSED}


@pytest.mark.parametrize("exercise", HIS, ids=lambda e: e.slug)
def test_his_file_is_neither_the_solution_nor_the_starter(exercise):
    mine = BORJA.path(exercise.file).read_bytes()
    assert mine not in (COURSE.solution(exercise).read_bytes(), COURSE.starter(exercise).read_bytes())


@pytest.mark.parametrize("log", LOGS)
def test_his_log_is_of_different_kernels_and_ends_with_the_one_that_he_has(log):
    found = rounds.rounds(BORJA.path(f"{log}.md").read_text(encoding="utf-8"))
    kernels = [r.kernel for r in found]
    assert len(found) >= judge.ROUNDS
    assert [r.missing(kernels[:n]) for n, r in enumerate(found)] == [None] * len(found)
    assert kernels[-1] == rounds.kernel_hash(BORJA.path(f"{LOGS[log]}.cu"))


@pytest.mark.parametrize(
    ("log", "figure"),
    [
        ("tuning_log", "8 load requests per row (one for each load instruction of a warp), of 16 sectors each"),
        ("gemm_log", "shared memory serves 0.141 wavefronts per multiply-add of a warp, at 256 x 128 x 64"),
    ],
)
def test_the_figures_of_his_last_round_are_what_his_kernel_still_measures(log, figure):
    set_language("en")
    text = BORJA.path(f"{log}.md").read_text(encoding="utf-8")
    *_, last = re.findall(r"<!-- measured: .*?-->\n(.*?)\n<!-- /measured -->", text, re.DOTALL)
    now = figures.lines(submission(COURSE.exercises[LOGS[log]]), COURSE.exercises[log].checks[0])
    assert last.splitlines() == [f"- {line}" for line in now]
    assert f"- {figure}" in last


def test_he_predicted_before_he_was_first_right():
    for slug in ("softmax_naive", "storage_probe", "read_trace", "gemm_naive"):
        first_right = BORJA.scores()[slug]["best"]["date"]
        predicted = json.loads(BORJA.path("predictions.json").read_text(encoding="utf-8"))[slug]["date"]
        assert predicted <= first_right


def test_his_profile_has_the_evidence_of_every_exercise():
    profile = BORJA.path("profile.md").read_text(encoding="utf-8")
    evidence = profile.partition("<!-- evidence -->")[2].partition("<!-- /evidence -->")[0]
    assert re.findall(r"^\| (\w+) \| [\d.]+ /", evidence, re.MULTILINE) == [e.slug for e in HIS]
