"""What can be counted of a kernel, by name, over all launches of a call: for limits, and for questions about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onekernel import counts
from onekernel.checks import worst_line
from onekernel.checks.worst_line import Find
from onekernel.counts import KernelCounts

Kernels = Sequence[KernelCounts]


@dataclass(frozen=True)
class Tally:
    """A count: its name, which is also that of its words in messages/practice.toml, its value, the way to find the
    line of a file that it comes from mostly, where there is one, and whose accesses it counts: those to "global" or to
    "shared" memory, of which the compiler may make fewer than are written."""

    name: str
    value: Callable[[Kernels], float]
    worst: Find | None = None
    space: str | None = None


def _sum(*metrics: str) -> Callable[[Kernels], float]:
    return lambda kernels: sum(k.metrics.get(m, 0) for k in kernels for m in metrics)


def _ratio(over: str, under: str) -> Callable[[Kernels], float]:
    def value(kernels: Kernels) -> float:
        below = _sum(under)(kernels)
        return _sum(over)(kernels) / below if below else 0.0

    return value


_WAVEFRONTS = (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_STORE_WAVEFRONTS)
_CONFLICTS = (counts.SHARED_LOAD_CONFLICTS, counts.SHARED_STORE_CONFLICTS)

TALLIES = {
    t.name: t
    for t in (
        Tally("load_requests", _sum(counts.LOAD_REQUESTS), worst_line.loads, "global"),
        Tally("store_requests", _sum(counts.STORE_REQUESTS), space="global"),
        Tally("load_sectors", _sum(counts.LOAD_SECTORS), worst_line.scattered, "global"),
        Tally("store_sectors", _sum(counts.STORE_SECTORS), worst_line.scattered, "global"),
        Tally("sectors_per_load", _ratio(counts.LOAD_SECTORS, counts.LOAD_REQUESTS), worst_line.scattered, "global"),
        Tally("bytes_loaded", _sum(counts.BYTES_LOADED), worst_line.asked_to_load, "global"),
        Tally("bytes_stored", _sum(counts.BYTES_STORED), worst_line.asked, "global"),
        Tally("wavefronts", _sum(*_WAVEFRONTS), worst_line.shared, "shared"),
        Tally("bank_conflicts", _sum(*_CONFLICTS), worst_line.conflicts, "shared"),
        Tally("barriers", _sum(counts.BARRIERS), worst_line.barriers),
        Tally("atomics", _sum(counts.ATOMICS)),
        Tally("divergent_branches", _sum(counts.DIVERGENT_BRANCHES)),
        Tally("remote_bytes", _sum(counts.DISTRIBUTED_BYTES)),
        Tally("launches", lambda kernels: float(len(kernels))),
        Tally("blocks", lambda kernels: float(sum(math.prod(k.grid) for k in kernels))),
        Tally("threads", lambda kernels: float(sum(math.prod(k.grid) * math.prod(k.block) for k in kernels))),
    )
}
