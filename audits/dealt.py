"""Processes of a bench that grade side by side: each sees one GPU, and several are dealt to them in turn."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from onekernel.backends.gpus import gpu_count, only


def pool(jobs: int, on: str) -> ProcessPoolExecutor:
    """Processes that grade on the device `on`."""
    spawn = get_context("spawn")
    return ProcessPoolExecutor(jobs, spawn, _deal, (spawn.Value("i", 0), gpus_of(on)))


def gpus_of(on: str) -> int:
    """How many GPUs the device `on` has: none where it is the simulator."""
    return gpu_count() if on == "cuda" else 0


def seen(number: int, gpus: int) -> dict[str, str]:
    """What the environment of such a process has of its own, by its number."""
    return {"CUDA_VISIBLE_DEVICES": only(number % gpus)} if gpus > 1 else {}


def _deal(numbers: Any, gpus: int) -> None:
    with numbers.get_lock():
        number, numbers.value = numbers.value, numbers.value + 1
    os.environ.update(seen(number, gpus))
