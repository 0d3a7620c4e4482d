"""A GPU's verdicts beside the simulator's and the interpreter's: a stand-in GPU, and the real ones of these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.backends.base import Finding
from onekernel.grading import grader
from onekernel.grading.second_device import same_on_simulator
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Result, Verdict
from onekernel.messages import Message
from onekernel.sandbox import gpu_state, supervisor
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from support.corpus import exercise
from support.course import COURSE, ROOT

WRONG = ROOT / "tests" / "wrong"


def on_a_gpu(name: str, slug: str, group: str) -> Submission:
    return Submission(COURSE, exercise(slug, frozenset([group])), WRONG / name, "cuda", 7)


def beside(s: Submission, *failures: Failure) -> Verdict:
    """The verdict on `s`, of which the GPU says that it is right, or that it fails so."""
    (check,) = s.exercise.checks
    said = Verdict(check, FAILED, failures=failures) if failures else Verdict(check, PASSED, check.points)
    (found,) = same_on_simulator(s, [said], grader._grade_checks)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "group", "codes"),
    [
        ("triton_grid_of_65535.py", "large", {"covers-too-little", "leaves-out"}),
        ("triton_offset_in_32_bits.py", "strides", {"offset-wraps"}),
    ],
)
def test_a_triton_file_that_is_right_on_a_gpu_must_be_so_in_the_interpreter(
    name: str, group: str, codes: set[str]
) -> None:
    found = beside(on_a_gpu(name, "softmax_triton", group))
    assert found.status == FAILED and found.failures[0].code in codes
    assert str(found.failures[0].message).startswith("Right on the GPU but not in Triton's interpreter")


def test_wrong_values_of_a_gpu_are_told_by_what_the_simulator_sees() -> None:
    mine = on_a_gpu("add_cp_async_one_stage.cu", "vector_add", "tails")
    found = beside(mine, Failure(Message("grading.no-programs"), "", code="values"))
    assert [f.code for f in found.failures] == ["missing-wait", "values"] and found.failures[0].line


@pytest.mark.slow
def test_what_triton_raises_on_a_gpu_is_told_as_it_is_known_here() -> None:
    raised = Failure(Message("triton.raised", {"line": 9, "why": "KeyError: num_warp"}), "", line=9, code="raised")
    found = beside(on_a_gpu("triton_misspelt_option.py", "softmax_triton", "shapes"), raised)
    assert [f.code for f in found.failures] == ["unknown-argument", "raised"]


def test_what_names_a_line_on_a_gpu_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "run", lambda request: pytest.fail("ran again"))
    there = Failure(Message("grading.no-programs"), "", line=3, code="values")
    assert beside(on_a_gpu("add_cp_async_one_stage.cu", "vector_add", "tails"), there).failures == (there,)


@pytest.mark.parametrize(("simulator", "code"), [(True, "lambda-to-kernel"), (False, "compile-error")])
def test_what_nvcc_refuses_on_a_gpu_is_told_as_the_simulator_reads_it(
    monkeypatch: pytest.MonkeyPatch, simulator: bool, code: str
) -> None:
    run = supervisor.run
    finding = Finding("compile-error", Message("cuda.compile-error", {"text": "no instance matches"}), "x.cu", 9)

    def stand_in(request: Request) -> RunOutcome:
        if request.backend == "simulator" and simulator:
            return run(request)
        missing = Message("grading.no-programs") if request.backend == "simulator" else None
        return RunOutcome([], build=() if missing else (finding,), unavailable=missing)

    monkeypatch.setattr(supervisor, "run", stand_in)
    monkeypatch.setattr(supervisor, "runs", lambda request: False)
    monkeypatch.setattr(gpu_state, "cards", lambda nvml: ())
    result: Result = grader.grade(on_a_gpu("add_lambda_to_kernel.cu", "vector_add", "tails"))
    assert [f.code for v in result.verdicts for f in v.failures] == [code]


def test_without_a_gpu_a_triton_file_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that has one, too, where the simulator is asked for."""
    asked: list[str] = []

    def stand_in(request: Request) -> RunOutcome:
        asked.append(request.backend)
        return RunOutcome([CallOutcome() for _ in request.calls])

    monkeypatch.setattr(supervisor, "run", stand_in)
    monkeypatch.setattr(grader, "gpu_nodes", lambda: [Path("/dev/nvidia0")])
    monkeypatch.setattr(gpu_state, "cards", lambda nvml: ())
    mine = on_a_gpu("triton_grid_of_65535.py", "softmax_triton", "large")
    for device, backend in (("simulator", "triton-interpreted"), ("cuda", "triton")):
        asked.clear()
        grader.grade(replace(mine, device=device))
        assert asked[0] == backend
    assert replace(mine, device="simulator").ran_on == "interpreter" and mine.ran_on == "cuda"
