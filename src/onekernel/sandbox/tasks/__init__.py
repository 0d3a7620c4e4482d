"""Python exercises in the untrusted process: a module is imported and answers with arrays, a file per request.

Each module here is one task, the untrusted half of a kind of check. It has `run(source, asked, softmax)`: the learner's
file, one request as JSON values, and the learner's own softmax where the exercise is to use one, or what asks the
simulated cards (`cards`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from onekernel.loading import load_module
from onekernel.sandbox.arrays import pack
from onekernel.sandbox.own_kernel import Softmax
from onekernel.sandbox.protocol import LOADED, LOADING, Request, mark
from onekernel.sandbox.seals import Sealing

Run = Callable[[Path, Mapping[str, Any], Callable[[Any], Any] | None], dict[str, np.ndarray]]


def look_around() -> None:
    """Imports torch and starts CUDA's driver: both look around when they begin, as a closed process may not."""
    import torch

    if torch.cuda.is_available():
        torch.zeros(1, device="cuda")


_out: Path | None = None  # where this process says how far it is


def load(source: Path) -> ModuleType:
    """Imports the learner's file, and says when it begins and ends."""
    if _out:
        mark(_out, LOADING)
    try:
        return load_module(source)
    finally:
        if _out:
            mark(_out, LOADED)


def work(
    request: Request, out: Path, sealing: Sealing, softmax: Softmax | None, card: Callable[[Any], Any] | None
) -> None:
    """Does the task that the request names for each of its requests, and seals each answer before the next is asked."""
    global _out
    _out = out
    run: Run = import_module(f"{__name__}.{request.options['task']}").run
    given = _on_tensors(softmax) if softmax else card
    for number, asked in enumerate(request.options["requests"]):
        name, data = f"{number}.arrays", pack(run(request.source, asked, given))
        sealing.put(number, {name: data})
        (out / name).write_bytes(data)


def _on_tensors(softmax: Softmax) -> Callable[[Any], Any]:
    """The same softmax of a float32 torch tensor (rows, columns)."""
    import torch

    def on_tensors(x: Any) -> Any:
        return torch.from_numpy(softmax(x.detach().cpu().contiguous().numpy())).to(x.device)

    return on_tensors
