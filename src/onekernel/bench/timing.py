"""Timing on a GPU: contenders take turns, L2 is emptied before each, two events stand around each."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from onekernel.bench.sample import Sample

Call = Callable[[], Any]

REPEATS = 25
FEWEST = 5
MOST_SECONDS = 0.25  # of one contender at one shape; slow ones get fewer repeats
EMPTIER_BYTES = 512 << 20  # eight times the largest L2 in the course's table of cards

_timed = 0.0


def seconds_timed() -> float:
    """What this process has spent in timings so far, L2 emptying included: the time that a GPU was kept busy."""
    return _timed


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
    wanted = {name: repeats_of(p[0][0].elapsed_time(p[0][1]) / 1e3, repeats) for name, p in pairs.items()}
    pairs = {name: [] for name in calls}  # the first one warmed up
    order = random.Random(len(calls))
    for turn in range(repeats):
        for name in order.sample(list(calls), len(calls)):
            if len(pairs[name]) < wanted[name]:
                pairs[name].append(once(calls[name]))
        if turn == min(repeats, FEWEST) // 2:  # every contender still takes part
            in_flight()
        torch.cuda.synchronize()
    count(began)
    return {name: Sample.of([s.elapsed_time(e) / 1e3 for s, e in p]) for name, p in pairs.items()}


def repeats_of(first: float, repeats: int) -> int:
    """How often a call is timed that took `first` seconds."""
    return max(min(repeats, FEWEST), min(repeats, int(MOST_SECONDS / max(first, 1e-9))))


def count(began: float) -> None:
    """Adds what has passed since `began` to what is counted as spent in timings."""
    global _timed
    _timed += time.perf_counter() - began
