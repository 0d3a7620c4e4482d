"""One operator, seven shapes: which kernel does the library choose for each?"""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.bfloat16 if device == "cuda" else torch.float32
width = 4096 if device == "cuda" else 512
w = torch.randn(width, width, device=device, dtype=dtype)
odd = torch.randn(width - 1, width - 1, device=device, dtype=dtype)
inputs = [torch.randn(rows, width, device=device, dtype=dtype) for rows in (1, 8, 64, 256, 1024, width)]
ragged = torch.randn(width, width - 1, device=device, dtype=dtype)


def step():
    for x in inputs:
        x @ w
    ragged @ odd
