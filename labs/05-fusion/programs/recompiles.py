"""A function that is compiled anew when what it was compiled for changes."""

import torch


def scaled(x, factor):
    return torch.relu(x) * factor


# (what is new, the arguments): each call, in this order
CALLS = (
    ("first call", (torch.ones(8, 4), 2.0)),
    ("same again", (torch.ones(8, 4), 2.0)),
    ("another length", (torch.ones(9, 4), 2.0)),
    ("another length again", (torch.ones(10, 4), 2.0)),
    ("another type", (torch.ones(8, 4, dtype=torch.float64), 2.0)),
    ("another number", (torch.ones(8, 4), 3.0)),
    ("another number again", (torch.ones(8, 4), 4.0)),
)

if __name__ == "__main__":  # TORCH_LOGS=recompiles python labs/05-fusion/programs/recompiles.py
    compiled = torch.compile(scaled)
    for words, args in CALLS:
        print(f"--- {words}", flush=True)
        compiled(*args)
