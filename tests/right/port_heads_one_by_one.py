# exercise: torch_minigpt
# unusual: heads one after the other into a new tensor, an added mask, blocks as a Sequential
# group: native, identical

import math

import torch
from torch import nn


class NativeOperators:
    @staticmethod
    def matmul(a, b):
        return a @ b

    @staticmethod
    def sqrt(x):
        return x.sqrt()

    @staticmethod
    def tanh(x):
        return x.tanh()

    @staticmethod
    def mean(x):
        return torch.mean(x, -1, keepdim=True)

    @staticmethod
    def softmax(x):
        return torch.softmax(x, -1)


class Part(nn.Module):
    """A module whose parameters are the tensors of a dictionary that begin with its name."""

    def __init__(self, weights, name, *keys, operators):
        super().__init__()
        self.operators = operators
        for key in keys:
            self.register_parameter(key, nn.Parameter(weights[f"{name}.{key}"].detach().clone()))


class Linear(Part):
    def __init__(self, weights, name, operators):
        super().__init__(weights, name, "weight", "bias", operators=operators)
        self.weight = nn.Parameter(self.weight.detach().t().contiguous())

    def forward(self, x):
        return self.operators.matmul(x, self.weight.t()) + self.bias


class LayerNorm(Part):
    def __init__(self, weights, name, epsilon, operators):
        super().__init__(weights, name, "gain", "bias", operators=operators)
        self.epsilon = epsilon

    def forward(self, x):
        x = x - self.operators.mean(x)
        return x / self.operators.sqrt(self.operators.mean(x * x) + self.epsilon) * self.gain + self.bias


class Attention(nn.Module):
    def __init__(self, weights, name, heads, operators, softmax):
        super().__init__()
        self.heads, self.operators, self.softmax = heads, operators, softmax
        self.qkv = Linear(weights, f"{name}.qkv", operators)
        self.project = Linear(weights, f"{name}.project", operators)

    def forward(self, x):
        length, width = x.shape[-2:]
        wide = width // self.heads
        scale = 1.0 / math.sqrt(wide)
        later = torch.full((length, length), -math.inf, dtype=x.dtype, device=x.device).triu(1)
        qkv = self.qkv(x)
        together = torch.empty_like(x)
        for head in range(self.heads):
            q, k, v = (qkv.narrow(-1, part * width + head * wide, wide) for part in range(3))
            scores = self.operators.matmul(q, k.mT) * scale
            together[..., head * wide : (head + 1) * wide] = self.operators.matmul(self.softmax(scores + later), v)
        return self.project(together)


class MLP(nn.Module):
    def __init__(self, weights, name, operators):
        super().__init__()
        self.operators = operators
        self.up, self.down = (Linear(weights, f"{name}.{part}", operators) for part in ("up", "down"))

    def forward(self, x):
        h = self.up(x)
        cube = h * h * h
        return self.down(0.5 * h * (1.0 + self.operators.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * cube))))


class Block(nn.Module):
    def __init__(self, weights, name, config, operators, softmax):
        super().__init__()
        self.norm1 = LayerNorm(weights, f"{name}.norm1", config.epsilon, operators)
        self.attention = Attention(weights, f"{name}.attention", config.heads, operators, softmax)
        self.norm2 = LayerNorm(weights, f"{name}.norm2", config.epsilon, operators)
        self.mlp = MLP(weights, f"{name}.mlp", operators)

    def forward(self, x):
        for norm, part in ((self.norm1, self.attention), (self.norm2, self.mlp)):
            x = x + part(norm(x))
        return x


class TorchMiniGPT(nn.Module):
    def __init__(self, config, weights, operators=None, softmax=None):
        super().__init__()
        self.operators = NativeOperators() if operators is None else operators
        softmax = self.operators.softmax if softmax is None else softmax
        self.token_embedding = nn.Embedding.from_pretrained(weights["token_embedding"].clone(), freeze=False)
        self.position_embedding = nn.Embedding.from_pretrained(weights["position_embedding"].clone(), freeze=False)
        names = [f"blocks.{n}" for n in range(config.blocks)]
        self.blocks = nn.Sequential(*(Block(weights, name, config, self.operators, softmax) for name in names))
        self.norm = LayerNorm(weights, "norm", config.epsilon, self.operators)
        self.head = nn.Linear(config.width, config.vocabulary, bias=False, device="meta")
        self.head.weight = self.token_embedding.weight

    def forward(self, tokens):
        x = self.token_embedding(tokens) + self.position_embedding.weight[: tokens.size(1)]
        return self.operators.matmul(self.norm(self.blocks(x)), self.head.weight.t())
