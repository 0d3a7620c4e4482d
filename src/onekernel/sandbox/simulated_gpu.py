"""A GPU that only keeps time: a stream, events, an L2, and what makes a benchmark lie, each effect apart.

Nothing is computed and no clock of the machine is read: the same calls give the same times. What a call costs is in
`World`, whose effects are switched one by one; the graders ask for worlds, and no answer is kept here.

But: one stream, whole buffers in L2 or out of it, and a clock that rises once. Real devices have more to lie with.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ITEMSIZE = 4
HIT = 4.0  # times as fast as DRAM is what L2 holds
LAUNCH, CALL = 6e-6, 1e-6  # seconds of the host for a launch, and for anything else that it asks
WAIT = 9e-6  # of the host until it notices that the GPU is done
COMPILE = 0.4  # of the first call of a function
ALLOCATE = 180e-6  # of the host, which also waits for the GPU
COLD, RISE = 0.5, 4e-4  # how much longer a kernel takes on a clock that has not risen; busy seconds until it has
JITTER, DISTURBED = 0.03, 0.1  # the spread of a sample, and how many of them something disturbs
PALE = {"zeros": 0.82, "ones": 0.88, "normal": 1.0}  # what data draws in power: the less, the higher the clock


@dataclass(frozen=True)
class World:
    """A card and the effects that it has. `bandwidth` in bytes/s, `l2` in bytes; `costs`: by how much longer than its
    bytes take each of the two functions runs."""

    effects: tuple[str, ...]
    seed: int
    n: int
    bandwidth: float
    l2: int
    costs: tuple[float, float]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> World:
        """Reads what a request says of a world."""
        return cls(tuple(data["effects"]), data["seed"], data["n"], data["bandwidth"], data["l2"], tuple(data["costs"]))


class Tensor:
    """`numel` float32 elements; what they are counts only as far as they cost power."""

    def __init__(self, numel: int, values: str) -> None:
        self.numel = numel
        self.values = values

    @property
    def nbytes(self) -> int:
        return self.numel * ITEMSIZE


class Event:
    """A point in the stream. `record` puts it there; `elapsed` gives the seconds from it to a later one."""

    def __init__(self, device: SimulatedGPU) -> None:
        self._device = device
        self._at: float | None = None

    def record(self) -> None:
        self._at = self._device._queued(CALL)

    def elapsed(self, later: Event) -> float:
        """Raises RuntimeError for an event that was not recorded, or that the GPU has not reached."""
        for event in (self, later):
            if event._at is None:
                raise RuntimeError("an event was never recorded")
            if event._at > self._device._host:
                raise RuntimeError("the GPU has not reached this event: synchronize first")
        assert self._at is not None and later._at is not None
        return later._at - self._at


class SimulatedGPU:
    """The device of a world, as a benchmark sees it: `Device` in the exercise says what each method does."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = random.Random(world.seed)
        self._host = 0.0  # seconds on the host's clock
        self._free = 0.0  # when the stream will have done all that was asked
        self._busy = 0.0  # seconds that it has worked
        self._in_l2: dict[int, tuple[Tensor, int]] = {}  # by age, the oldest first: a tensor and its bytes there
        self._compiled: set[str] = set()
        self.l2_bytes = world.l2

    def clock(self) -> float:
        """Seconds on the host."""
        return self._host

    def synchronize(self) -> None:
        """The host waits until the GPU has done all that was asked."""
        if self._has("asynchrony"):
            self._host = max(self._host + CALL, self._free + WAIT)

    def event(self) -> Event:
        return Event(self)

    def randn(self, n: int) -> Tensor:
        return self._allocate(n, "normal")

    def zeros(self, n: int) -> Tensor:
        return self._allocate(n, "zeros")

    def ones(self, n: int) -> Tensor:
        return self._allocate(n, "ones")

    def empty(self, n: int) -> Tensor:
        return self._allocate(n, "zeros", fill=False)

    def fill(self, tensor: Tensor) -> None:
        """Writes the whole tensor."""
        self._run(self._traffic((tensor,)), 1.0)

    def functions(self) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
        """The two functions to measure."""
        return self._function("first", self._world.costs[0]), self._function("second", self._world.costs[1])

    def _function(self, name: str, cost: float) -> Callable[..., Tensor]:
        def call(x: Tensor, out: Tensor | None = None) -> Tensor:
            if x.numel != self._world.n:  # beside a tensor of any size, whatever makes a benchmark lie would vanish
                raise ValueError(f"this function is measured on {self._world.n} elements, and x has {x.numel}")
            if self._has("compilation") and name not in self._compiled:
                self._host += COMPILE
            self._compiled.add(name)
            if out is None:
                out = self._allocate(x.numel, "zeros", fill=False)
            if out.numel != x.numel:
                raise ValueError(f"out has {out.numel} elements, x {x.numel}")
            pale = PALE[x.values] if self._has("data") else 1.0
            self._run(self._traffic((x, out)), cost * pale)
            out.values = "normal"
            return out

        return call

    def _has(self, effect: str) -> bool:
        return effect in self._world.effects

    def _allocate(self, n: int, values: str, fill: bool = True) -> Tensor:
        if self._has("allocation"):
            self._host = max(self._host, self._free) + ALLOCATE
            self._free = max(self._free, self._host)
        made = Tensor(int(n), values)
        if fill:
            self.fill(made)
        return made

    def _queued(self, host: float) -> float:
        """When the stream comes to what is asked now, which takes the host that long."""
        if not self._has("asynchrony"):
            self._host = self._free = max(self._host, self._free)
            return self._free
        self._host += host
        self._free = max(self._free, self._host)
        return self._free

    def _run(self, nbytes: float, cost: float) -> None:
        """A kernel that moves `nbytes` of DRAM's."""
        self._queued(LAUNCH)
        seconds = nbytes / self._world.bandwidth * cost
        if self._has("warm-up"):
            seconds *= 1 + COLD * math.exp(-self._busy / RISE)
        if self._has("noise"):
            seconds *= 1 + JITTER * self._random.gauss(0, 1)
            if self._random.random() < DISTURBED:
                seconds *= self._random.uniform(1.4, 4.0)
        self._busy += seconds
        self._free += seconds
        if not self._has("asynchrony"):
            self._host = self._free

    def _traffic(self, tensors: tuple[Tensor, ...]) -> float:
        """The bytes that these tensors cost, as DRAM's: what lies in L2 costs a part. Then they lie there, the last
        ones touched; a tensor larger than L2 pushes itself out."""
        moved = 0.0
        for tensor in tensors:
            there = self._in_l2.pop(id(tensor), (tensor, 0))[1] if self._has("cache") else 0
            moved += tensor.nbytes - there + there / HIT
            if not self._has("cache"):
                continue
            kept = tensor.nbytes if tensor.nbytes <= self._world.l2 else 0
            room = self._world.l2 - min(tensor.nbytes, self._world.l2)
            for key, (other, held) in reversed(list(self._in_l2.items())):
                self._in_l2[key] = (other, min(held, room))
                room -= min(held, room)
            self._in_l2[id(tensor)] = (tensor, kept)
            self._in_l2 = {key: entry for key, entry in self._in_l2.items() if entry[1]}
        return moved
