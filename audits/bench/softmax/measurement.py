"""One case of the softmax bench, measured and checked."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from audits.bench import roofs
from audits.bench.graphs import in_graph, rotation
from audits.bench.softmax.cases import ITEMSIZE, Case
from audits.bench.softmax.contenders import Contender, Refused
from onekernel.bench.device import Clocks, Device, clocks
from onekernel.bench.sample import AboveRoof, Sample, WrongOutput
from onekernel.bench.timing import L2Emptier, interleaved, seconds_timed
from onekernel.ops import softmax

CHECKED_ROWS = 12  # at most, and at most CHECKED_ELEMENTS: the oracle runs on the CPU, twice a contender
CHECKED_ELEMENTS = 1 << 17
_ANSI = re.compile(r"\x1b\[[0-9;]*m")  # colours in a peer's error

def measure(
    case: Case, contenders: Sequence[Contender], device: Device, emptier: L2Emptier, repeats: int,
    seed: int, on_step: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """Measures one case: every contender beside a copy of the same tensors. The result as it goes to JSON.

    Each output is checked against the fp64 oracle before and after the timings, in a `y` poisoned with NaN; a
    contender that fails, refuses or is faster than the card can be is listed with its reason instead of a time.
    """
    began = time.perf_counter()
    sets = _tensors(case, device, seed)
    answers: dict[str, dict[str, Any]] = {}
    calls: dict[str, list[Callable[[], Any]]] = {}
    for contender in contenders:
        on_step(contender.name)
        try:
            bound = [contender.bind(x, y) for x, y in sets]
            _check(bound[0], *sets[0], seed)
            calls[contender.name] = bound
        except Refused as error:
            answers[contender.name] = {"refused": str(error)}
        except Exception as error:  # a peer may raise anything; it must not end the run
            answers[contender.name] = {"failed": _first_line(error)}
    state: list[Clocks] = []  # read while the card works: when it idles, it shows nothing of what slowed it down
    on_step("timing")
    timed = seconds_timed()
    samples = _time(case, calls, sets, emptier, repeats, lambda: state.append(clocks()))
    timed = seconds_timed() - timed
    for name, sample in samples.items():
        if isinstance(sample, Exception):
            answers[name] = {"failed": _first_line(sample)}
            continue
        answers[name] = sample.to_json()
        try:
            roofs.check(sample, case.bytes / 2, case.bytes / 2, device, calls=len(sets))
            if name != "copy":
                _check(calls[name][0], *sets[0], seed + 1)
        except (AboveRoof, WrongOutput) as error:
            answers[name] |= {"discarded": _first_line(error)}
    return {
        "dtype": case.dtype, "rows": case.rows, "cols": case.cols, "shift": case.shift, "bytes": case.bytes,
        "method": "graph" if case.launch_bound else "events", "contenders": answers,
        "clocks": {"during": state[0].to_json() if state else None},
        "took": {"wall_s": round(time.perf_counter() - began, 2), "gpu_s": round(timed, 2)},
    }  # fmt: skip


def _tensors(case: Case, device: Device, seed: int) -> list[tuple[Any, Any]]:
    """One pair (x, y); for a launch-bound case a `rotation` of pairs, cut out of one allocation each for x and y.

    Every pair begins as far from a 256-byte boundary as the case says.
    """
    import torch

    dtype = getattr(torch, case.dtype)
    itemsize = ITEMSIZE[case.dtype]
    several = rotation(case.bytes / 2, device.l2_bytes) if case.launch_bound else 1
    size = case.rows * case.cols
    apart = math.ceil((size + case.shift) * itemsize / 256) * 256 // itemsize  # elements from one pair to the next
    xs = torch.empty(several * apart, dtype=dtype, device="cuda")
    xs.normal_(generator=torch.Generator("cuda").manual_seed(seed))
    ys = torch.full_like(xs, float("nan"))
    starts = [number * apart + case.shift for number in range(several)]
    return [tuple(t[at : at + size].view(case.rows, case.cols) for t in (xs, ys)) for at in starts]  # type: ignore[misc]


def _time(
    case: Case, calls: Mapping[str, Sequence[Callable[[], Any]]], sets: Sequence[tuple[Any, Any]],
    emptier: L2Emptier, repeats: int, in_flight: Callable[[], Any],
) -> Mapping[str, Sample | Exception]:  # fmt: skip
    copies = [lambda x=x, y=y: y.copy_(x) for x, y in sets]
    if case.launch_bound:
        return in_graph({"copy": copies, **calls}, repeats, in_flight)
    several = {"copy": copies[0], **{name: bound[0] for name, bound in calls.items()}}
    return interleaved(several, repeats, emptier, in_flight)


def _check(call: Callable[[], Any], x: Any, y: Any, seed: int) -> None:
    """Runs the call once into a poisoned y and compares sampled rows with the oracle, all rows with a sum of one.

    The rows are drawn after the call has run. Raises WrongOutput.
    """
    import torch

    y.fill_(float("nan"))
    out = call()
    torch.cuda.synchronize()
    if out.shape != x.shape:
        raise WrongOutput(f"shape {tuple(out.shape)}, not {tuple(x.shape)}")
    dtype = str(x.dtype).removeprefix("torch.")
    sums = out.sum(dim=1, dtype=torch.float32)
    worst = float((sums - 1).abs().max())
    limit = (0.004 if dtype == "float32" else 0.02) + x.shape[1] * softmax.SMALLEST_STEP[dtype] / 2
    if not worst <= limit:  # NaN, too
        raise WrongOutput(f"a row sums to {1 + worst:.4f}")
    drawn = np.random.default_rng(seed).integers(0, x.shape[0], CHECKED_ROWS)
    rows = sorted({0, x.shape[0] - 1, *map(int, drawn)})[: max(1, CHECKED_ELEMENTS // x.shape[1])]
    inputs = {"x": x[rows].double().cpu().numpy()}
    mismatch = softmax.compare(out[rows].double().cpu().numpy(), softmax.oracle(inputs)["y"], dtype, inputs)
    if mismatch:
        row, col = (*mismatch.index, 0)[:2]
        raise WrongOutput(f"row {rows[row]}, column {col}: {mismatch.got!r}, not {mismatch.want!r}")


def _first_line(error: BaseException) -> str:
    text = _ANSI.sub("", str(error)).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:200]
