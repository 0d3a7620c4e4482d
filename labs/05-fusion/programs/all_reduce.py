"""Gradients summed over two GPUs: torchrun --nproc-per-node 2. Alone, one process that has nobody to wait for."""

import os
import tempfile

import torch
import torch.distributed as dist

device = "cuda" if torch.cuda.is_available() else "cpu"
if "RANK" in os.environ:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
else:
    if not dist.is_initialized():
        dist.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
gradients = [torch.randn(1 << 24 if device == "cuda" else 1 << 16, device=device) for _ in range(4)]


def step():
    for gradient in gradients:
        dist.all_reduce(gradient)
        gradient.mul_(1 / dist.get_world_size())
