# exercise: torch_minigpt
# unusual: one class of layer for all, its function given, submodules by add_module, torch.where
# group: native, identical

import math

import torch
from torch import nn


class NativeOperators:
    def matmul(self, a, b):
        return torch.matmul(a, b)

    def sqrt(self, x):
        return torch.sqrt(x)

    def tanh(self, x):
        return torch.tanh(x)

    def mean(self, x):
        return x.sum(dim=-1, keepdim=True) / x.shape[-1]

    def softmax(self, x):
        e = torch.exp(x - x.amax(dim=-1, keepdim=True))
        return e / e.sum(dim=-1, keepdim=True)


class Layer(nn.Module):
    """A module that computes what a function of it says; what it needs it is given by keywords."""

    def __init__(self, operators, function, parameters=(), modules=(), **values):
        super().__init__()
        self.operators, self.function = operators, function
        for name, tensor in dict(parameters).items():
            self.register_parameter(name, nn.Parameter(tensor.detach().clone(memory_format=torch.contiguous_format)))
        for name, module in dict(modules).items():
            self.add_module(name, module)
        for name, value in values.items():
            setattr(self, name, value)

    def forward(self, x):
        return self.function(self, x)


def linear(self, x):
    return self.operators.matmul(x, self.weight.transpose(0, 1)) + self.bias


def layer_norm(self, x):
    mean = self.operators.mean
    c = x - mean(x)
    return c / self.operators.sqrt(mean(c * c) + self.epsilon) * self.gain + self.bias


def attention(self, x):
    batch, length, width = x.shape
    shape = (batch, length, self.heads, width // self.heads)
    q, k, v = (part.reshape(shape).transpose(1, 2) for part in self.qkv(x).split(width, dim=-1))
    scores = self.operators.matmul(q, k.transpose(2, 3)) * (1.0 / math.sqrt(shape[-1]))
    hidden = self.hidden[:length, :length].to(x.device)
    scores = torch.where(hidden, torch.full_like(scores, -math.inf), scores)
    mixed = self.operators.matmul(self.softmax(scores), v)
    return self.project(mixed.transpose(1, 2).flatten(2))


def mlp(self, x):
    h = self.up(x)
    t = self.operators.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * (h * h * h)))
    return self.down(0.5 * h * (1.0 + t))


def block(self, x):
    x = x + self.attention(self.norm1(x))
    return x + self.mlp(self.norm2(x))


class TorchMiniGPT(nn.Module):
    def __init__(self, config, weights, operators=None, softmax=None):
        super().__init__()
        ops = operators or NativeOperators()
        self.operators = ops
        softmax = softmax or ops.softmax
        hidden = torch.ones(config.context, config.context, dtype=torch.bool).triu(1)

        def dense(name):
            tensors = {"weight": weights[f"{name}.weight"].T, "bias": weights[f"{name}.bias"]}
            return Layer(ops, linear, tensors)

        def norm(name):
            tensors = {key: weights[f"{name}.{key}"] for key in ("gain", "bias")}
            return Layer(ops, layer_norm, tensors, epsilon=config.epsilon)

        def whole(name):
            inner = {key: dense(f"{name}.attention.{key}") for key in ("qkv", "project")}
            outer = {key: dense(f"{name}.mlp.{key}") for key in ("up", "down")}
            parts = {
                "norm1": norm(f"{name}.norm1"),
                "attention": Layer(ops, attention, (), inner, heads=config.heads, softmax=softmax, hidden=hidden),
                "norm2": norm(f"{name}.norm2"),
                "mlp": Layer(ops, mlp, (), outer),
            }
            return Layer(ops, block, (), parts)

        self.token_embedding = nn.Embedding(config.vocabulary, config.width, _weight=weights["token_embedding"].clone())
        positions = weights["position_embedding"].clone()
        self.position_embedding = nn.Embedding(config.context, config.width, _weight=positions)
        self.blocks = nn.ModuleList([whole(f"blocks.{n}") for n in range(config.blocks)])
        self.norm = norm("norm")
        self.head = nn.Linear(config.width, config.vocabulary, bias=False, device="meta")
        self.head.weight = self.token_embedding.weight

    def forward(self, tokens):
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(tokens.shape[1], device=tokens.device))
        for part in self.blocks:
            x = part(x)
        return self.operators.matmul(self.norm(x), self.head.weight.transpose(0, 1))
