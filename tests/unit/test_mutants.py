"""What is committed of the mutants' bench: nobody has to wonder about one that the graders let pass."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from audits import records
from audits.mutants import good
from audits.mutants.equivalent import reason
from audits.mutants.files import Original, every
from onekernel.gaps import starter
from onekernel.messages import area
from onekernel.ops import OPERATORS
from support.course import COURSE, ROOT

RECORDED = records.read(records.results(ROOT) / "cpu" / "mutants.json")


def test_no_mutant_is_open() -> None:
    passed = [(f, m) for f, found in RECORDED["files"].items() for m in found if m["end"] == "survived"]
    assert [(f, m["line"], m["after"]) for f, m in passed if reason(f, m) is None] == []


def test_each_file_has_its_mutants_and_each_reason_its_words() -> None:
    assert set(RECORDED["files"]) <= {o.name for o in every(ROOT)}
    assert sum(len(found) for found in RECORDED["files"].values()) >= 300
    for found in RECORDED["files"].values():
        assert all(reason("", m) is None or f"mutant-{reason('', m)}" in area("bench") for m in found)


@pytest.mark.slow
def test_a_mutant_differs_in_one_line_that_is_code() -> None:
    for original in every(ROOT):
        text = original.path.read_text(encoding="utf-8").split("\n")
        for mutant in original.mutants(5):
            changed = [
                n for n, pair in enumerate(zip(text, mutant.text.split("\n"), strict=True), 1) if len({*pair}) > 1
            ]
            assert changed == [mutant.line]


def test_a_small_exercise_is_changed_where_a_learner_writes() -> None:
    made = [(o, m) for o in every(ROOT) if o.lines is not None for m in o.mutants()]
    lone = {"tuned_block"}  # whose gap is a line that no rule changes
    assert {o.slug for o, _ in made} == {e.slug for e in COURSE.exercises.values() if e.home} - lone
    for original, mutant in made:
        solution = original.path.read_text(encoding="utf-8")
        assert mutant.text != solution and starter(mutant.text, original.path) == starter(solution, original.path)


def test_what_mutants_are_made_of_has_names_of_its_own() -> None:
    names = [original.name for original in every(ROOT)]
    assert len(names) == len({*names})


def test_a_line_that_stands_in_two_functions_has_its_reason_in_one() -> None:
    reads = 'x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)'
    lines = (ROOT / "solutions" / "ladder" / "triton_regimes.py").read_text(encoding="utf-8").split("\n")
    found = [number for number, line in enumerate(lines, 1) if line.strip() == reads]
    change = {"before": reads, "after": reads.replace('-float("inf")', "0.0")}
    # Of a part's maximum it is the identity that what lies beyond the row must have; what is written is masked.
    assert [reason("triton_regimes.py", {"line": line, **change}) for line in found] == [None, "not-stored"]


def test_right_kernels_are_called_a_thousand_times_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def run(request: Any) -> Any:
        asked.append(len(request.calls))
        return SimpleNamespace(built=True, calls=[None] * len(request.calls))

    monkeypatch.setattr(good.supervisor, "run", run)
    monkeypatch.setattr(good, "judge_call", lambda *_: [])
    monkeypatch.setattr(good, "MOST_CALLS", 10)  # softmax_mul.cu had 4,320 in one, which filled the disk it gets
    path = ROOT / "solutions" / "vector_add.cu"
    calls, refused = good._called(Original(path, "vector_add", "vector_add", 0), COURSE, range(1, 3), path)
    assert calls == sum(asked) > 10 >= max(asked)
    assert refused == []


def test_a_right_file_gets_the_seeds_that_it_lacks() -> None:
    first, more = good.lacking("vector_add.cu", 0, 14), good.lacking("vector_add.cu", 14, 200)
    assert [*first, *more] == [*good.lacking("vector_add.cu", 0, 200)] and len(first) == 14
    assert not good.lacking("vector_add.cu", 200, 14)
    assert not {*first} & {*good.lacking("gelu.cu", 0, 200)}


def test_a_right_file_is_called_in_a_type_that_its_exercise_has() -> None:
    path = ROOT / "tests" / "right" / "gemm_wmma_through_shared.cu"
    assert Original(path, "gemm_tensorcore", "gemm_tensorcore", 0).exercise(COURSE).dtypes == ("bfloat16",)


def test_right_files_are_listed_under_an_operator_of_the_course():
    """A port in tests/right answers none: the bench broke off where it came to it."""
    found = good.right_files(ROOT, COURSE)
    assert set(found) <= set(OPERATORS) and all(found.values()) and len(found["softmax"]) >= 5
