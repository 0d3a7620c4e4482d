"""Runs a learner's benchmark.py on simulated GPUs, or on the real one, and hands back the figures that it gave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.sandbox.cards import Ask, Device
from onekernel.sandbox.tasks import load
from onekernel.sandbox.tasks.port import raised


def run(source: Path, request: Mapping[str, Any], card: Ask | None = None) -> dict[str, np.ndarray]:
    """ "seconds": what `benchmark` says that its two functions take, float64; the request names the number of
    elements, and the number of a card, or "gpu" for the real one. Where the file raises, "raised" alone (see
    port.raised)."""
    try:
        module = load(source)
        if "gpu" in request:
            from onekernel.sandbox.real_gpu import RealGPU

            device: Any = RealGPU()
        else:
            assert card is not None
            device = Device(card, request["card"])
        first, second = device.functions()
        found = module.benchmark(first, second, request["n"], device)
        return {"seconds": np.array([float(seconds) for seconds in found], np.float64)}
    except Exception as error:
        return {"raised": raised(error, source)}
