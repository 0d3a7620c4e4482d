"""A file is graded on the simulator before a GPU runs it: with the simulator in the place of a GPU, and stand-ins."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.backends.cache import cache_folder
from onekernel.grading import before_gpu, calling, grader
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox import gpu_state, lanes, process, supervisor, warm
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from support.corpus import exercise
from support.course import COURSE, ROOT

WRONG, RIGHT, HOSTILE = (ROOT / "tests" / name for name in ("wrong", "right", "hostile"))
Said = Callable[[Submission], list[Verdict]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The backends that are asked, of which the simulator and the interpreter take the place of the GPU's."""
    backends: list[str] = []
    run = supervisor.run

    def stand_in(request: Request) -> RunOutcome:
        backends.append(request.backend)
        return run(replace(request, backend="simulator") if request.backend == "cuda" else request)

    @contextlib.contextmanager
    def building(request: Request) -> Iterator[Callable[[], None]]:
        backends.append("built")
        yield lambda: backends.append("waited")

    monkeypatch.setattr(supervisor, "run", stand_in)
    monkeypatch.setattr(supervisor, "building", building)
    monkeypatch.setattr(gpu_state, "cards", lambda nvml: ())
    return backends


def on_a_gpu(path: Path, slug: str, *groups: str) -> Submission:
    return Submission(COURSE, exercise(slug, frozenset(groups)), path, "cuda", 7)


def test_what_is_right_on_the_simulator_is_run_on_the_gpu(asked: list[str]) -> None:
    result = grader.grade(on_a_gpu(RIGHT / "add_macros_and_checked_launch.cu", "vector_add", "tails"))
    assert result.status == "passed" and asked == ["built", "simulator", "waited", "cuda"] and result.ran_on == "cuda"


@pytest.mark.parametrize(
    ("path", "codes"),
    [
        (WRONG / "add_unsigned_goes_round.cu", {"wraps"}),  # a loop without an end, on a GPU for ever
        (WRONG / "add_lambda_to_kernel.cu", {"lambda-to-kernel"}),
        (HOSTILE / "borrows_a_thread.cu", {"host-function"}),  # a thread of a GPU's driver would do what it asks
    ],
)
def test_what_is_wrong_on_the_simulator_never_reaches_the_gpu(asked: list[str], path: Path, codes: set[str]) -> None:
    result = grader.grade(on_a_gpu(path, "vector_add", "large"))
    assert asked == ["built", *["simulator"] * (len(asked) - 1)]
    assert {f.code for v in result.verdicts for f in v.failures} == codes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "group", "codes"),
    [
        ("triton_grid_of_65535.py", "large", {"covers-too-little", "leaves-out"}),
        ("triton_offset_in_32_bits.py", "strides", {"offset-wraps"}),
        ("triton_misspelt_option.py", "shapes", {"unknown-argument"}),
    ],
)
def test_a_triton_file_is_interpreted_first(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, name: str, group: str, codes: set[str]
) -> None:
    monkeypatch.setattr(calling, "gpu_nodes", lambda: [Path("/dev/nvidia0")])
    result = grader.grade(on_a_gpu(WRONG / name, "softmax_triton", group))
    assert set(asked) == {"triton-interpreted"} and result.verdicts[0].failures[0].code in codes


def test_beside_other_graders_nothing_is_built_meanwhile(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "_beside", 4)
    grader.grade(on_a_gpu(RIGHT / "add_macros_and_checked_launch.cu", "vector_add", "tails"))
    assert asked == ["simulator", "cuda"]


@pytest.mark.slow
def test_what_is_built_meanwhile_is_found_built(tmp_path: Path) -> None:
    """The simulator in the place of NVIDIA's compiler: while it builds, another file is run, and its build goes on."""
    path = tmp_path / f"meanwhile_{secrets.token_hex(8)}.cu"
    path.write_text((RIGHT / "add_macros_and_checked_launch.cu").read_text())

    def built() -> list[Path]:
        return sorted(cache_folder("simulator").glob(f"{path.stem}*.so"))

    with supervisor.building(Request(path, "simulator")) as wait:
        assert supervisor.run(Request(RIGHT / "add_double_ceil.cu", "simulator")).built
        wait()
        made = built()
        assert len(made) == 1 and supervisor.run(Request(path, "simulator")).built and built() == made


@pytest.mark.slow
def test_what_is_built_meanwhile_ends_with_what_wanted_it(tmp_path: Path) -> None:
    before = process._children()
    with supervisor.building(Request(RIGHT / "add_macros_and_checked_launch.cu", "simulator")):
        pass
    assert process._children() - before <= set(warm.running())


def graded(simulator: Said, gpu: Said) -> tuple[dict[str, Verdict], list[list[str]]]:
    """What comes of softmax_block on both, by kind and number of its checks, and the checks that the GPU judged."""
    of_gpu: list[list[str]] = []

    def grade(submission: Submission) -> list[Verdict]:
        if submission.device == "simulator":
            return simulator(submission)
        of_gpu.append([c.kind.name for c in submission.exercise.checks])
        return gpu(submission)

    mine = Submission(COURSE, COURSE.exercises["softmax_tuned"], ROOT / "solutions" / "softmax_tuned.cu", "cuda", 1)
    verdicts = before_gpu.on_both(mine, grade)
    assert [v.check for v in verdicts] == list(mine.exercise.checks)
    return {f"{v.check.kind.name} {n}": v for n, v in enumerate(verdicts)}, of_gpu


def all_right(submission: Submission) -> list[Verdict]:
    return [Verdict(c, PASSED, c.points) for c in submission.exercise.checks]


def first_wrong(submission: Submission) -> list[Verdict]:
    failure = Failure(Message("grading.no-programs"), "", code="race-shared", line=3)
    return [Verdict(v.check, FAILED, failures=(failure,)) if n == 0 else v for n, v in enumerate(all_right(submission))]


def not_here(submission: Submission) -> list[Verdict]:
    return [Verdict(c, NOT_ASSESSED) for c in submission.exercise.checks]


def kinds_of(submission: Submission | None = None) -> list[str]:
    return [c.kind.name for c in COURSE.exercises["softmax_tuned"].checks]


def test_memory_is_counted_once_and_the_gpu_adds_what_only_it_can_say() -> None:
    found, of_gpu = graded(all_right, all_right)
    assert all(v.status == PASSED for v in found.values())
    assert of_gpu == [[k for k in kinds_of() if k in ("correct", "speed")]] and "memory" in kinds_of()


def test_what_fails_on_the_simulator_costs_its_own_points_and_what_needs_a_right_kernel() -> None:
    found, of_gpu = graded(first_wrong, all_right)
    status = {name: v.status for name, v in found.items()}
    assert status.pop("correct 0") == FAILED and of_gpu == [["correct"] * (kinds_of().count("correct") - 1)]
    assert {name for name, s in status.items() if s == PASSED} == {n for n in status if n.startswith("correct")}
    assert {f.code for n, v in found.items() if n[:7] != "correct" for f in v.failures} == {"right-first"}


def test_what_fails_on_the_gpu_alone_fails() -> None:
    found, _ = graded(all_right, first_wrong)
    assert found["correct 0"].failures[0].code == "race-shared" and found["correct 1"].status == PASSED
    assert not any(v.earned for n, v in found.items() if n.startswith("memory"))


def test_where_nothing_can_be_simulated_the_gpus_word_stands() -> None:
    found, _ = graded(not_here, all_right)
    assert {v.status for n, v in found.items() if n.startswith(("correct", "speed"))} == {PASSED}
    assert {v.status for n, v in found.items() if n.startswith("memory")} == {NOT_ASSESSED}


def test_without_a_gpu_a_triton_file_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that has one, too, where the simulator is asked for."""
    backends: list[str] = []

    def stand_in(request: Request) -> RunOutcome:
        backends.append(request.backend)
        return RunOutcome([CallOutcome() for _ in request.calls])

    @contextlib.contextmanager
    def building(request: Request) -> Iterator[Callable[[], None]]:
        backends.append("built")
        yield lambda: backends.append("waited")

    monkeypatch.setattr(supervisor, "run", stand_in)
    monkeypatch.setattr(supervisor, "building", building)
    monkeypatch.setattr(calling, "gpu_nodes", lambda: [Path("/dev/nvidia0")])
    mine = replace(on_a_gpu(WRONG / "triton_grid_of_65535.py", "softmax_triton", "large"), device="simulator")
    grader.grade(mine)
    assert backends[0] == "triton-interpreted" and mine.ran_on == "interpreter"
    assert replace(mine, device="cuda").ran_on == "cuda"
