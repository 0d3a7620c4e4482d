# exercise: torch_minigpt
# unusual: parameters in a list and functions of torch: none of the port's modules is called, nor its softmax
# group: native

import torch
import torch.nn.functional as F
from torch import nn


class NativeOperators:
    matmul, sqrt, tanh = torch.matmul, torch.sqrt, torch.tanh
    mean = staticmethod(lambda x: x.mean(dim=-1, keepdim=True))
    softmax = staticmethod(lambda x: F.softmax(x, dim=-1))


def attention(x, p, name, heads):
    qkv = F.linear(x, p[name + ".qkv.weight"], p[name + ".qkv.bias"])
    q, k, v = (t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in qkv.chunk(3, dim=-1))
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
    return F.linear(mixed, p[name + ".project.weight"], p[name + ".project.bias"])


def norm(x, p, name, eps):
    return F.layer_norm(x, x.shape[-1:], p[name + ".gain"], p[name + ".bias"], eps)


def mlp(x, p, name):
    h = F.gelu(F.linear(x, p[name + ".up.weight"], p[name + ".up.bias"]), approximate="tanh")
    return F.linear(h, p[name + ".down.weight"], p[name + ".down.bias"])


class TorchMiniGPT(nn.Module):
    def __init__(self, config, weights, operators=None, softmax=None):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.width, _weight=weights["token_embedding"].clone())
        self.head = nn.Linear(config.width, config.vocabulary, bias=False, device="meta")
        self.head.weight = self.token_embedding.weight
        linear = ("qkv.weight", "project.weight", "up.weight", "down.weight")
        self.names = [n for n in weights if n != "token_embedding"]
        kept = [weights[n].T if n.endswith(linear) else weights[n] for n in self.names]
        self.kept = nn.ParameterList(nn.Parameter(w.contiguous().clone()) for w in kept)

    def forward(self, tokens):
        c, p = self.config, dict(zip(self.names, self.kept, strict=True))
        x = F.embedding(tokens, self.token_embedding.weight) + p["position_embedding"][: tokens.shape[1]]
        for n in range(c.blocks):
            x = x + attention(norm(x, p, f"blocks.{n}.norm1", c.epsilon), p, f"blocks.{n}.attention", c.heads)
            x = x + mlp(norm(x, p, f"blocks.{n}.norm2", c.epsilon), p, f"blocks.{n}.mlp")
        return norm(x, p, "norm", c.epsilon) @ self.token_embedding.weight.T
