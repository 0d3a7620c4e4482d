"""How long do two functions take on a GPU? Borja's version.

Check:  onekernel check benchmark

What was wrong with the starter. I changed the first and ran the check, which named the other six:
    1  x was zeros, and zeros draw less power: randn
    2  first(x) allocated its result, inside of what was timed: an `out` of ours
    3  the first call compiles (it said 400 ms for 41 us): one call before anything is timed
    4  a GPU at rest has a low clock: half a second of work before the first sample
    5  a launch returns at once: events in the GPU's own queue, and synchronize before they are read
    6  x is in L2 from the call before: something twice as large as L2 is written before each sample
    7  one sample is an accident: 51, and their median
3 and 7 I knew from timing pipelines. 5 I had read about. 1 and 4 I would never have thought of: that power and clocks
have anything to do with the time of my loop.
But:    all of it ran on the check's simulated device. What a real GPU says, the last check will tell at work.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any, Protocol

SAMPLES = 51
FLOAT = 4  # bytes


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


def sample(function: Callable[..., Any], x: Any, out: Any, flush: Any, device: Device) -> float:
    """The seconds of one call whose input is in memory and not in L2."""
    device.fill(flush)
    begin, end = device.event(), device.event()
    begin.record()
    function(x, out)
    end.record()
    device.synchronize()
    return begin.elapsed(end)


def warm_up(function: Callable[..., Any], x: Any, out: Any, device: Device) -> None:
    """Compiles, and then keeps the GPU busy until its clock has risen."""
    function(x, out)
    device.synchronize()
    start = device.clock()
    while device.clock() - start < 0.5:
        for _ in range(20):
            function(x, out)
        device.synchronize()


def benchmark(
    first: Callable[..., Any], second: Callable[..., Any], n: int, device: Device
) -> tuple[float, float]:
    """The seconds that one call of first(x, out) takes on the GPU, and one of second(x, out).

    x has n random elements, and neither x nor out lies in L2 when a call begins. Without `out` a function allocates its
    result. The figure is the median of a device that is warm.
    """
    x, out = device.randn(n), device.empty(n)
    flush = device.empty(2 * device.l2_bytes // FLOAT)
    for function in (first, second):
        warm_up(function, x, out, device)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(SAMPLES):  # in turn: whatever drifts, drifts for both
        times[0].append(sample(first, x, out, flush, device))
        times[1].append(sample(second, x, out, flush, device))
    return median(times[0]), median(times[1])
