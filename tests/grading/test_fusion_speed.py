"""Speed of fused operators and of products: what a process says of its launches is judged for each, without a GPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audits import records
from onekernel.backends.base import Buffer, Scalar
from onekernel.bench import credit, device
from onekernel.bench.sample import Sample
from onekernel.checks.speed import judge
from onekernel.grading.submission import Submission
from onekernel.messages import Message
from onekernel.ops.base import DTYPES
from onekernel.sandbox import supervisor
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from support.course import COURSE, ROOT

SHAPES = ((6, 40), (5, 33))


def answered(submission: Submission, wrong: bool):
    """A process that reports 10 us for each launch, and the operator's own results, or others."""

    def run(request):
        calls = []
        for _, args in request.calls:
            dtype = "float32" if args[0].itemsize == 4 else "bfloat16"
            buffers = {a.name: a for a in args if isinstance(a, Buffer)}
            sizes = dict(zip(submission.operator.sizes, (a for a in args if isinstance(a, int)), strict=False))
            scalars = {a.name: float(a.value) for a in args if isinstance(a, Scalar)}
            inputs = {
                p.name: buffers[p.name].memory.view(DTYPES[dtype]).astype(np.float64).reshape(p.dims(sizes, scalars))
                for p in submission.operator.inputs()
            } | {name: np.array(value) for name, value in scalars.items()}
            ((out, y),) = submission.operator.oracle(inputs).items()
            y = y * (1.01 if wrong else 1.0)
            after = {n: b.memory for n, b in buffers.items()} | {out: y.astype(DTYPES[dtype]).view(np.uint8).ravel()}
            calls.append(CallOutcome(after=after, times=(10e-6,) * request.timed["launches"]))
        return RunOutcome(calls)

    return run


@pytest.mark.parametrize("slug", ["gelu", "softmax_mul", "rmsnorm", "softmax_tuned", "gemm_tiled", "gemm_tensorcore"])
@pytest.mark.parametrize("wrong", [False, True])
def test_an_operator_is_timed_and_its_kept_launch_is_checked(
    slug: str, wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises[slug]
    submission = Submission(COURSE, exercise, COURSE.solution(exercise), "cuda", 1)
    shapes = (
        tuple((*shape, 12)[: len(submission.operator.sizes)] for shape in SHAPES) if slug.startswith("gemm") else SHAPES
    )
    beside = replace(credit.BESIDE[submission.operator.name], shapes=shapes, representative=shapes[0])
    monkeypatch.setitem(credit.BESIDE, submission.operator.name, beside)
    times = (Sample.of([9.5e-6]), Sample.of([15e-6]), 8e-6)
    monkeypatch.setattr(credit, "reference", lambda *_: times)
    monkeypatch.setattr(credit, "L2Emptier", lambda: None)
    monkeypatch.setattr(device, "current", lambda: None)
    monkeypatch.setattr(supervisor, "run", answered(submission, wrong))
    check = next(c for c in exercise.checks if c.kind.name == "speed")
    verdict = judge.judge(submission, check, [], [])
    assert verdict.earned == (0 if wrong else check.points)
    words = [str(f.message) for f in verdict.failures] or [str(verdict.note)]
    limit = {"copy": "copy", "add": "addition", "library": "library"}[beside.limit]
    assert "wrong result" in words[0] if wrong else f"95 % of the {limit}'s speed" in words[0]
    assert not wrong or verdict.status == "failed"


@pytest.mark.parametrize("built", [True, False])
def test_how_the_timed_process_ended_is_said(built: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = COURSE.exercises["gelu"]
    submission = Submission(COURSE, exercise, COURSE.solution(exercise), "cuda", 1)
    how = Message("grading.killed", {"signal": "SIGXFSZ"})

    def run(request):
        return RunOutcome([CallOutcome(ended=how) for _ in request.calls], ended=None if built else how)

    monkeypatch.setitem(credit.BESIDE, "gelu", replace(credit.BESIDE["gelu"], shapes=SHAPES, representative=SHAPES[0]))
    references = {(dtype, *shape): None for dtype in ("float32", "bfloat16") for shape in SHAPES}
    monkeypatch.setattr(credit, "references", lambda *_: references)
    monkeypatch.setattr(device, "current", lambda: None)
    monkeypatch.setattr(supervisor, "run", run)
    verdict = judge.judge(submission, next(c for c in exercise.checks if c.kind.name == "speed"), [], [])
    assert verdict.earned == 0 and [f.message for f in verdict.failures].count(how) == 1


@pytest.mark.slow
@pytest.mark.parametrize("operator", [name for name, beside in credit.BESIDE.items() if beside.limit != "library"])
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


@pytest.mark.parametrize(("share", "fraction"), [(0.29, 0.0), (0.3, 0.6), (0.6, 0.8), (0.9, 1.0), (1.3, 1.0)])
def test_a_product_earns_from_30_percent_of_the_library_on_and_all_at_90(share: float, fraction: float) -> None:
    """In the type that its exercise has: another one is not asked for."""
    timed = credit.Timed(Sample.of([1e-3 / share]), Sample.of([1e-3]), Sample.of([1e-3]), 1e-6, True)
    times = {("bfloat16", *shape): timed for shape in credit.PRODUCT_SHAPES}
    dtypes = credit.types_of(("float16", "bfloat16"))
    assert dtypes == ("bfloat16",)
    assert credit.score(times, "gemm", dtypes).fraction == pytest.approx(fraction)
    told = str(credit.score(times, "gemm", dtypes).notes[-1])
    assert ("torch.matmul; 30 % passes" if share < 0.3 else "of the library's speed") in told


def test_no_kernel_that_was_measured_took_less_than_what_is_called_impossible() -> None:
    data = records.read(ROOT / "bench" / "results" / "h200" / "gemm.json")
    card, seen = device.Device(**data["device"]), 0
    for cell in data["cells"]:
        shape, itemsize = (cell["m"], cell["n"], cell["k"]), DTYPES[cell["dtype"]].itemsize
        limit = credit.least_for_product(card, cell["dtype"], shape, itemsize)
        times = [w["median_s"] for n, w in cell["ways"].items() if "median_s" in w and n not in ("copy", "tf32")]
        assert min(times) >= limit
        seen += len(times)
    assert seen > 100
    square = (4096, 4096, 4096)
    assert credit.least_for_product(card, "float32", square, 4) == pytest.approx(2 * 4096**3 / card.fma_rate)
