"""Runs a learner's storage_probe.py and hands back what it saw, as arrays. For the untrusted process."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import torch

from .port_run import load_module, raised
from .storage import SHARED_PAIRS, TRUTH


def run_probe(source: Path, cuda: bool = False) -> dict[str, np.ndarray]:
    """ "pairs": what shares_storage says of SHARED_PAIRS; "observed": what observe saw, in the order of TRUTH. uint8.

    Where the file raises (a question that observe leaves out counts as such), "raised" alone (see port_run.raised).
    """
    try:
        return _asked(load_module(source), cuda)
    except Exception as error:
        return {"raised": raised(error, source)}


def _asked(module: ModuleType, cuda: bool) -> dict[str, np.ndarray]:
    x = torch.arange(6.0).reshape(2, 3)
    others = [x, x[1], x.T[1:], x.clone(), torch.arange(6.0).reshape(2, 3)]
    pairs = [(x, other) for other in others]
    pairs.append((torch.empty(0), torch.empty(0)))
    pairs.append((x, x.to("meta")))
    assert len(pairs) == len(SHARED_PAIRS)
    observed = module.observe(cuda)
    return {
        "pairs": np.array([bool(module.shares_storage(a, b)) for a, b in pairs], np.uint8),
        "observed": np.array([bool(observed[question]) for question in TRUTH], np.uint8),
    }
