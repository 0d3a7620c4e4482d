"""The doctor: what it says of the machine, and that a backend which gets numbers wrong grades nobody."""

from __future__ import annotations

import functools
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import cli, doctor, messages
from onekernel.backends.base import Finding, Unavailable
from onekernel.cli.console import console
from onekernel.course import Course
from onekernel.doctor import machine
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import PASSED, Result, Verdict
from onekernel.messages import Message
from onekernel.sandbox import supervisor
from onekernel.simulator.compilation.compiler import compiler, compilers
from support.course import COURSE


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for what is remembered; what is built stays where it is."""
    monkeypatch.setattr(doctor, "cache_folder", lambda: tmp_path / "cache")
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


known = functools.cache(functools.partial(doctor.health, COURSE, again=True))


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
    monkeypatch.setattr("onekernel.cli.doctor.gpu_present", lambda: False)  # on one, what is built may run
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


def test_every_version_on_the_path_is_listed_once_in_the_order_in_which_one_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old, new = "g++ (GCC) 12.2.0", "g++-14 (GCC) 14.2.1"
    versions = {"g++": old, "g++-9": GXX_9, "g++-12": old.replace("g++", "g++-12"), "g++-14": new}
    _installed(monkeypatch, tmp_path, {**versions, "clang++-21": CLANG_21})
    assert [Path(c.path).name for c in compilers()] == ["g++", "g++-14", "clang++-21"]


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
    monkeypatch.setattr(doctor, "grade", lambda _: pytest.fail("tested again"))
    assert doctor.health(COURSE, "simulator").ok


@pytest.mark.parametrize("change", ["compiler", "solution", "environment"])
def test_it_is_tested_again_when_something_under_it_changes(
    change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = doctor._fingerprint(COURSE, "simulator")
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
    assert doctor._fingerprint(course, "simulator") != before


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
    assert health.cause and str(health.cause).startswith("The simulator's own runtime does not compile")
    other = compilers()[0].path
    assert f"ONEKERNEL_CXX={other}, which is here too" in str(health.cause)
    assert f"ONEKERNEL_CXX={other}, que también está aquí" in health.cause.text("es")


@pytest.mark.slow
def test_a_compiler_without_the_cpp_librarys_headers_is_told_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fresh: Path
) -> None:
    """As clang++ is where a newer gcc than that of g++ is here, for C alone."""
    (tmp_path / "clang++").write_text(
        f"#!/bin/sh\ncase $1 in --version) echo '{CLANG_21}';; -v) "
        "echo 'Selected GCC installation: /usr/lib/gcc/x86_64-linux-gnu/14' >&2;;\n"
        "*) echo \"a.cpp:3:10: fatal error: 'cstdint' file not found\" >&2; exit 1;; esac\n"
    )
    (tmp_path / "clang++").chmod(0o755)
    monkeypatch.setenv("ONEKERNEL_CXX", str(tmp_path / "clang++"))
    cause = doctor.health(COURSE, "simulator").cause
    assert cause is not None and cause.key == "simulator.runtime-headers"
    for language in ("en", "es"):
        assert "<cstdint>" in cause.text(language) and "apt install libstdc++-14-dev" in cause.text(language)


def test_a_kernel_that_is_not_in_the_course_tests_nothing() -> None:
    assert doctor.health(replace(COURSE, labs=()), "simulator").ok


def test_auto_is_the_simulator_where_the_driver_sees_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onekernel.doctor.gpu_present", lambda: False)
    device, health, note = doctor.choose(COURSE, "auto")
    assert (device, health.ok, note) == ("simulator", True, None)


def test_auto_says_why_a_gpu_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    cause = Message("cuda.no-ninja", {"python": "python3"})

    def health(_, backend: str) -> doctor.Health:
        return doctor.Health(backend, backend == "simulator", None if backend == "simulator" else cause)

    monkeypatch.setattr("onekernel.doctor.gpu_present", lambda: True)
    monkeypatch.setattr("onekernel.doctor.health", health)
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

        monkeypatch.setattr("onekernel.doctor.health", health)
        if refused:
            with pytest.raises(Unavailable, match="cannot be trusted"):
                doctor.settle(COURSE, exercises, "simulator")
        else:
            assert doctor.settle(COURSE, exercises, "simulator") == ("simulator", None)


def test_answers_need_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answers = [e for e in COURSE.exercises.values() if e.operator is None]
    assert doctor.settle(COURSE, answers, "simulator") == ("simulator", None)


WITH_A_GPU = ("vector_add", "softmax_triton", "storage_probe", "torch_minigpt", "benchmark", "reverse", "row_max")
WITHOUT = ("roofline_challenge", "tuning_log", "diagonal", "cluster_neighbour", "occupancy")


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine with a GPU on which everything works; the backends that are tested."""
    backends: list[str] = []

    def health(_: Course, backend: str) -> doctor.Health:
        backends.append(backend)
        return doctor.Health(backend, True)

    monkeypatch.setattr("onekernel.doctor.gpu_present", lambda: True)
    monkeypatch.setattr("onekernel.doctor.health", health)
    return backends


@pytest.mark.parametrize("slugs", [*((slug,) for slug in WITH_A_GPU), WITH_A_GPU, ("diagonal", "softmax_triton")])
def test_a_gpu_is_used_wherever_it_has_a_part(slugs: tuple[str, ...], tested: list[str]) -> None:
    """Whatever else is graded with it: one file alone as all of them."""
    exercises = [COURSE.exercises[slug] for slug in slugs]
    assert doctor.settle(COURSE, exercises, "auto") == ("cuda", None)
    assert "cuda" in tested and "simulator" not in tested
    assert doctor.settle(COURSE, exercises, "simulator") == ("simulator", None)


def test_a_device_is_found_before_all_that_grades_is_tested(tested: list[str]) -> None:
    """Tests take as long as files: nobody waits for one before the other begins."""
    exercises = COURSE.exercises.values()
    for asked, needed in (("cuda", []), ("simulator", []), ("auto", ["cuda"])):
        assert doctor.found(COURSE, exercises, asked) == ("cuda" if asked == "auto" else asked, None)
        assert tested == needed
    doctor.trust(COURSE, exercises, "cuda")
    assert {*tested} == {"cuda", "simulator", "triton"}


@pytest.mark.parametrize("slug", WITHOUT)
def test_a_gpu_that_has_no_part_is_not_asked(slug: str, tested: list[str]) -> None:
    assert doctor.settle(COURSE, [COURSE.exercises[slug]], "auto") == ("simulator", None)
    assert set(tested) == ({"simulator"} if slug == "cluster_neighbour" else set())


@pytest.mark.parametrize("slug", WITH_A_GPU)
def test_a_gpu_that_does_not_work_is_told_for_one_file_as_for_all(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cause = Message("cuda.no-ninja", {"python": "python3"})

    def health(_: Course, backend: str) -> doctor.Health:
        return doctor.Health(backend, backend != "cuda", cause if backend == "cuda" else None)

    monkeypatch.setattr("onekernel.doctor.gpu_present", lambda: True)
    monkeypatch.setattr("onekernel.doctor.health", health)
    device, note = doctor.settle(COURSE, [COURSE.exercises[slug]], "auto")
    assert device == "simulator" and "pip install ninja" in str(note)


def graded_nowhere(submission: Submission) -> Result:
    verdicts = tuple(Verdict(c, PASSED, c.points) for c in submission.exercise.checks)
    return Result(submission.exercise, verdicts, submission.backend, 1, 0.0, submission.ran_on)


@pytest.mark.parametrize("words", [(), ("--device", "auto"), ("--first",)], ids=" ".join)
@pytest.mark.parametrize(
    "slugs", [("softmax_triton",), ("storage_probe",), ("reverse",), ("row_max", "roofline_challenge")]
)
def test_check_says_that_a_gpu_ran_it(
    slugs: tuple[str, ...], words: tuple[str, ...], tested: list[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("onekernel.cli.pool.grade", graded_nowhere)
    monkeypatch.setattr("onekernel.grading.grader.grade", graded_nowhere)
    card = tmp_path / "card.json"
    assert cli.main(["check", "--solutions", *slugs, *words, "--json", str(card)]) == 0
    heading, *board = capsys.readouterr().out.splitlines()
    assert " · cuda · " in heading
    (line,) = [line for line in board if f"✓ {slugs[-1 if len(slugs) == 1 else 0]} " in line]
    assert line.split()[2:4] == ["cuda", "passed"]
    said = {r["exercise"]: r["device"] for r in json.loads(card.read_text())["results"]}
    assert said == {slug: "-" if slug == "roofline_challenge" else "cuda" for slug in slugs}


@pytest.mark.parametrize(("word", "slug", "place"), [
    ("simulator", "softmax_triton", "interpreter"), ("interpreter", "softmax_triton", "interpreter"),
    ("interpreter", "reverse", "simulator"), ("simulator", "storage_probe", "cpu"),
])  # fmt: skip
def test_either_word_for_no_gpu_means_the_same(
    word: str, slug: str, place: str, tested: list[str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("onekernel.cli.pool.grade", graded_nowhere)
    assert cli.main(["check", "--solutions", slug, "--device", word]) == 0
    assert f"{place} passed" in capsys.readouterr().out and "cuda" not in tested


def test_watch_uses_the_gpu_each_time(
    tested: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("onekernel.cli.pool.grade", graded_nowhere)
    stamps, naps = itertools.chain([0, 0], itertools.repeat(1)), iter(["the file is saved"])
    monkeypatch.setattr("onekernel.cli.check._stamps", lambda *_: [next(stamps)])

    def nap(_: float) -> None:
        if next(naps, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr("onekernel.cli.check.sleep", nap)
    assert cli.main(["check", "--solutions", "softmax_triton", "--watch"]) == 130
    assert capsys.readouterr().out.count("cuda passed") == 2


def test_findings_of_a_backend_are_told_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("compile-error", Message("doctor.no-answer"))
    monkeypatch.setattr(supervisor, "run", lambda *a, **k: supervisor.RunOutcome([], build=(finding,)))
    assert "It gave no answer." in str(doctor.health(COURSE, "simulator").cause)
