"""Calls the functions of a small Python exercise on torch tensors, and hands back what they gave, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.sandbox.tasks import load
from onekernel.sandbox.tasks.port import raised

NUMBERS, TENSOR, OTHER = 0, 1, 2  # what came back: a number or several, a tensor, anything else


def run(source: Path, request: Mapping[str, Any], softmax: None = None) -> dict[str, np.ndarray]:
    """What `function` gives for tensors of `shapes` that count upwards from 0, and the numbers `given` behind them.

    "kind" says what it was; "value" is it, in float64; of a tensor also "shape", "stride", "offset", and "shares", the
    argument whose storage it shares, or -1. "after": the arguments as they were left. Where the file raises, "raised"
    alone (see port.raised).
    """
    import torch

    try:
        function = getattr(load(source), request["function"])
        tensors = [torch.arange(float(np.prod(dims))).reshape(dims) for dims in request["shapes"]]
        result = function(*tensors, *request["given"])
        return _arrays(torch, result, tensors)
    except Exception as error:
        return {"raised": raised(error, source)}


def _arrays(torch: Any, result: Any, tensors: list[Any]) -> dict[str, np.ndarray]:
    after = np.concatenate([np.zeros(0), *(t.double().numpy().ravel() for t in tensors)])
    if isinstance(result, torch.Tensor):
        storage = result.untyped_storage().data_ptr()
        shares = [i for i, t in enumerate(tensors) if t.untyped_storage().data_ptr() == storage]
        return {
            "kind": np.array([TENSOR]),
            "value": result.detach().double().contiguous().numpy().ravel(),
            "shape": np.array(result.shape, np.int64),
            "stride": np.array(result.stride(), np.int64),
            "offset": np.array([result.storage_offset()]),
            "shares": np.array([*shares, -1][:1]),
            "after": after,
        }
    try:
        value = np.asarray(result, np.float64).ravel()
    except (TypeError, ValueError):
        return {"kind": np.array([OTHER]), "value": np.zeros(0), "after": after}
    return {"kind": np.array([NUMBERS]), "value": value, "after": after}
