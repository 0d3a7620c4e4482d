"""What the checker asks of a port: which weights, which tokens, which operators. Both processes read it; NumPy only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import weights
from .config import Config

_PASSES: dict[str, list[tuple[bool, int, int]]] = {  # part -> trained weights?, batch, length
    "native": [(False, 2, 7), (True, 1, 64)],
    "identical": [(False, 1, 1), (False, 3, 5), (False, 2, 16), (True, 1, 64), (True, 2, 17)],
    "kernel": [(False, 2, 7), (True, 1, 16)],
}
PARTS = tuple(_PASSES)
# Small, with no two sizes alike and none a power of two, so that a mix-up of axes changes a shape or a value.
RANDOM_CONFIG = Config(vocabulary=41, context=16, width=24, heads=3, blocks=2)


@dataclass(frozen=True)
class PortRequest:
    """One forward pass. `weights_seed` None means the trained weights; tokens are drawn from `tokens_seed`.

    part: "native" (torch's operators), "identical" (the reproducible ones) or "kernel" (native, with the learner's own
    softmax in attention). device: "cpu" or "cuda".
    """

    part: str
    weights_seed: int | None
    tokens_seed: int
    batch: int
    length: int
    device: str = "cpu"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> PortRequest:
        request = PortRequest(**data)
        if request.part not in PARTS:
            raise ValueError(f"part {request.part!r}: choose one of {', '.join(PARTS)}")
        return request

    @property
    def config(self) -> Config:
        return weights.SHIPPED_CONFIG if self.weights_seed is None else RANDOM_CONFIG

    def weights(self) -> dict[str, np.ndarray]:
        if self.weights_seed is None:
            return weights.load()
        return weights.random(self.config, self.weights_seed)

    def tokens(self) -> np.ndarray:
        """(batch, length) int64."""
        rng = np.random.default_rng(self.tokens_seed)
        return rng.integers(0, self.config.vocabulary, (self.batch, self.length))

    def further_tokens(self) -> dict[str, np.ndarray]:
        """What the same model is given afterwards, which shows what it keeps: other tokens, and fewer. Where a pass
        takes no time: a small model on torch's own operators."""
        if self.part != "native" or self.weights_seed is None:
            return {}
        other = (self.tokens() + 1) % self.config.vocabulary
        return {"other": other, "shorter": np.ascontiguousarray(other[:, :-2])}


def requests(part: str, seed: int = 0, device: str = "cpu") -> list[dict[str, Any]]:
    """The forward passes that decide one part, as JSON values. Another seed: other weights and tokens, same sizes."""
    return [
        PortRequest(part, None if trained else seed + i, seed + 100 + i, batch, length, device).to_json()
        for i, (trained, batch, length) in enumerate(_PASSES[part])
    ]
