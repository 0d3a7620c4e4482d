"""25 points against 25 points, in 512 dimensions: one torch.cdist. Compare with cdist_26.py."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
a = torch.randn(25, 512, device=device)
b = torch.randn(25, 512, device=device)


def step():
    return torch.cdist(a, b)
