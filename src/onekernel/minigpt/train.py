"""Makes weights.npz: `PYTHONPATH=src python -m onekernel.minigpt.train` (a clone of the repository, torch, minutes).

The model that is trained is solutions/torch_minigpt.py in float32, on corpus.txt beside this file, with AdamW and a
cosine schedule from fixed seeds. Bytes of the result depend on the machine and the torch version, so the file that
ships is recorded by its SHA-256 in weights.py; its figures are in training.json.

But: the text is short, and the model is trained until it knows it by heart: readable sentences, at the price of the
last tenth of the text, which is held out and which it predicts badly. About 600 steps would be best for that.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch

from onekernel.loading import load_module

from . import weights
from .config import Config

CORPUS = Path(__file__).with_name("corpus.txt")
SOLUTION = Path(__file__).parents[3] / "solutions" / "torch_minigpt.py"


def initial(config: Config, seed: int) -> dict[str, torch.Tensor]:
    """GPT-2's start: normal with deviation 0.02 (Radford et al. 2019), gains 1, biases 0."""
    generator = torch.Generator().manual_seed(seed)
    start = {}
    for name, shape in config.shapes().items():
        if name.endswith("gain"):
            start[name] = torch.ones(shape)
        elif name.endswith("bias"):
            start[name] = torch.zeros(shape)
        else:
            start[name] = 0.02 * torch.randn(shape, generator=generator)
    return start


def exported(model: torch.nn.Module, config: Config) -> dict[str, np.ndarray]:
    """The module's parameters under the NumPy model's names and in its layout, float32."""
    state = {name: p.detach().numpy() for name, p in model.state_dict().items()}
    out = {}
    for name, shape in config.shapes().items():
        array = state[f"{name}.weight"] if name.endswith("embedding") else state[name]
        out[name] = np.ascontiguousarray(array.T if name.endswith(".weight") else array)
        assert out[name].shape == shape
    return out


def _bits_per_byte(model: torch.nn.Module, text: torch.Tensor, context: int) -> float:
    """The mean cost of the next byte, in bits, over the text cut in windows."""
    count = (len(text) - 1) // context
    inputs, targets = text[: count * context].view(count, context), text[1 : count * context + 1].view(count, context)
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    return loss.item() / math.log(2.0)


def train(
    config: Config, steps: int, batch: int, peak: float, decay: float, dropout: float, seed: int
) -> tuple[dict[str, Any], dict[str, float]]:
    """Returns (weights by name, figures)."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # matrices this small gain little from a second thread, and a busy machine loses much
    text = torch.tensor(list(CORPUS.read_bytes()))
    cut = len(text) * 9 // 10
    training, held_out = text[:cut], text[cut:]
    model = load_module(SOLUTION).TorchMiniGPT(config, initial(config, seed))
    for block in model.blocks:  # dropout on what each half adds, for training alone
        for half in (block.attention, block.mlp):
            half.register_forward_hook(lambda m, _, y: torch.nn.functional.dropout(y, dropout, training=m.training))
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=(0.9, 0.98), weight_decay=decay)
    warm_up = max(1, steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda s: min(1.0, (s + 1) / warm_up) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * s / steps))),
    )
    start = time.monotonic()
    for step in range(steps):
        model.train()
        first = torch.randint(len(training) - config.context, (batch, 1)) + torch.arange(config.context)
        loss = torch.nn.functional.cross_entropy(model(training[first]).flatten(0, 1), training[first + 1].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            model.eval()
            seen, unseen = (_bits_per_byte(model, part, config.context) for part in (training, held_out))
            print(f"{step:5d}  {seen:.3f}  {unseen:.3f} bits/byte  {time.monotonic() - start:.0f} s", flush=True)
    return exported(model, config), {
        "train_bits_per_byte": round(seen, 3),
        "held_out_bits_per_byte": round(unseen, 3),
        "seconds": round(time.monotonic() - start),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m onekernel.minigpt.train")
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--peak", type=float, default=3e-3, help="the highest learning rate")
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=weights.SHIPPED)
    asked = parser.parse_args()
    config = weights.SHIPPED_CONFIG
    trained, figures = train(config, asked.steps, asked.batch, asked.peak, asked.decay, asked.dropout, asked.seed)
    np.savez(asked.out, **trained)
    record = {
        **figures,
        **{k: v for k, v in vars(asked).items() if k != "out"},
        "parameters": sum(w.size for w in trained.values()),
        "corpus_sha256": hashlib.sha256(CORPUS.read_bytes()).hexdigest(),
        "bytes": asked.out.stat().st_size,
        "date": date.today().isoformat(),
        "torch": torch.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "command": "PYTHONPATH=src python -m onekernel.minigpt.train",
    }
    print(json.dumps(record, indent=2))
    print(f'now set SHIPPED_SHA256 = "{hashlib.sha256(asked.out.read_bytes()).hexdigest()}" in weights.py')
    asked.out.with_name("training.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
