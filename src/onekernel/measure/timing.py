"""Timing on a GPU: contenders take turns, L2 is emptied before each, two events stand around each.

Launch-bound calls (a few microseconds) are captured in a CUDA graph over tensors that together exceed L2 twice, and
the graph is timed: the launch from Python would otherwise be most of the figure.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onekernel.measure.sample import Sample

Call = Callable[[], Any]

REPEATS = 25
FEWEST = 5
MOST_SECONDS = 0.25  # of one contender at one shape; slow ones get fewer repeats
EMPTIER_BYTES = 512 << 20  # eight times the largest L2 in the course's table of cards
GRAPH_CALLS = 48


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
    calls: Mapping[str, Call], repeats: int = REPEATS, emptier: L2Emptier | None = None
) -> dict[str, Sample]:
    """Times each call `repeats` times, in turns, each turn starting with another one. Seconds.

    Turns make a drift of the clocks meet everyone alike. A call whose first timing exceeds MOST_SECONDS / FEWEST is
    repeated less: `count` of its sample says how often.
    """
    import torch

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
    names = list(calls)
    for turn in range(repeats):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            if len(pairs[name]) < wanted[name]:
                pairs[name].append(once(calls[name]))
        torch.cuda.synchronize()
    return {name: Sample.of([s.elapsed_time(e) / 1e3 for s, e in p]) for name, p in pairs.items()}


def _repeats(first: float, repeats: int) -> int:
    return max(min(repeats, FEWEST), min(repeats, int(MOST_SECONDS / max(first, 1e-9))))


def in_graph(calls: Mapping[str, Sequence[Call]], repeats: int = REPEATS) -> dict[str, Sample | Exception]:
    """Times each contender's calls as one CUDA graph, in turns; seconds a call.

    `calls` gives each contender the same call on several sets of tensors, which together should exceed L2 twice, so
    that each call finds its inputs in DRAM. A contender that cannot be captured is answered by its exception.
    """
    import torch

    graphs: dict[str, Any] = {}
    answers: dict[str, Sample | Exception] = {}
    for name, several in calls.items():
        try:
            graphs[name] = _capture(several)
        except Exception as error:  # whatever a peer raises is its answer
            answers[name] = error
            torch.cuda.synchronize()
    times: dict[str, list[float]] = {name: [] for name in graphs}
    names = list(graphs)
    for turn in range(repeats):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            graphs[name].replay()  # meets the state that every other replay meets
            start.record()
            graphs[name].replay()
            end.record()
            torch.cuda.synchronize()
            times[name].append(start.elapsed_time(end) / 1e3 / GRAPH_CALLS)
    return answers | {name: Sample.of(t) for name, t in times.items()}


def _capture(several: Sequence[Call]) -> Any:
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for call in several[:3]:
            call()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in itertools.islice(itertools.cycle(several), GRAPH_CALLS):
            call()
    return graph
