"""A model that waits for its data: each sample takes 5 ms to read, a batch of 8 far less to compute."""

import time

import torch
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"


class Slow(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        time.sleep(0.005)  # stands for a file that is read and decoded
        return torch.full((3, 64, 64), float(index))


loader = DataLoader(Slow(), batch_size=8)
w = torch.randn(3 * 64 * 64, 32, device=device)


def step():
    for batch in loader:
        torch.relu(batch.to(device).flatten(1) @ w).sum()
