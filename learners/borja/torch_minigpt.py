"""MiniGPT as a torch.nn.Module, ported from src/onekernel/minigpt/model.py. Borja's version, lab 04.

Check:  onekernel check torch_minigpt

What I learnt: a port is right when the bytes are equal, and then there is nothing left to argue about; 1e-12 is always
a discussion of how much is allowed. The rule: where NumPy has two operations, I have the same two, in the same order;
no operator that joins them (addmm), and what a library rounds as it likes goes through self.operators.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class NativeOperators:
    """torch's own operators. The checker has a second set with these five names; call nothing else that rounds,
    except + - * / between tensors and + - * with a number."""

    matmul = staticmethod(torch.matmul)
    sqrt = staticmethod(torch.sqrt)
    tanh = staticmethod(torch.tanh)

    @staticmethod
    def mean(x: Tensor) -> Tensor:
        """Along the last dimension, which stays with size 1."""
        return x.mean(dim=-1, keepdim=True)

    @staticmethod
    def softmax(x: Tensor) -> Tensor:
        """Along the last dimension."""
        return F.softmax(x, dim=-1)


class Linear(nn.Linear):
    """nn.Linear holds its weight as (outputs, inputs). NumPy's is (inputs, outputs): somebody has to transpose."""

    def __init__(self, weight: Tensor, bias: Tensor, operators) -> None:
        inputs, outputs = weight.shape
        super().__init__(inputs, outputs, dtype=weight.dtype)
        with torch.no_grad():  # otherwise autograd refuses to write into a leaf
            self.weight.copy_(weight.T)
            self.bias.copy_(bias)
        self.operators = operators

    def forward(self, x: Tensor) -> Tensor:
        # Not F.linear: that is addmm, which adds the bias inside the product and rounds once less.
        return self.operators.matmul(x, self.weight.T) + self.bias


class LayerNorm(nn.Module):
    def __init__(self, gain: Tensor, bias: Tensor, epsilon: float, operators) -> None:
        super().__init__()
        # clone: a Parameter on the caller's Storage would train the caller's weights
        self.gain = nn.Parameter(gain.clone())
        self.bias = nn.Parameter(bias.clone())
        self.epsilon = epsilon
        self.operators = operators

    def forward(self, x: Tensor) -> Tensor:
        x = x - self.operators.mean(x)
        variance = self.operators.mean(x * x)  # of n, not of n - 1: torch.var would have n - 1
        return x / self.operators.sqrt(variance + self.epsilon) * self.gain + self.bias


class Attention(nn.Module):
    """`softmax` is a function of its own so that your kernel can take its place."""

    def __init__(self, heads: int, qkv: Linear, project: Linear, operators, softmax) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = qkv
        self.project = project
        self.operators = operators
        self.softmax = softmax

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        head_width = width // self.heads

        def split(t: Tensor) -> Tensor:  # (batch, length, width) -> (batch, heads, length, head_width), a view
            return t.view(batch, length, self.heads, head_width).transpose(1, 2)

        q, k, v = (split(t) for t in self.qkv(x).split(width, dim=-1))
        scores = self.operators.matmul(q, k.transpose(-1, -2)) * (1.0 / math.sqrt(head_width))
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)
        weights = self.softmax(scores.masked_fill(later, -math.inf))
        # view would raise here: after the transpose no strides describe (batch, length, width). reshape copies.
        mixed = self.operators.matmul(weights, v).transpose(1, 2).reshape(batch, length, width)
        return self.project(mixed)


class MLP(nn.Module):
    def __init__(self, up: Linear, down: Linear, operators) -> None:
        super().__init__()
        self.up = up
        self.down = down
        self.operators = operators

    def forward(self, x: Tensor) -> Tensor:
        x = self.up(x)
        # The same numbers in another order are other bits: (x * x) * x, and 0.5 * x before the product with the rest.
        inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * (x * x * x))
        return self.down(0.5 * x * (1.0 + self.operators.tanh(inner)))


class Block(nn.Module):
    def __init__(self, norm1: LayerNorm, attention: Attention, norm2: LayerNorm, mlp: MLP) -> None:
        super().__init__()
        self.norm1 = norm1
        self.attention = attention
        self.norm2 = norm2
        self.mlp = mlp

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return x


class TorchMiniGPT(nn.Module):
    """tokens (batch, length) int64 -> logits (batch, length, vocabulary) in the dtype of the weights."""

    def __init__(self, config, weights: dict[str, Tensor], operators=None, softmax=None) -> None:
        super().__init__()
        operators = operators or NativeOperators()
        softmax = softmax or operators.softmax

        def linear(name: str) -> Linear:
            return Linear(weights[f"{name}.weight"], weights[f"{name}.bias"], operators)

        def norm(name: str) -> LayerNorm:
            return LayerNorm(weights[f"{name}.gain"], weights[f"{name}.bias"], config.epsilon, operators)

        def block(name: str) -> Block:
            attention = Attention(
                config.heads, linear(f"{name}.attention.qkv"), linear(f"{name}.attention.project"), operators, softmax
            )
            mlp = MLP(linear(f"{name}.mlp.up"), linear(f"{name}.mlp.down"), operators)
            return Block(norm(f"{name}.norm1"), attention, norm(f"{name}.norm2"), mlp)

        self.operators = operators
        self.token_embedding = nn.Embedding(config.vocabulary, config.width, _weight=weights["token_embedding"].clone())
        self.position_embedding = nn.Embedding(
            config.context, config.width, _weight=weights["position_embedding"].clone()
        )
        self.blocks = nn.ModuleList(block(f"blocks.{n}") for n in range(config.blocks))
        self.norm = norm("norm")
        # The head, without a bias: logits = x @ head.weight.T. Its weight must be the token embedding's own Parameter,
        # one object under two names. On "meta", because a storage of its own would be thrown away at once.
        self.head = nn.Linear(config.width, config.vocabulary, bias=False, device="meta")
        self.head.weight = self.token_embedding.weight  # the registry notes it: two names, one Parameter

    def forward(self, tokens: Tensor) -> Tensor:
        position = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(position)
        for block in self.blocks:
            x = block(x)
        # Not self.head(x): nn.Linear would call torch's own product.
        return self.operators.matmul(self.norm(x), self.head.weight.T)
