"""One case of the fusion bench: checked, counted and timed, with its reference.

Large tensors are timed in turns, L2 emptied before each, by events. Small ones three ways: `gpu_s` behind a sleeping
GPU, so that the host is ahead; `eager_s`, back to back with the host as it is; `graph_s`, in a CUDA graph. What the
host needs for a call, `host_s`, is measured while the GPU sleeps.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from audits.bench import roofs
from audits.bench.fusion.cases import Case
from audits.bench.fusion.ways import EPS, Tensors, Ways
from audits.bench.graphs import in_graph
from onekernel.bench.device import Device
from onekernel.bench.sample import AboveRoof, Sample, WrongOutput
from onekernel.bench.timing import L2Emptier, interleaved
from onekernel.ops import OPERATORS
from onekernel.ops.base import Arrays, Mismatch, worst

REPEATS = 9
SETS = 48  # of tensors that a graph walks over, at most
CALLS = 50  # back to back
EAGER = ("unfused", "framework")  # whose operators PyTorch dispatches one by one
ROWS = 4  # that are compared in float64
LOOSE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 6e-2}  # operator by operator, each result is rounded
COS_COS = {"float32": 1e-6, "float16": 5.5e-4, "bfloat16": 4.3e-3}  # of a polynomial, twice, and of one rounding
SLEEP = 12_000_000  # cycles, about 6 ms: longer than the host needs for CALLS calls

Call = Callable[[], Any]


def measure(case: Case, ways: Ways, card: Device, emptier: L2Emptier) -> dict[str, Any]:
    """A case as it goes to JSON: the reference's time, and for each way its times, or why it has none."""
    began = time.perf_counter()
    sets = tensors(case, SETS if case.launch_bound else 1)
    answers: dict[str, Any] = {}
    bound: dict[str, list[Call]] = {}
    for name, call in ways.bound(case, sets[0]).items():
        try:
            check(case, sets[0], call(), strict=name in ("cuda", "triton"))
            bound[name] = [call]
        except Exception as error:  # a compiler may raise anything; it must not end the run
            answers[name] = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    for other in sets[1:]:
        for name, call in ways.bound(case, other).items():
            if name in bound:
                bound[name].append(call)
    reference = {case.reference: [references(case, t) for t in sets]}
    timed = _small({**reference, **bound}) if case.launch_bound else _large({**reference, **bound}, emptier)
    for name, found in timed.items():
        answers[name] = found
        if case.counted and name in bound:
            answers[name] |= _launches(bound[name][0]) | (_moved(bound[name][0]) if name in EAGER else {})
        if "median_s" in found:
            answers[name] |= _refused(case, Sample.from_json(found), card)
    return {
        "operation": case.operation, "dtype": case.dtype, "size": case.size, "ragged": case.ragged,
        "rows": case.shape[0], "cols": case.shape[1], "bytes": case.traffic, "reference": case.reference,
        "method": "calls" if case.launch_bound else "events", "ways": answers,
        "took_s": round(time.perf_counter() - began, 2),
    }  # fmt: skip


def tensors(case: Case, count: int) -> list[Tensors]:
    """Sets of random tensors; those of a ragged case begin at the second element of an allocation."""
    import torch

    rows, cols = case.shape
    dtype = getattr(torch, case.dtype)

    def one(shape: Sequence[int], normal: bool = True) -> Any:
        size = rows * cols if len(shape) == 2 else cols
        flat = torch.empty(size + case.ragged, dtype=dtype, device="cuda")
        if normal:
            flat.normal_()
        return flat[case.ragged :].view(*shape)

    weight = one((cols,))
    two = case.inputs == 2
    made = []
    for _ in range(count):
        x, y = one((rows, cols)), one((rows, cols), normal=False)
        made.append(Tensors(x, one((rows, cols)) if two else x, weight, y))
    return made


def references(case: Case, t: Tensors) -> Call:
    """What limits the operator: y = x, or y = x + w."""
    import torch

    return (lambda: torch.add(t.x, t.w, out=t.y)) if case.reference == "add" else (lambda: t.y.copy_(t.x))


def _large(calls: Mapping[str, Sequence[Call]], emptier: L2Emptier) -> dict[str, dict[str, Any]]:
    samples = interleaved({name: some[0] for name, some in calls.items()}, REPEATS, emptier)
    return {name: s.to_json() for name, s in samples.items()}


def _small(calls: Mapping[str, Sequence[Call]]) -> dict[str, dict[str, Any]]:
    graphs = in_graph(calls, REPEATS)
    found: dict[str, dict[str, Any]] = {}
    for name, some in calls.items():
        graph = graphs[name]
        found[name] = _back_to_back(some[0])
        key = {"no_graph": str(graph)[:200]} if isinstance(graph, Exception) else {"graph_s": graph.median}
        found[name] |= key
    return found


def _back_to_back(call: Call) -> dict[str, float]:
    """Medians per call: of the GPU with the host ahead, of the host meanwhile, and of both as they are."""
    import torch

    gpu: list[float] = []
    host: list[float] = []
    eager: list[float] = []
    for turn in range(REPEATS + 2):
        for asleep in (True, False):
            torch.cuda.synchronize()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            if asleep:
                torch.cuda._sleep(SLEEP)
            start.record()
            began = time.perf_counter()
            for _ in range(CALLS):
                call()
            took = time.perf_counter() - began
            end.record()
            torch.cuda.synchronize()
            seconds = start.elapsed_time(end) / 1e3 / CALLS
            if turn >= 2:  # the first ones warm up
                (gpu if asleep else eager).append(seconds)
                if asleep:
                    host.append(took / CALLS)
    return {"gpu_s": statistics.median(gpu), "host_s": statistics.median(host), "eager_s": statistics.median(eager)}


def _refused(case: Case, sample: Sample, card: Device) -> dict[str, str]:
    written = case.traffic / (case.inputs + 1)
    try:
        roofs.check(sample, case.traffic - written, written, card)
    except AboveRoof as error:
        return {"discarded": str(error)}
    return {}


def _moved(call: Call) -> dict[str, int]:
    """The bytes of what a call's operators read and write, each operator for itself."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    moved = 0

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal moved
            out = func(*args, **(kwargs or {}))
            if not func.is_view:
                every = torch.utils._pytree.tree_leaves((args, kwargs, out))
                moved += sum(t.numel() * t.element_size() for t in every if isinstance(t, torch.Tensor))
            return out

    watch: Any = Watch
    with watch():
        call()
    return {"bytes_moved": moved}


def _launches(call: Call) -> dict[str, int]:
    """How many kernels a call launches, by PyTorch's profiler."""
    import torch

    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    kernels = [e.name for e in profile.events() or () if str(e.device_type).endswith("CUDA")]
    return {"launches": sum(not name.startswith(("Memset", "Memcpy")) for name in kernels)}


def check(case: Case, t: Tensors, out: Any, strict: bool) -> None:
    """Compares a few rows with the operator in float64: raises WrongOutput. `strict`: with the tolerance of the
    exercise, for what rounds once."""
    rows = sorted({0, case.shape[0] - 1, *np.random.default_rng(0).integers(0, case.shape[0], ROWS).tolist()})
    names = {"softmax_mul": {"x": t.x, "w": t.w}, "rmsnorm": {"x": t.x, "residual": t.w}}
    inputs: Arrays = {k: _rows(v, rows) for k, v in names.get(case.operation, {"x": t.x}).items()}
    if case.operation == "rmsnorm":
        inputs |= {"weight": t.weight.double().cpu().numpy(), "eps": np.array(np.float32(EPS), np.float64)}
    if case.operation == "gelu":
        inputs["approximate"] = np.array(1.0)
    got = _rows(out, rows)
    if case.operation == "cos_cos":
        want = np.cos(np.cos(inputs["x"]))
        found = worst(got, want, COS_COS[case.dtype] * np.ones_like(want))
    else:
        operator = OPERATORS[case.operation]
        want = operator.oracle(inputs)["y"]
        found = operator.compare(got, want, case.dtype, inputs)
    if not strict:
        found = worst(got, want, LOOSE[case.dtype] * (np.abs(want) + np.abs(want).mean()))
    if found:
        raise WrongOutput(_told(found))


def _rows(tensor: Any, rows: list[int]) -> np.ndarray:
    picked: np.ndarray = tensor[rows].double().cpu().numpy()
    return picked


def _told(found: Mismatch) -> str:
    return f"{found.count} of {found.total} wrong, the worst {found.got!r} instead of {found.want!r} at {found.index}"
