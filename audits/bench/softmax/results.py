"""What a softmax result file says: percentages of the copy, the best peer, the cases that fall short."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.bench.sample import Sample, compare

OURS = "softmax_tuned"
PEERS = ("F.softmax", "torch.compile", "Liger", "QuACK")
COPY_GOAL = 0.95  # of the copy's speed, where the traffic is at least COPY_GOAL_BYTES
COPY_GOAL_BYTES = 60e6


@dataclass(frozen=True)
class Measured:
    """One case as a result file has it, with the samples that stand (not refused, failed or discarded)."""

    dtype: str
    rows: int
    cols: int
    shift: int
    bytes: int
    method: str
    samples: Mapping[str, Sample]

    @property
    def shape(self) -> str:
        return f"{self.rows} x {self.cols}" + (f" +{self.shift}" if self.shift else "")

    @property
    def copy_bandwidth(self) -> float:
        """Bytes per second of the copy."""
        return self.bytes / self.samples["copy"].median

    def of_copy(self, name: str) -> float | None:
        """The copy's time over the contender's: 1.0 is the speed of a copy. None where there is no time."""
        sample = self.samples.get(name)
        return self.samples["copy"].median / sample.median if sample else None

    def best_peer(self) -> str | None:
        """The fastest of PEERS in this case."""
        timed = [name for name in PEERS if name in self.samples]
        return min(timed, key=lambda name: self.samples[name].median, default=None)

    def against_best_peer(self) -> str | None:
        """ "faster", "slower" or "inconclusive": ours against the best peer. None where one of them has no time."""
        peer = self.best_peer()
        if peer is None or OURS not in self.samples:
            return None
        return compare(self.samples[OURS], self.samples[peer])


def read(path: Path) -> tuple[dict[str, Any], list[Measured]]:
    """A result file of the softmax bench and its cases that have a copy to compare with.

    Raises OSError, ValueError or KeyError for anything else.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    return data, [_measured(case) for case in data["cells"] if _stands(case["contenders"]["copy"])]


def _measured(case: Mapping[str, Any]) -> Measured:
    samples = {name: Sample.from_json(answer) for name, answer in case["contenders"].items() if _stands(answer)}
    fields = ("dtype", "rows", "cols", "shift", "bytes", "method")
    return Measured(**{name: case[name] for name in fields}, samples=samples)


def _stands(answer: Mapping[str, Any]) -> bool:
    return "median_s" in answer and "discarded" not in answer


def geometric_mean(cases: Iterable[Measured], name: str) -> tuple[float, float, int] | None:
    """Over cases of COPY_GOAL_BYTES and more: geometric mean and lowest of `of_copy`, and their number."""
    values = [v for c in cases if c.bytes >= COPY_GOAL_BYTES and (v := c.of_copy(name)) is not None]
    if not values:
        return None
    return math.exp(sum(map(math.log, values)) / len(values)), min(values), len(values)


@dataclass(frozen=True)
class Shortfall:
    """A case in which ours misses a goal: `goal` is "peer" (the best one is faster) or "copy"."""

    case: Measured
    goal: str
    ours: Sample
    theirs: Sample
    peer: str


def shortfalls(cases: Iterable[Measured]) -> list[Shortfall]:
    """Every case in which ours is slower than the best peer beyond the spread, or below the copy's goal."""
    found = []
    for case in cases:
        ours = case.samples.get(OURS)
        if ours is None:
            continue
        peer = case.best_peer()
        if peer is not None and case.against_best_peer() == "slower":
            found.append(Shortfall(case, "peer", ours, case.samples[peer], peer))
        speed = case.of_copy(OURS) or 0.0
        if case.bytes >= COPY_GOAL_BYTES and speed < COPY_GOAL:
            found.append(Shortfall(case, "copy", ours, case.samples["copy"], "copy"))
    return found


def took(cells: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The seconds of all shapes, those of a run that was resumed too; what came before the first is not counted."""
    mine = [c["took"] for c in cells if "took" in c]
    return {key: round(sum(one[key] for one in mine), 1) for key in ("wall_s", "gpu_s")}
