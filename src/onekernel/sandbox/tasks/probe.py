"""Runs a learner's storage_probe.py and hands back what it saw, as arrays. The right answers stay on the other side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch

from onekernel.sandbox.tasks import load
from onekernel.sandbox.tasks.port import raised


def run(source: Path, request: Mapping[str, Any], softmax: None = None) -> dict[str, np.ndarray]:
    """ "pairs": what shares_storage says of the request's "pairs"; "observed": what observe(`cuda`) saw of its
    "questions"; both uint8, in the order asked.

    Where the file raises (a question that observe leaves out counts as such), "raised" alone (see port.raised).
    """
    try:
        return _asked(load(source), request)
    except Exception as error:
        return {"raised": raised(error, source)}


def _asked(module: ModuleType, request: Mapping[str, Any]) -> dict[str, np.ndarray]:
    pairs = _pairs()
    observed = module.observe(request["cuda"])
    return {
        "pairs": np.array([bool(module.shares_storage(*pairs[name])) for name in request["pairs"]], np.uint8),
        "observed": np.array([bool(observed[question]) for question in request["questions"]], np.uint8),
    }


def _pairs() -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """The pairs that shares_storage can be asked of, by the names of minigpt.storage."""
    x = torch.arange(6.0).reshape(2, 3)
    return {
        "itself": (x, x),
        "a later row": (x, x[1]),
        "a transposed view": (x, x.T[1:]),
        "a clone": (x, x.clone()),
        "equal numbers": (x, torch.arange(6.0).reshape(2, 3)),
        "two tensors without memory": (torch.empty(0), torch.empty(0)),
        "another device": (x, x.to("meta")),
    }
