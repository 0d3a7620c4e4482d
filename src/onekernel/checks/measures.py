"""What a kernel does to memory, as one number each: the measures that a check can ask about.

Less is better in every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onekernel import counts
from onekernel.checks import worst_line
from onekernel.checks.worst_line import Find, Worst
from onekernel.counts import KernelCounts
from onekernel.messages import Message
from onekernel.ops import Ledger

WIDEST_REQUEST = 512  # bytes: 16 for each of 32 lanes
LANES = 32  # of a warp
WAVEFRONT = 128  # bytes that shared memory serves at a time: 32 banks of 4


def total(kernels: Sequence[KernelCounts], metric: str) -> float:
    """A metric over all kernels that a launcher started. Raises KeyError where one did not count it."""
    return sum(k.metrics[metric] for k in kernels)


def shape(sizes: Mapping[str, int]) -> str | Message:
    """Sizes in words: "16 x 1024", "65,536 elements"."""
    if len(sizes) == 1:
        return Message("grading.elements", {"count": next(iter(sizes.values()))})
    return " x ".join(str(v) for v in sizes.values())


@dataclass(frozen=True)
class Counted:
    """What the kernels of one call did, the least that the call must do, and its sizes."""

    kernels: Sequence[KernelCounts]
    ideal: Ledger
    sizes: Mapping[str, int]

    def total(self, metric: str) -> float:
        """A metric over all kernels. Raises KeyError where one did not count it."""
        return total(self.kernels, metric)

    @property
    def shape(self) -> str | Message:
        """The sizes in words."""
        return shape(self.sizes)

    def shared_wavefronts(self) -> float:
        return self.total(counts.SHARED_LOAD_WAVEFRONTS) + self.total(counts.SHARED_STORE_WAVEFRONTS)


def bytes_requested(c: Counted) -> float:
    """Bytes that threads asked for over the bytes that must move: 1 is perfect."""
    return (c.total(counts.BYTES_LOADED) + c.total(counts.BYTES_STORED)) / c.ideal.bytes


def bytes_moved(c: Counted) -> float:
    """Bytes of the sectors between L1 and L2 over the bytes that must move: 1 is perfect; caches are not counted on."""
    sectors = c.total(counts.LOAD_SECTORS) + c.total(counts.STORE_SECTORS)
    return sectors * counts.SECTOR_BYTES / c.ideal.bytes


def scatter(c: Counted) -> float:
    """Bytes of the sectors between L1 and L2 over the bytes that threads asked for: 1 where neighbours are together."""
    sectors = c.total(counts.LOAD_SECTORS) + c.total(counts.STORE_SECTORS)
    asked = c.total(counts.BYTES_LOADED) + c.total(counts.BYTES_STORED)
    return sectors * counts.SECTOR_BYTES / asked if asked else 0.0


def bank_conflicts(c: Counted) -> float:
    """Conflicts a shared-memory wavefront: 0 is perfect; 0 where shared memory is not used."""
    conflicts = c.total(counts.SHARED_LOAD_CONFLICTS) + c.total(counts.SHARED_STORE_CONFLICTS)
    waves = c.shared_wavefronts()
    return conflicts / waves if waves else 0.0


def passes(c: Counted) -> float:
    """How often the input is walked: bytes loaded over the input's bytes."""
    return c.total(counts.BYTES_LOADED) / c.ideal.bytes_read


def load_requests(c: Counted) -> float:
    """Load instructions of a warp over the fewest that can ask for the input: 32 lanes with 16 bytes each."""
    return c.total(counts.LOAD_REQUESTS) / (c.ideal.bytes_read / WIDEST_REQUEST)


def barriers(c: Counted) -> float:
    """Barriers a row, each counted once for its block."""
    return c.total(counts.BARRIERS) / c.sizes["rows"]


def shared_traffic(c: Counted) -> float:
    """Bytes of the wavefronts of shared memory over the input's bytes: a row written there and read once makes 2."""
    return c.shared_wavefronts() * WAVEFRONT / c.ideal.bytes_read


def products(c: Counted) -> int:
    """The multiplications of a matrix product, each with its addition."""
    return c.sizes["m"] * c.sizes["n"] * c.sizes["k"]


def bytes_per_fma(c: Counted) -> float:
    """Bytes that threads ask of global memory for each product: 8 in fp32 where nothing is shared."""
    return c.total(counts.BYTES_LOADED) / products(c)


def shared_per_fma(c: Counted) -> float:
    """Wavefronts of shared memory for 32 products, a warp's: 2 where each operand is read for each of them."""
    return c.shared_wavefronts() * LANES / products(c)


def narrow_loads(c: Counted) -> float:
    """Load instructions of a warp over those that could ask for the same bytes: 16 for each of 32 lanes."""
    asked = c.total(counts.BYTES_LOADED)
    return c.total(counts.LOAD_REQUESTS) * WIDEST_REQUEST / asked if asked else 0.0


@dataclass(frozen=True)
class Measure:
    """One measure: its name, its value, which line of a file it comes from mostly, its unit ("%" or none).

    `worst` are the ways to find that line, the most telling first. `by_request`: it asks which bytes one instruction
    moves, and not only which are moved. `sizes`: those of the operator that it divides by.
    """

    name: str
    value: Callable[[Counted], float]
    worst: tuple[Find, ...]
    unit: str = ""
    by_request: bool = False
    sizes: tuple[str, ...] = ()

    @property
    def space(self) -> str | None:
        """Whose accesses it counts, "global" or "shared" memory's; None for neither. The compiler may make fewer of
        them than are written."""
        if self.name == "barriers":
            return None
        return "shared" if self.name in ("bank_conflicts", "shared_traffic", "shared_per_fma") else "global"

    def limit(self, value: float) -> float | Message:
        """What the measure may be, as a sentence says it."""
        return Message("grading.percent", {"value": 100 * value}) if self.unit == "%" else value

    def told(self, c: Counted, at: str | None = None) -> Message:
        """The measure in words; `at` is the sizes in words, where they are not all there is to say."""
        value = self.value(c) * (100 if self.unit == "%" else 1)
        return Message(f"grading.measured-{self.name}", {"value": value, "sizes": at or c.shape})

    def worst_line(self, kernels: Sequence[KernelCounts], source: Path) -> Worst | None:
        """The line of `source` that the measure's count comes from mostly; None where no line is known to."""
        lines = worst_line.lines_of(kernels, source)
        return next((found for find in self.worst if (found := find(lines)) is not None), None)


MEASURES: dict[str, Measure] = {
    m.name: m
    for m in (
        Measure("bytes_requested", bytes_requested, (worst_line.asked,)),
        Measure(
            "bytes_moved", bytes_moved, (worst_line.scattered, worst_line.sparse, worst_line.asked), by_request=True
        ),
        Measure("scatter", scatter, (worst_line.scattered,), by_request=True),
        Measure("bank_conflicts", bank_conflicts, (worst_line.conflicts,), unit="%", by_request=True),
        Measure("passes", passes, (worst_line.asked_to_load,)),
        Measure("load_requests", load_requests, (worst_line.loads,), by_request=True),
        Measure("barriers", barriers, (worst_line.barriers,), sizes=("rows",)),
        Measure("shared_traffic", shared_traffic, (worst_line.shared,), by_request=True),
        Measure("bytes_per_fma", bytes_per_fma, (worst_line.asked_to_load,), sizes=("m", "n", "k")),
        Measure("shared_per_fma", shared_per_fma, (worst_line.shared,), by_request=True, sizes=("m", "n", "k")),
        Measure("narrow_loads", narrow_loads, (worst_line.loads,), by_request=True),
    )
}


def measures_for(sizes: Iterable[str]) -> list[str]:
    """The names of the measures that an operator with those sizes has."""
    return [m.name for m in MEASURES.values() if set(m.sizes) <= set(sizes)]
