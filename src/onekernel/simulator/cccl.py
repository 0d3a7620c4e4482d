"""Where NVIDIA's CCCL is on this machine, which brings Thrust: a toolkit, or a wheel that needs no toolkit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def find() -> Path | None:
    """The folder in which `thrust/` lies: of a toolkit that CUDA_HOME names, of a wheel, or of /usr/local/cuda."""
    for home in _homes():
        for folder in (home / "include" / "cccl", home / "include"):
            if (folder / "thrust" / "version.h").is_file():
                return folder
    return None


def _homes() -> Iterator[Path]:
    yield from (Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name))
    spec = find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted(Path(place).glob("cu[0-9]*"), reverse=True)
        yield Path(place) / "cuda_cccl"  # CUDA 12's wheels
    yield Path("/usr/local/cuda")


def has(header: str | None) -> bool:
    """Whether `header`, such as "thrust/sort.h", is among the installed ones."""
    place = find()
    return place is not None and header is not None and header.startswith("thrust/") and (place / header).is_file()
