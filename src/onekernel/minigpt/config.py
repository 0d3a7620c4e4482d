"""The shape of a MiniGPT, and the names of its weights. What runs a learner's port reads it, and not the model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """The shape of a model. Tokens are bytes, so that every text in every language is one without a tokenizer."""

    vocabulary: int = 256
    context: int = 128
    width: int = 96
    heads: int = 4
    blocks: int = 3
    epsilon: float = 1e-5

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every weight, in the order of the forward pass."""
        d = self.width
        shapes: dict[str, tuple[int, ...]] = {"token_embedding": (self.vocabulary, d)}
        shapes["position_embedding"] = (self.context, d)
        for b in range(self.blocks):
            for name, inputs, outputs in (("attention.qkv", d, 3 * d), ("attention.project", d, d)):
                shapes[f"blocks.{b}.{name}.weight"] = (inputs, outputs)
                shapes[f"blocks.{b}.{name}.bias"] = (outputs,)
            for name, inputs, outputs in (("mlp.up", d, 4 * d), ("mlp.down", 4 * d, d)):
                shapes[f"blocks.{b}.{name}.weight"] = (inputs, outputs)
                shapes[f"blocks.{b}.{name}.bias"] = (outputs,)
            for name in ("norm1", "norm2"):
                shapes[f"blocks.{b}.{name}.gain"] = (d,)
                shapes[f"blocks.{b}.{name}.bias"] = (d,)
        shapes["norm.gain"] = shapes["norm.bias"] = (d,)
        return shapes
