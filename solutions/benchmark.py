"""How long two functions take on a GPU, so that nobody has to take it back.

Check:  onekernel check benchmark
Bench:  none: this is one
Idea:   every line is there because a figure was wrong without it: a call that compiles, a clock that has not
        risen, a launch that returns early, a cache that still holds the input, a sample that something disturbed.
But:    it measures a function alone. In a program its input may well lie in L2, and its launch may be what counts.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any, Protocol


class Event(Protocol):
    """A point in the GPU's queue of work."""

    def record(self) -> None:
        """Puts it behind all that was asked so far."""

    def elapsed(self, later: Event) -> float:
        """Seconds from this event to a later one. The GPU must have reached both."""


class Device(Protocol):
    """A GPU. Tensors are of float32."""

    l2_bytes: int

    def clock(self) -> float:
        """Seconds on the host's clock."""

    def synchronize(self) -> None:
        """Waits until the GPU has done all that was asked."""

    def event(self) -> Event:
        """A new event."""

    def randn(self, n: int) -> Any:
        """A new tensor of n normally distributed numbers; zeros, ones and empty likewise."""

    def zeros(self, n: int) -> Any: ...

    def ones(self, n: int) -> Any: ...

    def empty(self, n: int) -> Any: ...

    def fill(self, tensor: Any) -> None:
        """Has the GPU write every element of a tensor."""


# <gap>
REPEATS = 31
WARM_UPS = 30


# </gap>
def benchmark(
    first: Callable[..., Any], second: Callable[..., Any], n: int, device: Device
) -> tuple[float, float]:
    """The seconds that one call of first(x, out) takes on the GPU, and one of second(x, out).

    x has n random elements, and neither x nor out lies in L2 when a call begins. Without `out` a function allocates its
    result. The figure is the median of a device that is warm.
    """
    # <gap>
    #| x = device.zeros(n)
    #| start = device.clock()
    #| first(x)
    #| middle = device.clock()
    #| second(x)
    #| # TODO: what is wrong with these figures? There are seven reasons.
    #| return median([middle - start]), median([device.clock() - middle])
    x, out = device.randn(n), device.empty(n)
    emptier = device.empty(2 * device.l2_bytes // 4)  # twice what L2 holds, in elements of 4 bytes
    samples: dict[Callable[..., Any], list[tuple[Event, Event]]] = {first: [], second: []}
    for call in samples:
        call(x, out)
    for _ in range(WARM_UPS):
        device.fill(emptier)
    for _ in range(REPEATS):
        for call, taken in samples.items():
            start, end = device.event(), device.event()
            device.fill(emptier)  # also keeps the GPU busy until the host has asked for what follows
            start.record()
            call(x, out)
            end.record()
            taken.append((start, end))
    device.synchronize()
    one, other = (median(start.elapsed(end) for start, end in taken) for taken in samples.values())
    return one, other
    # </gap>
