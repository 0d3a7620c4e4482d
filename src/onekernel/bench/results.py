"""What a softmax result file says: percentages of the copy, the best peer, the cells that fall short."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.bench.sample import Sample, compare
from onekernel.messages import Message

OURS = "softmax_tuned"
PEERS = ("F.softmax", "torch.compile", "Liger", "QuACK")
COPY_GOAL = 0.95  # of the copy's speed, where the traffic is at least COPY_GOAL_BYTES
COPY_GOAL_BYTES = 60e6


@dataclass(frozen=True)
class Measured:
    """One cell of a result file, with the samples that stand (not refused, failed or discarded)."""

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
        """The fastest of PEERS in this cell."""
        timed = [name for name in PEERS if name in self.samples]
        return min(timed, key=lambda name: self.samples[name].median, default=None)

    def against_best_peer(self) -> str | None:
        """ "faster", "slower" or "inconclusive": ours against the best peer. None where one of them has no time."""
        peer = self.best_peer()
        if peer is None or OURS not in self.samples:
            return None
        return compare(self.samples[OURS], self.samples[peer])


def read(path: Path) -> tuple[dict[str, Any], list[Measured]]:
    """A result file of bench/softmax.py and its cells that have a copy to compare with.

    Raises OSError, ValueError or KeyError for anything else.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    stands = lambda answer: "median_s" in answer and "discarded" not in answer  # noqa: E731
    return data, [_cell(cell) for cell in data["cells"] if stands(cell["contenders"]["copy"])]


def _cell(cell: Mapping[str, Any]) -> Measured:
    samples = {
        name: Sample.from_json(answer)
        for name, answer in cell["contenders"].items()
        if "median_s" in answer and "discarded" not in answer
    }
    fields = ("dtype", "rows", "cols", "shift", "bytes", "method")
    return Measured(**{name: cell[name] for name in fields}, samples=samples)


def expected(root: Path, bench: str, wanted: Sequence[Any] = ()) -> Message:
    """How long a bench takes, by a result file of it under `root` that says so: one from a GPU before one without.

    `wanted` are the cells of a softmax run: those that the file holds count what they took, others the mean of these.
    """
    for path in sorted((root / "bench" / "results").glob(f"*/{bench}.json"), key=lambda p: p.parent.name == "cpu"):
        data = json.loads(path.read_text(encoding="utf-8"))
        took = data.get("took")
        if not took:
            continue
        wall, gpu = float(took["wall_s"]), took.get("gpu_s")
        each = {(c["dtype"], c["rows"], c["cols"], c["shift"]): c["took"] for c in data.get("cells", []) if "took" in c}
        if wanted and each:
            mine = [each[key] for c in wanted if (key := (c.dtype, c.rows, c.cols, c.shift)) in each]
            mine = mine or list(each.values())
            wall, gpu = (len(wanted) * sum(t[key] for t in mine) / len(mine) for key in ("wall_s", "gpu_s"))
        name = data.get("device", {}).get("name") or data.get("gpu") or data.get("machine") or data.get("cpu")
        values = {"wall": f"{wall:.0f}", "gpu": f"{gpu or 0:.0f}", "name": name, "date": data["date"]}
        return Message("bench.expected-gpu" if gpu else "bench.expected", values)
    return Message("bench.expected-unknown")


def geometric_mean(cells: Iterable[Measured], name: str) -> tuple[float, float, int] | None:
    """Over cells of COPY_GOAL_BYTES and more: geometric mean and lowest of `of_copy`, and their number."""
    values = [v for c in cells if c.bytes >= COPY_GOAL_BYTES and (v := c.of_copy(name)) is not None]
    if not values:
        return None
    return math.exp(sum(map(math.log, values)) / len(values)), min(values), len(values)


@dataclass(frozen=True)
class Shortfall:
    """A cell in which ours misses a goal: `goal` is "peer" (the best one is faster) or "copy"."""

    cell: Measured
    goal: str
    ours: Sample
    theirs: Sample
    peer: str


def shortfalls(cells: Iterable[Measured]) -> list[Shortfall]:
    """Every cell in which ours is slower than the best peer beyond the spread, or below the copy's goal."""
    found = []
    for cell in cells:
        ours = cell.samples.get(OURS)
        if ours is None:
            continue
        peer = cell.best_peer()
        if peer is not None and cell.against_best_peer() == "slower":
            found.append(Shortfall(cell, "peer", ours, cell.samples[peer], peer))
        speed = cell.of_copy(OURS) or 0.0
        if cell.bytes >= COPY_GOAL_BYTES and speed < COPY_GOAL:
            found.append(Shortfall(cell, "copy", ours, cell.samples["copy"], "copy"))
    return found
