"""MiniGPT as a torch.nn.Module: the NumPy model of src/onekernel/minigpt/model.py, ported to the last bit.

Check:  onekernel check torch_minigpt
Bench:  none here: audits/byte_identity/cost.py times the NumPy model, audits/byte_identity compares the bytes on a GPU
Idea:   a module is a registry (of parameters, of modules) with a `forward`; a forward pass is a list of operator calls,
        and torch sends each one to the code for the tensors' device and dtype. Exchange the operators and the same
        module computes other bytes; fix their order and it computes the same bytes as NumPy.
But:    no key-value cache, no dropout, no fused attention: F.scaled_dot_product_attention computes the middle of
        Attention.forward in one kernel, and for that it must choose an order of its own.

How it is checked
    native        your model with NativeOperators, fp64: within 1e-12 of NumPy's logits, relative to each row's largest
    identical     your model with reproducible operators that the checker passes in: the same bytes as NumPy's
    kernel        your own softmax takes the place of F.softmax in attention

The checker reads your tensors through hooks on the submodules, so keep their names: blocks.0.norm1,
blocks.0.attention.qkv, ... When something differs, the debugger tells you the first tensor that does.

`config` has vocabulary, context, width, heads, blocks and epsilon. `weights` maps NumPy's names to float64 tensors:
    token_embedding (vocabulary, width), position_embedding (context, width), norm.gain, norm.bias (width),
    blocks.N.norm1.gain, .bias, blocks.N.norm2.gain, .bias (width),
    blocks.N.attention.qkv, blocks.N.attention.project, blocks.N.mlp.up, blocks.N.mlp.down: each .weight and .bias.
NumPy computes `x @ weight + bias`, so its weights are (inputs, outputs).
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
        # <gap>
        #| # TODO: call nn.Linear's __init__ with the sizes (and dtype) that `weight` has, then copy weight and bias
        #| # into self.weight and self.bias. `with torch.no_grad():` and `.copy_()` keep them Parameters.
        #| raise NotImplementedError("Linear.__init__")
        super().__init__(*weight.shape, dtype=weight.dtype)
        with torch.no_grad():
            self.weight.copy_(weight.T)
            self.bias.copy_(bias)
        # </gap>
        self.operators = operators

    def forward(self, x: Tensor) -> Tensor:
        # <gap>
        #| # TODO: x @ weight + bias as NumPy has it, with the product done by self.operators.matmul
        #| raise NotImplementedError("Linear.forward")
        return self.operators.matmul(x, self.weight.T) + self.bias
        # </gap>


class LayerNorm(nn.Module):
    def __init__(self, gain: Tensor, bias: Tensor, epsilon: float, operators) -> None:
        super().__init__()
        # <gap>
        #| # TODO: register gain and bias as parameters, under the names that forward uses. A plain attribute would
        #| # not be one: model.parameters() would miss it, and model.cuda() would leave it behind.
        self.gain = nn.Parameter(gain.clone())
        self.bias = nn.Parameter(bias.clone())
        # </gap>
        self.epsilon = epsilon
        self.operators = operators

    def forward(self, x: Tensor) -> Tensor:
        # <gap>
        #| # TODO: what MiniGPT.layer_norm does, in its order: mean, centre, mean of squares, divide by the root
        #| raise NotImplementedError("LayerNorm.forward")
        centred = x - self.operators.mean(x)
        variance = self.operators.mean(centred * centred)
        scaled = centred / self.operators.sqrt(variance + self.epsilon)
        return scaled * self.gain + self.bias
        # </gap>


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
        # <gap>
        #| # TODO: split self.qkv(x) into q, k, v of shape (batch, heads, length, head_width): q of all heads comes
        #| # first, then k, then v. Scores = q @ k^T / sqrt(head_width), as a multiplication by 1 / sqrt(...).
        #| # Put -inf where a position would see a later one, call self.softmax, gather v, merge the heads, project.
        #| raise NotImplementedError("Attention.forward")
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, head_width).permute(2, 0, 3, 1, 4)
        scores = self.operators.matmul(q, k.transpose(-1, -2)) * (1.0 / math.sqrt(head_width))
        position = torch.arange(length, device=x.device)
        scores = scores.masked_fill(position[None, :] > position[:, None], -math.inf)
        mixed = self.operators.matmul(self.softmax(scores), v)
        return self.project(mixed.transpose(1, 2).reshape(batch, length, width))
        # </gap>


class MLP(nn.Module):
    def __init__(self, up: Linear, down: Linear, operators) -> None:
        super().__init__()
        self.up = up
        self.down = down
        self.operators = operators

    def forward(self, x: Tensor) -> Tensor:
        # <gap>
        #| # TODO: up, GELU in NumPy's tanh form, down. Write x ** 3 as x * x * x: torch.pow rounds differently.
        #| raise NotImplementedError("MLP.forward")
        h = self.up(x)
        inner = math.sqrt(2.0 / math.pi) * (h + 0.044715 * (h * h * h))
        return self.down(0.5 * h * (1.0 + self.operators.tanh(inner)))
        # </gap>


class Block(nn.Module):
    def __init__(self, norm1: LayerNorm, attention: Attention, norm2: LayerNorm, mlp: MLP) -> None:
        super().__init__()
        self.norm1 = norm1
        self.attention = attention
        self.norm2 = norm2
        self.mlp = mlp

    def forward(self, x: Tensor) -> Tensor:
        # <gap>
        #| # TODO: pre-norm: each half adds to x what it makes of the norm of x
        #| raise NotImplementedError("Block.forward")
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))
        # </gap>


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
        # <gap>
        #| # TODO: tie it
        self.head.weight = self.token_embedding.weight
        # </gap>

    def forward(self, tokens: Tensor) -> Tensor:
        # <gap>
        #| # TODO: embed tokens and positions, run the blocks and the last norm, multiply by the head's weight
        #| raise NotImplementedError("TorchMiniGPT.forward")
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        for block in self.blocks:
            x = block(x)
        return self.operators.matmul(self.norm(x), self.head.weight.T)
        # </gap>
