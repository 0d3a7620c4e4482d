"""Twenty steps of a small loop that reads its loss after each one. Compare with no_item.py."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
n = 4096 if device == "cuda" else 256
x = torch.randn(n, n, device=device)
total = 0.0


def step():
    global total
    for _ in range(20):
        y = torch.relu(x * 0.5 + 1.0)
        loss = (y - x).square().mean()
        total += loss.item()
