"""Timing on a GPU: contenders take turns, L2 is emptied before each, two events stand around each.

Launch-bound calls (a few microseconds) are captured in a CUDA graph, and the graph is timed: the launch from Python
would otherwise be most of the figure. The graph walks over sets of tensors (see `rotation`), so that each call finds
its inputs in DRAM, and each contender writes as many different outputs as there are sets, own allocations included.
"""

from __future__ import annotations

import math
import random
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onekernel.bench.sample import Sample

Call = Callable[[], Any]

REPEATS = 25
FEWEST = 5
MOST_SECONDS = 0.25  # of one contender at one shape; slow ones get fewer repeats
EMPTIER_BYTES = 512 << 20  # eight times the largest L2 in the course's table of cards
LAUNCH_BOUND_BYTES = 24 << 20  # below this much traffic a copy takes less than about 8 us: timed in a graph
GRAPH_CALLS = 48  # at least, in a graph: one start of a graph is spread over them

_timed = 0.0


def seconds_timed() -> float:
    """What this process has spent in timings so far, L2 emptying included: the time that a GPU was kept busy."""
    return _timed


def took(began: float) -> dict[str, float]:
    """What a result file says of its own duration: seconds since `began` (time.perf_counter), and those of the GPU."""
    return {"wall_s": round(time.perf_counter() - began, 1), "gpu_s": round(_timed, 1)}


def processor_seconds(whose: int = resource.RUSAGE_SELF) -> float:
    """Processor seconds of this process so far; with RUSAGE_CHILDREN of those that it has waited for, and theirs."""
    spent = resource.getrusage(whose)
    return spent.ru_utime + spent.ru_stime


def rotation(bytes_of_inputs: float, l2_bytes: float) -> int:
    """How many sets of tensors a graph walks over: the inputs alone exceed L2 twice, and no call meets its own again
    before GRAPH_CALLS others."""
    return max(GRAPH_CALLS, math.ceil(2 * l2_bytes / bytes_of_inputs) + 1)


class L2Emptier:
    """Writes more than L2 holds, so that no input of the next call is there."""

    def __init__(self, bytes_: int = EMPTIER_BYTES) -> None:
        import torch

        self._memory = torch.empty(bytes_, dtype=torch.uint8, device="cuda")
        l2 = torch.cuda.get_device_properties(self._memory.device).L2_cache_size
        if bytes_ < 2 * l2:
            raise ValueError(f"{bytes_} bytes do not empty an L2 of {l2}")

    def __call__(self) -> None:
        self._memory.zero_()


def interleaved(
    calls: Mapping[str, Call], repeats: int = REPEATS, emptier: L2Emptier | None = None,
    in_flight: Call = lambda: None,
) -> dict[str, Sample]:  # fmt: skip
    """Times each call `repeats` times, in turns, each turn in an order of its own. Seconds.

    Turns make a drift of the clocks meet everyone alike. A call also begins with the clocks and the power budget that
    the one before it left (one library kernel took 4 % longer behind itself than behind a slower product), so that
    nobody may always follow the same one. A call whose first timing exceeds MOST_SECONDS / FEWEST is
    repeated less: `count` of its sample says how often. `in_flight` is called once, while the card works at a turn.
    """
    import torch

    began = time.perf_counter()
    emptier = emptier or L2Emptier()

    def once(call: Call) -> tuple[Any, Any]:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        emptier()
        start.record()
        call()
        end.record()
        return start, end

    pairs: dict[str, list[tuple[Any, Any]]] = {name: [once(call)] for name, call in calls.items()}
    torch.cuda.synchronize()
    wanted = {name: _repeats(p[0][0].elapsed_time(p[0][1]) / 1e3, repeats) for name, p in pairs.items()}
    pairs = {name: [] for name in calls}  # the first one warmed up
    order = random.Random(len(calls))
    for turn in range(repeats):
        for name in order.sample(list(calls), len(calls)):
            if len(pairs[name]) < wanted[name]:
                pairs[name].append(once(calls[name]))
        if turn == min(repeats, FEWEST) // 2:  # every contender still takes part
            in_flight()
        torch.cuda.synchronize()
    _count(began)
    return {name: Sample.of([s.elapsed_time(e) / 1e3 for s, e in p]) for name, p in pairs.items()}


def _repeats(first: float, repeats: int) -> int:
    return max(min(repeats, FEWEST), min(repeats, int(MOST_SECONDS / max(first, 1e-9))))


def in_graph(
    calls: Mapping[str, Sequence[Call]], repeats: int = REPEATS, in_flight: Call = lambda: None
) -> dict[str, Sample | Exception]:
    """Times each contender's calls as one CUDA graph, in turns; seconds a call.

    `calls` gives each contender the same call on several sets of tensors, `rotation` of them where each call is to find
    its inputs in DRAM. A contender that cannot be captured is answered by its exception. `repeats` and `in_flight` as
    in `interleaved`.
    """
    import torch

    began = time.perf_counter()
    graphs: dict[str, tuple[Any, int]] = {}
    answers: dict[str, Sample | Exception] = {}
    for name, several in calls.items():
        try:
            graphs[name] = _capture(several)
        except Exception as error:  # whatever a peer raises is its answer
            answers[name] = error
            torch.cuda.synchronize()
    times: dict[str, list[float]] = {name: [] for name in graphs}
    wanted = dict.fromkeys(graphs, repeats)
    names = list(graphs)
    for turn in range(repeats):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            if len(times[name]) >= wanted[name]:
                continue
            graph, count = graphs[name]
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            graph.replay()  # meets the state that every other replay meets
            start.record()
            graph.replay()
            end.record()
            if turn == min(repeats, FEWEST) // 2 and name == names[0]:
                for _ in range(REPEATS):  # one is over before anybody could look
                    graph.replay()
                in_flight()
            torch.cuda.synchronize()
            seconds = start.elapsed_time(end) / 1e3
            times[name].append(seconds / count)
            wanted[name] = _repeats(2 * seconds, repeats)
    _count(began)
    return answers | {name: Sample.of(t) for name, t in times.items()}


def _capture(several: Sequence[Call]) -> tuple[Any, int]:
    """The graph of at least GRAPH_CALLS calls, each set of tensors as often as every other, and their number.

    The output of a set is held until that set's next call: a contender that allocates would otherwise be given the same
    block back at once, write into L2 again and again, and look faster than a copy.
    """
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for call in several[:3]:
            call()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    sets = len(several)
    count = sets * math.ceil(GRAPH_CALLS / sets)
    held: list[Any] = [None] * sets
    with torch.cuda.graph(graph):
        for number in range(count):
            held[number % sets] = None
            held[number % sets] = several[number % sets]()
    return graph, count


def _count(began: float) -> None:
    global _timed
    _timed += time.perf_counter() - began
