"""MiniGPT's forward pass in NumPy: bytes of text in, logits of the next byte out.

    tokens (B, T) -> embeddings (B, T, D) -> blocks -> layer norm -> logits (B, T, V)

Every block adds two things to the stream x: what each position gathers from the positions before it (attention) and
what it makes of that by itself (the MLP). The head is the token embedding once more, transposed. There is one linear
layer convention: `x @ weight + bias`, weight (inputs, outputs).

The model runs on NumPy and, unchanged, on CuPy: `operators.xp` is the array module. All that IEEE 754 leaves to the
library goes through five operators (mean, sqrt, tanh, softmax, matmul), so that an arithmetic with fixed bytes can take
the library's place: `Native` below, or `arithmetic.Reproducible`. The rest is +, -, * and / in the order written.

But: no cache, so that each new byte of a text costs a whole forward pass, and no way back: see train.py for gradients.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from .config import Config

Array = Any  # numpy.ndarray or cupy.ndarray
Note = Callable[[str, Array], object]


class Native:
    """The five operators as the library has them: fast, close to the truth, and other bytes in every library."""

    def __init__(self, xp: ModuleType = np) -> None:
        self.xp = xp
        self.matmul, self.sqrt, self.tanh = xp.matmul, xp.sqrt, xp.tanh

    def mean(self, x: Array) -> Array:
        return x.mean(axis=-1, keepdims=True)

    def softmax(self, x: Array) -> Array:
        e = self.xp.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


class MiniGPT:
    """The model. `weights` has the names and shapes of `config.shapes()`; they are held, and all is computed, in
    `dtype`: float64, unless the operators want another."""

    def __init__(
        self, config: Config, weights: Mapping[str, np.ndarray], operators: Any = None, dtype: Any = np.float64
    ) -> None:
        for name, shape in config.shapes().items():
            given = weights[name].shape if name in weights else "none"
            if given != shape:
                raise ValueError(f"weight {name}: {shape} expected, {given} given")
        self.config = config
        self.operators = operators or Native()
        self.weights = {name: self.operators.xp.asarray(w, dtype=dtype) for name, w in weights.items()}

    def logits(self, tokens: Array, note: Note = lambda name, x: None) -> Array:
        """tokens (B, T) of integers below the vocabulary, T <= context -> (B, T, V). `note` is shown each step."""
        xp, w = self.operators.xp, self.weights
        tokens = xp.asarray(tokens)
        if tokens.ndim != 2 or not 1 <= tokens.shape[1] <= self.config.context:
            raise ValueError(f"tokens must be (batch, 1 to {self.config.context} positions), not {tokens.shape}")
        x = w["token_embedding"][tokens] + w["position_embedding"][: tokens.shape[1]]
        note("embedding", x)
        for b in range(self.config.blocks):
            x = self.block(x, f"blocks.{b}", note)
        x = self.layer_norm(x, "norm", note)
        logits = self.operators.matmul(x, w["token_embedding"].T)
        note("logits", logits)
        return logits

    def block(self, x: Array, name: str, note: Note) -> Array:
        x = x + self.attention(self.layer_norm(x, f"{name}.norm1", note), f"{name}.attention", note)
        note(f"{name}.middle", x)
        x = x + self.mlp(self.layer_norm(x, f"{name}.norm2", note), f"{name}.mlp", note)
        note(name, x)
        return x

    def layer_norm(self, x: Array, name: str, note: Note) -> Array:
        centred = x - self.operators.mean(x)
        variance = self.operators.mean(centred * centred)
        scaled = centred / self.operators.sqrt(variance + self.config.epsilon)
        y = scaled * self.weights[f"{name}.gain"] + self.weights[f"{name}.bias"]
        note(name, y)
        return y

    def linear(self, x: Array, name: str, note: Note) -> Array:
        y = self.operators.matmul(x, self.weights[f"{name}.weight"]) + self.weights[f"{name}.bias"]
        note(name, y)
        return y

    def attention(self, x: Array, name: str, note: Note) -> Array:
        batch, length, width = x.shape
        heads, head_width = self.config.heads, self.config.head_width
        qkv = self.linear(x, f"{name}.qkv", note)
        # (B, T, 3 D) -> three of (B, heads, T, head width): first q of all heads, then k, then v.
        q, k, v = qkv.reshape(batch, length, 3, heads, head_width).transpose(2, 0, 3, 1, 4)
        scores = self.operators.matmul(q, k.swapaxes(-1, -2)) * (1.0 / math.sqrt(head_width))
        position = self.operators.xp.arange(length)
        scores = self.operators.xp.where(position[None, :] > position[:, None], -math.inf, scores)
        note(f"{name}.scores", scores)
        weights = self.operators.softmax(scores)
        note(f"{name}.weights", weights)
        mixed = self.operators.matmul(weights, v).swapaxes(1, 2).reshape(batch, length, width)
        note(f"{name}.mixed", mixed)
        return self.linear(mixed, f"{name}.project", note)

    def mlp(self, x: Array, name: str, note: Note) -> Array:
        hidden = self.gelu(self.linear(x, f"{name}.up", note))
        note(f"{name}.gelu", hidden)
        return self.linear(hidden, f"{name}.down", note)

    def gelu(self, x: Array) -> Array:
        """The tanh form (Hendrycks and Gimpel, arXiv:1606.08415)."""
        inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1.0 + self.operators.tanh(inner))

    def generate(
        self, prompt: str, length: int, temperature: float = 0.0, seed: int = 0, note: Note = lambda name, x: None
    ) -> str:
        """`length` bytes more after `prompt`. Temperature 0 takes the likeliest byte; above, it draws (NumPy only)."""
        tokens = list(prompt.encode()) or [ord("\n")]
        rng = np.random.default_rng(seed)
        for _ in range(length):
            last = self.logits(np.array([tokens[-self.config.context :]]), note)[0, -1]
            if temperature > 0:
                odds = np.asarray(Native().softmax(last / temperature))
                tokens.append(int(rng.choice(len(odds), p=odds)))
            else:
                tokens.append(int(last.argmax()))
        return bytes(tokens).decode(errors="replace")
