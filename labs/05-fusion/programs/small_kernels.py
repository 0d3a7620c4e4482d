"""A hundred operations on 4 KB each: hardly any work, and all of the overhead. Compare with small_kernels_graph.py."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.zeros(1024, device=device)


def step():
    for _ in range(50):
        x.add_(1.0)
        x.mul_(0.5)
