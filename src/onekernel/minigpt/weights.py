"""The trained weights, from a file whose bytes are known, and random ones that show every mistake."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np

from .config import Config

SHIPPED = Path(__file__).with_name("weights.npz")
SHIPPED_CONFIG = Config()
SHIPPED_SHA256 = "7cf99fd733b42a35b704086d743bcc096257b07484938ea13f2d5d01212bbf22"


class WeightsError(Exception):
    """The weights file is not the one that this version of the course was written with: its path."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is not the weights file that this version expects")
        self.path = path


def load(path: Path = SHIPPED, sha256: str | None = SHIPPED_SHA256) -> dict[str, np.ndarray]:
    """Weight name -> float32 array. Raises WeightsError if the file's SHA-256 differs; `sha256=None` takes any file."""
    data = path.read_bytes()
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise WeightsError(path)
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def random(config: Config, seed: int) -> dict[str, np.ndarray]:
    """float64 weights in which nothing is 0, 1 or symmetric, so that a port with any two of them mixed up shows it."""
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in config.shapes().items():
        noise = rng.standard_normal(shape)
        if name.endswith("gain"):
            weights[name] = 1.0 + 0.2 * noise
        elif name.endswith("weight"):
            weights[name] = noise / np.sqrt(shape[0])
        else:
            weights[name] = 0.2 * noise
    return weights
