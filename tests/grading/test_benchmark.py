"""Benchmarks that lie are refused with what fools them; several ways to measure right pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.checks.benchmark import judge
from onekernel.course import Exercise
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, Result
from onekernel.sandbox import cards
from onekernel.sandbox.readers import peeks
from onekernel.sandbox.simulated_gpu import SimulatedGPU, World
from onekernel.sandbox.supervisor import TaskRun
from support.course import COURSE, ROOT

SOLUTION = (ROOT / "solutions" / "benchmark.py").read_text(encoding="utf-8")

EVERYWHERE = set(judge.ALONE)
# Lines of the solution.
EVENTS = "start, end = device.event(), device.event()"
RECORD = "            start.record()\n"
TIMED = "call(x, out)\n            end.record()\n            taken.append((start, end))"
ELAPSED = "start.elapsed(end) for start, end in taken"
FILL = "device.fill(emptier)  # also"
FIRST_CALLS = "    for call in samples:\n        call(x, out)\n"
RANDOM = "device.randn(n), device"

Edits = list[tuple[str, str]]
# What is wrong -> the edits of the solution that make it so, and the effects that must be named, no other.
WRONG: dict[str, tuple[Edits, set[str]]] = {
    "the host's clock around a launch": (
        [(EVENTS, "start = 0.0"), (RECORD, ""), (FILL, "device.fill(emptier); start = device.clock()  # also"),
         (TIMED, "call(x, out)\n            taken.append(device.clock() - start)"), (ELAPSED, "taken")],
        {"asynchrony"},
    ),
    "the host's clock, waiting for each call": (
        [(EVENTS, "start = 0.0"), (RECORD, ""),
         (FILL, "device.fill(emptier); device.synchronize(); start = device.clock()  # also"),
         (TIMED, "call(x, out); device.synchronize()\n            taken.append(device.clock() - start)"),
         (ELAPSED, "taken")],
        {"asynchrony"},
    ),
    "an event on a queue that is empty": (
        [(FILL, "device.fill(emptier); device.synchronize()  # also")], {"asynchrony"},
    ),
    "events read before the GPU reached them": ([("    device.synchronize()\n    one", "    one")], {"asynchrony"}),
    "the compiling call among two samples": (
        [("REPEATS = 31", "REPEATS = 2"), (FIRST_CALLS, "")], {"compilation", "noise"},
    ),
    "one sample, which compiles, of a device at rest": (
        [("REPEATS = 31", "REPEATS = 1"), (FIRST_CALLS, ""), ("WARM_UPS = 30", "WARM_UPS = 0")],
        {"compilation", "warm-up", "noise"},
    ),
    "one sample": ([("REPEATS = 31", "REPEATS = 1")], {"noise"}),
    "the mean": ([("median(start", "mean(start"), ("import median", "import mean")], {"noise"}),
    "the largest": ([("median(start", "max(start")], {"noise"}),
    "the same input again, in L2": ([(FILL, "call(x, out)  # also")], {"cache"}),
    "an emptier of half of L2": ([("2 * device.l2_bytes // 4", "device.l2_bytes // 8")], {"cache"}),
    "only the output emptied": ([(FILL, "device.fill(out)  # also")], {"cache"}),
    "the second finds what the first has left": (
        [("    for _ in range(REPEATS):\n", "    for _ in range(REPEATS):\n        device.fill(emptier)\n"),
         (FILL, "device.fill(out)  # also")],
        {"cache"},
    ),
    "an input of zeros": ([(RANDOM, "device.zeros(n), device")], {"data"}),
    "an input of ones": ([(RANDOM, "device.ones(n), device")], {"data"}),
    "the result allocated in the timed part": ([(RECORD + "            call(x, out)", RECORD + "            call(x)")],
                                               {"allocation"}),
    "an input drawn in the timed part": (
        [(RECORD + "            call(x, out)", RECORD + "            call(device.randn(n), out)")], EVERYWHERE,
    ),
    "the two figures exchanged": ([("return one, other", "return other, one")], EVERYWHERE),
    "milliseconds": ([("return one, other", "return one * 1e3, other * 1e3")], EVERYWHERE),
}  # fmt: skip
RIGHT: dict[str, Edits] = {
    "the input walks over more memory than L2 holds": [
        ("    emptier =", "    sets = [(device.randn(n), device.empty(n)) for _ in range(12)]\n    emptier ="),
        (FILL, "sets.append(sets.pop(0)); x, out = sets[0]  # also"),
    ],
    "waiting at the end of each turn": [
        ("taken.append((start, end))", "taken.append((start, end)); device.synchronize()"),
    ],
    "fifteen samples, the emptying twice": [
        ("REPEATS = 31", "REPEATS = 15"), (FILL, "device.fill(emptier); device.fill(emptier)  # also"),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    """The exercise with one check of all effects, each alone: a failure's code is the effect."""
    known = COURSE.exercises["benchmark"]
    return replace(known, checks=(replace(known.checks[0], options={"effects": list(judge.ALONE)}),))


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures come from the task itself; that it runs behind the wall is tested once, below."""
    pytest.importorskip("torch")
    from onekernel.sandbox.tasks import benchmark

    def run(submission: Submission, options: dict, seconds: float, worlds: list) -> TaskRun:
        ask = cards.Cards(worlds).answer
        return TaskRun([benchmark.run(submission.path, request, ask) for request in options["requests"]])

    monkeypatch.setattr(judge, "run", run)


SEED = 5  # of worlds in which one sample is not right by luck, as it is in one of 200


def graded(text: str, exercise: Exercise, folder: Path) -> Result:
    path = folder / "benchmark.py"
    path.write_text(text, encoding="utf-8")
    return grade(Submission(COURSE, exercise, path, "simulator", SEED))


def edited(edits: list[tuple[str, str]]) -> str:
    text = SOLUTION
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("mistake", WRONG)
def test_a_benchmark_is_refused_with_what_fools_it(
    mistake: str, exercise: Exercise, tmp_path: Path, in_this_process: None
) -> None:
    edits, effects = WRONG[mistake]
    result = graded(edited(edits), exercise, tmp_path)
    (verdict,) = result.verdicts
    assert {f.code for f in verdict.failures} == effects, (result.seed, [str(f.message) for f in verdict.failures])
    assert verdict.earned == pytest.approx(3 * (1 - len(effects) / 7), abs=0.06)
    for failure in verdict.failures:
        assert failure.message.text("es") != failure.message.text("en")


@pytest.mark.parametrize("way", RIGHT)
def test_another_way_to_measure_right_passes(
    way: str, exercise: Exercise, tmp_path: Path, in_this_process: None
) -> None:
    result = graded(edited(RIGHT[way]), exercise, tmp_path)
    assert result.status == PASSED, (result.seed, [str(f.message) for v in result.verdicts for f in v.failures])


PEEKS = {
    "the clock of the machine": ("from statistics import median", "import time\nfrom statistics import median", "time"),
    "the world behind the device": ("# twice", "\n    world = device._world  # twice", "_world"),
    "its words": ("# twice", "\n    known = vars(device)  # twice", "vars"),
    "words in a string": ("# twice", '\n    known = "{0._world}".format(device)  # twice', "format"),
    "a pattern": ("# twice", "\n    match device:\n        case object(_world=known): pass\n    # twice", "_world"),
    "the name of a function": ("# twice", "\n    def __match_args__(self): pass\n    # twice", "__match_args__"),
    "the name of a class": ("# twice", "\n    class __slots__: pass\n    # twice", "__slots__"),
    "the name of an import": (
        "from statistics import median", "import math as __match_args__\nfrom statistics import median",
        "__match_args__",
    ),
    "an argument": ("# twice", "\n    f = lambda _world: 0  # twice", "_world"),
    "a named argument": ("# twice", "\n    known = dict(_world=0)  # twice", "_world"),
    "a caught error": (
        "# twice", "\n    try: pass\n    except ValueError as _world: pass\n    # twice", "_world",
    ),
    "what a pattern captures": ("# twice", "\n    match n:\n        case [*_world]: pass\n    # twice", "_world"),
    "the rest of a pattern": ("# twice", "\n    match n:\n        case {1: 1, **_world}: pass\n    # twice", "_world"),
    "a global name": ("# twice", "\n    global _world  # twice", "_world"),
    "who called": ("# twice", "\n    known = (i for i in ()).gi_frame  # twice", "gi_frame"),
    "a module of a module": ("# twice", "\n    known = dataclasses.inspect  # twice", "inspect"),
    "a module under another name": ("# twice", "\n    known = typing; known.sys  # twice", "typing"),
    "a module that is imported by name": (
        "from statistics import median", "from typing import operator as o\nfrom statistics import median", "operator",
    ),
    "a function that takes attributes by their names": (
        "from statistics import median", "from functools import update_wrapper\nfrom statistics import median",
        "update_wrapper",
    ),
    "a function that runs strings": (
        "from statistics import median", "from typing import get_type_hints\nfrom statistics import median",
        "get_type_hints",
    ),
    "a module behind a module": ("# twice", "\n    known = collections.abc.sys  # twice", "sys"),
}  # fmt: skip
IMPORTS = "import collections.abc\nimport dataclasses\nimport typing\n"


@pytest.mark.parametrize("how", PEEKS)
def test_a_benchmark_that_looks_behind_the_device_is_refused(how: str, exercise: Exercise, tmp_path: Path) -> None:
    old, new, named = PEEKS[how]
    text = SOLUTION.replace(old, new, 1).replace("from collections.abc", f"{IMPORTS}from collections.abc", 1)
    (verdict,) = graded(text, exercise, tmp_path).verdicts
    (failure,) = verdict.failures
    assert failure.code == "peeks" and f"`{named}`" in failure.message.text("en")


def test_a_class_of_a_benchmarks_own_is_no_look_behind_the_device() -> None:
    text = "class Samples:\n    def __init__(self, _=None): self.all = []\n    def __len__(self): return 1\n"
    assert peeks(text) is None


@pytest.mark.parametrize(
    ("body", "says"),
    [("    return 1.0", "stopped at line"), ("    return float('nan'), 1.0", "two numbers above zero"),
     ("    return 0.0, -1.0", "two numbers above zero"), ("    raise ValueError('no GPU')", "ValueError: no GPU")],
)  # fmt: skip
def test_what_gives_no_figures_is_told(
    body: str, says: str, exercise: Exercise, tmp_path: Path, in_this_process: None
) -> None:
    (verdict,) = graded(f"def benchmark(first, second, n, device):\n{body}\n", exercise, tmp_path).verdicts
    (failure,) = verdict.failures
    assert says in failure.message.text("en") and verdict.earned == 0


@pytest.mark.slow
def test_the_solution_passes_behind_the_wall_and_a_gpu_is_not_assessed_without_one(device: str) -> None:
    exercise = COURSE.exercises["benchmark"]
    result = grade(Submission(COURSE, exercise, COURSE.solution(exercise), device, fresh_seed()))
    wanted = [PASSED, PASSED, PASSED, PASSED if device == "cuda" else NOT_ASSESSED]
    assert [v.status for v in result.verdicts] == wanted, result.seed


def test_the_same_calls_on_a_world_give_the_same_times_and_what_is_right_is_what_a_cold_call_takes() -> None:
    world = World(("noise",), 5, 4_000_000, 1e12, 50 << 20, (1.0, 1.5))

    def walk() -> list[float]:
        device = SimulatedGPU(world)
        first, second = device.functions()
        x, out = device.randn(world.n), device.empty(world.n)
        times = []
        for call in (first, second, first, second):
            before = device.clock()
            call(x, out)
            times.append(device.clock() - before)
        return times

    assert walk() == walk()
    world = replace(world, effects=())
    assert walk() == pytest.approx([*judge.right(world)] * 2)


@pytest.mark.slow
def test_the_functions_are_measured_on_n_elements_and_no_other_number() -> None:
    """Beside a tensor a thousand times as large nothing counts that makes a benchmark lie."""
    world = judge.drawn("all", 3)[0]
    device = SimulatedGPU(world)
    first, _ = device.functions()
    first(device.randn(world.n))
    for n in (1000 * world.n, world.n - 1, -world.n):
        with pytest.raises(ValueError, match=f"measured on {world.n} elements"):
            first(device.randn(n))


def test_one_call_is_right_by_luck_with_no_seed(exercise: Exercise, tmp_path: Path, in_this_process: None) -> None:
    path = tmp_path / "benchmark.py"
    path.write_text((ROOT / "kernels" / "benchmark.py").read_text(encoding="utf-8") + "\n", encoding="utf-8")
    noise = replace(exercise, checks=(replace(exercise.checks[0], options={"effects": ["noise"]}),))
    lucky = [seed for seed in range(400) if grade(Submission(COURSE, noise, path, "simulator", seed)).earned]
    assert not lucky
