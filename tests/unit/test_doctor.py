"""The doctor: what it says of the machine, and that a backend which gets numbers wrong grades nobody."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import cli, doctor, messages
from onekernel.backends.base import Finding, Unavailable
from onekernel.cli.console import console
from onekernel.course import Course
from onekernel.doctor import machine, selftest
from onekernel.messages import Message
from onekernel.sandbox import supervisor
from onekernel.simulator.compilation.compiler import compiler
from support.course import COURSE


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for what is remembered; what is built stays where it is."""
    monkeypatch.setattr(selftest, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(messages, "_chosen", "en")
    console.cache_clear()
    return tmp_path / "cache"


@pytest.fixture
def triton_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command tests every backend; Triton's own test takes half a minute and is not what these tests are about."""
    test = doctor.health

    def health(course: Course, backend: str, *, again: bool = False) -> doctor.Health:
        return known(backend) if backend == "triton" else test(course, backend, again=again)

    monkeypatch.setattr(doctor, "health", health)


known = functools.cache(functools.partial(selftest.health, COURSE, again=True))


def test_every_line_has_a_value_or_a_mend() -> None:
    facts = list(doctor.facts())
    assert {"Linux", "CPU", "Python", "Landlock", "nvcc", "GPU", "torch", "triton", "ncu"} <= {f.name for f in facts}
    for fact in facts:
        assert fact.value or fact.mend, fact.name
        assert fact.mend or fact.state != machine.MISSING, fact.name


@pytest.mark.parametrize("driver, said", [(True, "it sees none"), (False, "no NVIDIA driver")])
def test_a_driver_that_sees_no_gpu_and_no_driver_at_all_are_two_facts(
    driver: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "gpu_present", lambda: False)
    monkeypatch.setattr(machine, "driver_present", lambda: driver)
    (gpu,) = [fact for fact in doctor.facts() if fact.name == "GPU"]
    assert said in str(gpu.mend) and "graded without" in str(gpu.mend)


@pytest.mark.slow
def test_without_a_compiler_the_cause_and_the_mend_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], triton_tested_once: None
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("onekernel.cli.machine.gpu_present", lambda: False)  # on one, what is built may run
    facts = {f.name: f for f in doctor.facts()}
    assert facts["g++"].state == machine.MISSING
    assert "apt install g++" in str(facts["g++"].mend)
    assert cli.main(["doctor"]) == 1
    assert "apt install g++" in capsys.readouterr().out
    assert cli.main(["check", "--solutions", "--device", "simulator", "vector_add"]) == 2
    out, err = capsys.readouterr()
    assert "apt install g++" in err
    assert len(err.strip().splitlines()) == 1
    assert "passed" not in out


GXX_9, CLANG_10 = "g++ (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0", "clang version 10.0.0-4ubuntu1"
GXX_14, CLANG_21 = "g++-14 (GCC) 14.2.1 20240912 (Red Hat 14.2.1-3)", "Debian clang version 21.1.0 (1)"


def _installed(monkeypatch: pytest.MonkeyPatch, folder: Path, versions: dict[str, str]) -> None:
    """Only these compilers, which can do nothing but say what they are."""
    for name, version in versions.items():
        (folder / name).write_text(f"#!/bin/sh\necho '{version}'\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("ONEKERNEL_CXX", raising=False)


@pytest.mark.parametrize("versions", [{"g++": GXX_9}, {"clang++": CLANG_10}], ids=["g++", "clang++"])
def test_a_compiler_that_is_too_old_is_said_to_be(
    versions: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own words are of an option that no learner has written."""
    _installed(monkeypatch, tmp_path, versions)
    ((name, version),) = versions.items()
    fact = {f.name: f for f in doctor.facts()}["g++"]
    assert fact.state == machine.MISSING
    assert str(fact.mend).startswith(f"{version} ({tmp_path / name}) is too old")
    with pytest.raises(Unavailable, match="too old"):
        compiler(str(tmp_path / name))


@pytest.mark.parametrize(("versions", "chosen"), [
    ({"g++": GXX_9, "g++-14": GXX_14}, "g++-14"),
    ({"g++": GXX_9, "clang++": CLANG_10, "clang++-21": CLANG_21}, "clang++-21"),
])  # fmt: skip
def test_of_several_compilers_one_that_is_new_enough_is_taken_and_named(
    versions: dict[str, str], chosen: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _installed(monkeypatch, tmp_path, versions)
    assert compiler().path == str(tmp_path / chosen)
    fact = {f.name: f for f in doctor.facts()}[chosen.partition("-")[0]]
    assert (fact.state, fact.value.endswith(f"({tmp_path / chosen})")) == (machine.OK, True)


def test_the_compiler_that_the_environment_names_is_the_one_that_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _installed(monkeypatch, tmp_path, {"g++": "g++ (GCC) 12.2.0", "clang++-21": CLANG_21})
    monkeypatch.setenv("ONEKERNEL_CXX", "clang++-21")
    told = {f.name: f.value for f in doctor.facts()}
    assert told["clang++"] == f"21.1.0 ({tmp_path / 'clang++-21'}, ONEKERNEL_CXX)" and "g++" not in told


def test_a_sound_simulator_is_tested_once(monkeypatch: pytest.MonkeyPatch, fresh: Path) -> None:
    first = doctor.health(COURSE, "simulator")
    assert first.ok, first.cause
    assert first.inputs > 10
    monkeypatch.setattr(selftest, "grade", lambda _: pytest.fail("tested again"))
    assert doctor.health(COURSE, "simulator").ok


@pytest.mark.parametrize("change", ["compiler", "solution", "environment"])
def test_it_is_tested_again_when_something_under_it_changes(
    change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = selftest._fingerprint(COURSE, "simulator")
    course = COURSE
    if change == "environment":
        monkeypatch.setenv("ONEKERNEL_CXX", "clang++-99")
    elif change == "compiler":
        (tmp_path / "g++").write_text("#!/bin/sh\n")
        (tmp_path / "g++").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    else:
        (tmp_path / "solutions").mkdir()
        (tmp_path / "solutions" / "vector_add.cu").write_text("// another\n")
        course = replace(COURSE, root=tmp_path)
    assert selftest._fingerprint(course, "simulator") != before


def _wrong_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulator that runs everything and gets one bit of each result wrong."""
    run = supervisor.run

    def flipped(*args, **options):
        outcome = run(*args, **options)
        for call in outcome.calls:
            for name, memory in call.after.items():
                if name == "out":
                    changed = memory.copy()
                    changed[supervisor.np.flatnonzero(changed)[len(changed) // 2]] ^= 1
                    call.after[name] = changed
        return outcome

    monkeypatch.setattr(supervisor, "run", flipped)


@pytest.mark.slow
def test_a_simulator_that_returns_wrong_numbers_grades_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fresh: Path, triton_tested_once: None
) -> None:
    _wrong_numbers(monkeypatch)
    health = doctor.health(COURSE, "simulator")
    assert not health.ok
    assert "cannot be trusted" in str(health.cause)
    assert not fresh.exists()  # a failure is not remembered
    assert cli.main(["check", "--solutions", "vector_add", "--device", "simulator"]) == 2
    out, err = capsys.readouterr()
    assert "cannot be trusted" in err
    assert "points" not in out and "passed" not in out
    assert cli.main(["doctor"]) == 1


@pytest.mark.slow
def test_a_compiler_that_fails_is_the_cause_and_not_wrong_numbers(
    monkeypatch: pytest.MonkeyPatch, fresh: Path
) -> None:
    monkeypatch.setenv("ONEKERNEL_CXX", "/bin/false")
    health = doctor.health(COURSE, "simulator")
    assert not health.ok and not health.wrong
    assert str(health.cause).startswith("The simulator's own runtime does not compile")


def test_a_kernel_that_is_not_in_the_course_tests_nothing() -> None:
    assert doctor.health(replace(COURSE, labs=()), "simulator").ok


def test_auto_is_the_simulator_where_the_driver_sees_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onekernel.doctor.device.gpu_present", lambda: False)
    device, health, note = doctor.choose(COURSE, "auto")
    assert (device, health.ok, note) == ("simulator", True, None)


def test_auto_says_why_a_gpu_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    cause = Message("cuda.no-ninja", {"python": "python3"})

    def health(_, backend: str) -> doctor.Health:
        return doctor.Health(backend, backend == "simulator", None if backend == "simulator" else cause)

    monkeypatch.setattr("onekernel.doctor.device.gpu_present", lambda: True)
    monkeypatch.setattr("onekernel.doctor.device.health", health)
    device, _, note = doctor.choose(COURSE, "auto")
    assert device == "simulator"
    assert "pip install ninja" in str(note)


@pytest.mark.slow
def test_cuda_where_there_is_none_is_refused_with_its_cause(capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    assert cli.main(["check", "--solutions", "vector_add", "--device", "cuda"]) == 2
    assert "Fix:" in capsys.readouterr().err


def test_a_triton_that_is_wrong_grades_nobody_and_one_that_is_missing_stops_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = Message("doctor.wrong-numbers", {"backend": "triton", "kernel": "k.py", "why": "-", "seed": 1})
    missing = Message("triton.missing", {"python": "python3"})
    exercises = COURSE.exercises.values()
    for cause, refused in ((wrong, True), (missing, False)):

        def health(_, backend: str, cause: Message = cause) -> doctor.Health:
            return doctor.Health(backend, backend != "triton", cause if backend == "triton" else None)

        monkeypatch.setattr("onekernel.doctor.device.health", health)
        if refused:
            with pytest.raises(Unavailable, match="cannot be trusted"):
                doctor.settle(COURSE, exercises, "simulator")
        else:
            assert doctor.settle(COURSE, exercises, "simulator") == ("simulator", None)


def test_answers_need_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answers = [e for e in COURSE.exercises.values() if e.operator is None]
    assert doctor.settle(COURSE, answers, "simulator") == ("simulator", None)


def test_findings_of_a_backend_are_told_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("compile-error", Message("doctor.no-answer"))
    monkeypatch.setattr(supervisor, "run", lambda *a, **k: supervisor.RunOutcome([], build=(finding,)))
    assert "It gave no answer." in str(doctor.health(COURSE, "simulator").cause)
