"""Speed of fused operators: what a process says of its launches is judged for each operator, without a GPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Buffer, Scalar
from onekernel.bench import credit, device
from onekernel.bench.sample import Sample
from onekernel.checks.speed import judge
from onekernel.course import find_root
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.ops.base import DTYPES
from onekernel.sandbox import supervisor
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome

ROOT = find_root(Path(__file__).parent)
SHAPES = ((6, 40), (5, 33))


def answered(s: Submission, wrong: bool):
    """A process that reports 10 us for each launch, and the operator's own results, or others."""

    def run(request):
        calls = []
        for _, args in request.calls:
            dtype = "float32" if args[0].itemsize == 4 else "bfloat16"
            buffers = {a.name: a for a in args if isinstance(a, Buffer)}
            sizes = [a for a in args if isinstance(a, int)]
            flat = len(sizes) == 1
            shape = (sizes[0],) if flat else tuple(sizes[:2])
            given = {n: b.memory.view(DTYPES[dtype]).astype(np.float64) for n, b in buffers.items() if not b.writable}
            inputs = {n: v if n == "weight" else v.reshape(shape) for n, v in given.items()}
            inputs |= {a.name: np.array(float(a.value)) for a in args if isinstance(a, Scalar)}
            y = s.operator.oracle(inputs)["y"] * (1.01 if wrong else 1.0)
            after = {n: b.memory for n, b in buffers.items()} | {"y": y.astype(DTYPES[dtype]).view(np.uint8).ravel()}
            calls.append(CallOutcome(after=after, times=(10e-6,) * request.timed["launches"]))
        return RunOutcome(calls)

    return run


@pytest.mark.parametrize("slug", ["gelu", "softmax_mul", "rmsnorm", "softmax_tuned"])
@pytest.mark.parametrize("wrong", [False, True])
def test_a_fused_operator_is_timed_and_its_kept_launch_is_checked(
    slug: str, wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = load(ROOT)
    exercise = course.exercises[slug]
    s = Submission(course, exercise, course.solution(exercise), "cuda", 1)
    beside = replace(credit.BESIDE[s.operator.name], shapes=SHAPES, representative=SHAPES[0])
    monkeypatch.setitem(credit.BESIDE, s.operator.name, beside)
    times = (Sample.of([9.5e-6]), Sample.of([15e-6]), 8e-6)
    monkeypatch.setattr(credit, "reference", lambda *_: times)
    monkeypatch.setattr(credit, "L2Emptier", lambda: None)
    monkeypatch.setattr(device, "current", lambda: None)
    monkeypatch.setattr(supervisor, "run", answered(s, wrong))
    check = next(c for c in exercise.checks if c.kind.name == "speed")
    verdict = judge.judge(s, check, [], [])
    assert verdict.earned == (0 if wrong else check.points)
    words = [str(f.message) for f in verdict.failures] or [str(verdict.note)]
    limit = "copy" if s.operator.name in ("gelu", "softmax") else "addition"
    assert "wrong result" in words[0] if wrong else f"95 % of the {limit}'s speed" in words[0]
    assert not wrong or verdict.status == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("operator", credit.BESIDE)
def test_what_pytorch_is_asked_for_is_the_operator(operator: str) -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.randn(7, 33), torch.randn(7, 33)
    y = torch.empty_like(x)
    got = credit._by_torch(operator, x, w, y).double().numpy().ravel()
    from onekernel.ops import OPERATORS

    numbers = {"x": x.double().numpy(), "w": w.double().numpy(), "residual": w.double().numpy()}
    extra = {"weight": w[0].double().numpy(), "eps": np.array(1e-5), "approximate": np.array(0.0)}
    want = OPERATORS[operator].oracle({k: v.ravel() if operator == "gelu" else v for k, v in numbers.items()} | extra)
    assert got == pytest.approx(want["y"].ravel(), rel=1e-4, abs=1e-6)
