"""Timing of launch-bound calls (a few microseconds) on a GPU.

They are captured in a CUDA graph, and the graph is timed: the launch from Python would otherwise be most of the figure.
The graph walks over sets of tensors (see `rotation`), so that each call finds its inputs in DRAM, and each contender
writes as many different outputs as there are sets, own allocations included.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from onekernel.bench.sample import Sample
from onekernel.bench.timing import FEWEST, REPEATS, Call, count, repeats_of

LAUNCH_BOUND_BYTES = 24 << 20  # below this much traffic a copy takes less than about 8 us: timed in a graph
GRAPH_CALLS = 48  # at least, in a graph: one start of a graph is spread over them


def rotation(bytes_of_inputs: float, l2_bytes: float) -> int:
    """How many sets of tensors a graph walks over: the inputs alone exceed L2 twice, and no call meets its own again
    before GRAPH_CALLS others."""
    return max(GRAPH_CALLS, math.ceil(2 * l2_bytes / bytes_of_inputs) + 1)


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
            graph, calls_of = graphs[name]
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
            times[name].append(seconds / calls_of)
            wanted[name] = repeats_of(2 * seconds, repeats)
    count(began)
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
    number_of = sets * math.ceil(GRAPH_CALLS / sets)
    held: list[Any] = [None] * sets
    with torch.cuda.graph(graph):
        for number in range(number_of):
            held[number % sets] = None
            held[number % sets] = several[number % sets]()
    return graph, number_of
