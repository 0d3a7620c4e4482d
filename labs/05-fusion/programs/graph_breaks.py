"""A function that torch.compile cannot keep in one graph: it prints, and it decides by a value."""

import torch


def halves(x):
    y = torch.sin(x) * 2
    print("sum is ready")  # the graph ends here, and another one begins
    z = y.cos()
    if z.sum() > 0:  # which branch? only the value tells: the graph ends here too
        return z - 1
    return z + 1


def whole(x):
    z = (torch.sin(x) * 2).cos()
    return torch.where(z.sum() > 0, z - 1, z + 1)


if __name__ == "__main__":  # TORCH_LOGS=graph_breaks python labs/05-fusion/programs/graph_breaks.py
    torch.compile(halves)(torch.randn(8))
