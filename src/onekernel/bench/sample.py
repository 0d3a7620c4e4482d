"""A measured time with its spread, and what may be concluded from two of them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sample:
    """Repeated timings of one call, in seconds: the median, the quartiles around it, how many there were."""

    median: float
    q1: float
    q3: float
    count: int

    @classmethod
    def of(cls, times: Sequence[float]) -> Sample:
        """From raw timings in seconds. Raises ValueError where there are none, or one is not above zero."""
        if not times or min(times) <= 0:
            raise ValueError(f"timings must be above zero and at least one: {list(times)[:3]}")
        if len(times) == 1:
            return cls(times[0], times[0], times[0], 1)
        q1, median, q3 = statistics.quantiles(times, n=4, method="inclusive")
        return cls(median, q1, q3, len(times))

    @property
    def spread(self) -> float:
        """The interquartile range over the median: 0.01 means that half of the timings lie within 1 %."""
        return (self.q3 - self.q1) / self.median

    def to_json(self) -> dict[str, float | int]:
        return {"median_s": self.median, "q1_s": self.q1, "q3_s": self.q3, "count": self.count}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sample:
        return cls(float(data["median_s"]), float(data["q1_s"]), float(data["q3_s"]), int(data["count"]))


def compare(a: Sample, b: Sample) -> str:
    """ "faster" or "slower" (a than b), or "inconclusive" where the spread exceeds the difference.

    The quartile boxes must not touch: the slower one's first quartile lies above the faster one's third.
    """
    if a.q3 < b.q1:
        return "faster"
    if b.q3 < a.q1:
        return "slower"
    return "inconclusive"


class AboveRoof(ValueError):
    """A time in which the card cannot have moved the bytes: the work was not done, or not by then."""


class WrongOutput(ValueError):
    """What was timed wrote something else than its operator: its time says nothing."""


def floor_seconds(bytes_read: float, bytes_written: float, bandwidth: float, l2_bytes: float) -> float:
    """The least time for traffic that starts with an L2 empty of the inputs: bytes over the datasheet's bandwidth.

    What a launch writes may still lie in L2 when it ends, so up to `l2_bytes` of the writes are not counted.
    """
    return (bytes_read + max(0.0, bytes_written - l2_bytes)) / bandwidth


def refuse_above_roof(sample: Sample, floor: float) -> None:
    """Raises AboveRoof for a median below `floor` seconds."""
    if sample.median < floor:
        raise AboveRoof(f"{sample.median * 1e6:.1f} us is less than the {floor * 1e6:.1f} us that the traffic takes")
