"""The worlds that a benchmark is tried in, and what is right in them."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

from onekernel.checks.benchmark import EFFECTS
from onekernel.sandbox.simulated_gpu import ITEMSIZE, World

WITHIN = 0.05  # of ours
ALONE = tuple(e for e in EFFECTS if e not in ("all", "gpu"))
SEEDS = {"noise": 24, "all": 4}  # worlds of an effect; one sample is right by luck in two of three
GPU_ELEMENTS = 1 << 25  # 128 MiB each way: more than any L2 of the course's cards


def drawn(effect: str, seed: int) -> list[World]:
    """The worlds of an effect, drawn from a seed. L2 holds both tensors: a second call would find them there."""
    rng = random.Random(f"{effect}/{seed}")
    effects = ALONE if effect == "all" else (effect,)
    return [
        World(effects, rng.randrange(1 << 30), rng.randrange(3_000_000, 5_000_000), rng.uniform(0.8e12, 1.2e12),
              rng.choice((48, 50, 60)) << 20, (1.0, rng.uniform(1.3, 2.0)))
        for _ in range(SEEDS.get(effect, 2))
    ]  # fmt: skip


def card(world: World) -> dict[str, Any]:
    """The world as the process apart reads it, which answers for that card."""
    return asdict(world)


def right(world: World) -> tuple[float, float]:
    """Seconds of one call of each function: random input, nothing of it in L2, a risen clock, nothing that disturbs."""
    moved = 2 * world.n * ITEMSIZE / world.bandwidth
    return moved * world.costs[0], moved * world.costs[1]
