"""The hundred operations of small_kernels.py, captured once in a CUDA graph: one launch replays them all."""

import torch

if not torch.cuda.is_available():
    raise SystemExit("A CUDA graph needs a GPU; the recorded trace is in labs/05-fusion/traces.")
x = torch.zeros(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
x.add_(1.0), x.mul_(0.5)
torch.cuda.synchronize()
with torch.cuda.graph(graph):
    for _ in range(50):
        x.add_(1.0)
        x.mul_(0.5)


def step():
    graph.replay()
