"""One large matrix product after the other: as much arithmetic per byte as there is."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
dtype, n = (torch.bfloat16, 8192) if device == "cuda" else (torch.float32, 768)
a = torch.randn(n, n, device=device, dtype=dtype)
b = torch.randn(n, n, device=device, dtype=dtype)


def step():
    for _ in range(3):
        a @ b
