"""Points and roofs of the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

LADDER = "ladder/"  # how the names of the reading ladder's rungs begin


@dataclass(frozen=True)
class Roofs:
    """The limits of a card: `copy` and `datasheet` in bytes/s (copy is 0.0 where not measured), `fma` in FLOP/s."""

    copy: float
    datasheet: float
    fma: float

    @property
    def ridge(self) -> float:
        """FLOPs per byte at which the highest memory roof meets the compute roof: below it, memory binds."""
        return self.fma / (self.copy or self.datasheet)

    def attainable(self, intensity: float) -> float:
        """FLOP/s that the roofs allow at `intensity` FLOPs per byte."""
        return min(self.fma, intensity * (self.copy or self.datasheet))

    def binds(self, intensity: float) -> str:
        """ "memory" or "compute"."""
        return "memory" if intensity < self.ridge else "compute"

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Roofs:
        return cls(float(data["copy"]), float(data["datasheet"]), float(data["fma"]))


@dataclass(frozen=True)
class RooflinePoint:
    """A kernel at a shape. Two kinds of bytes make two intensities.

    `useful_bytes` are the operator's own (each input read once, each output written once): the same for every
    implementation, so that a faster one stands higher in the same column. `moved_bytes` are those that the kernel
    asked DRAM for (ncu, or the simulator's count); they place the point under the roof that binds it.
    """

    name: str
    flops: float
    useful_bytes: float
    seconds: float | None
    moved_bytes: float | None = None
    in_l2: bool = False

    @property
    def intensity(self) -> float:
        """FLOPs per byte of DRAM traffic: of the bytes moved where they are known, else of the useful ones."""
        return self.flops / (self.moved_bytes or self.useful_bytes)

    def rate(self, roofs: Roofs) -> float:
        """FLOP/s: measured, or without a measurement what the memory roof allows for the bytes moved."""
        return self.flops / self.seconds if self.seconds else roofs.attainable(self.intensity)

    @property
    def bandwidth(self) -> float | None:
        """Useful bytes per second; None without a measurement."""
        return self.useful_bytes / self.seconds if self.seconds else None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RooflinePoint:
        return cls(**{key: data[key] for key in cls.__dataclass_fields__})
