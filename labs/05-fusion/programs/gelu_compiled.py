"""The formula of gelu_unfused.py, through torch.compile."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(1 << 26 if device == "cuda" else 1 << 20, device=device)


@torch.compile
def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def step():
    return gelu(x)
