"""Runs a learner's torch_minigpt.py and hands back what it computed, as arrays. For the untrusted process.

Nothing here decides anything: port_check.py does, in another process, from these arrays and NumPy's own.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from onekernel.minigpt.arithmetic import Reproducible
from onekernel.minigpt.port_request import PortRequest
from onekernel.minigpt.sketches import sizes
from onekernel.sandbox.tasks import load
from onekernel.sandbox.tasks.witness import Witness

Softmax = Callable[[torch.Tensor], torch.Tensor]


def run(source: Path, request: Mapping[str, Any], softmax: Softmax | None = None) -> dict[str, np.ndarray]:
    """One forward pass of the module in `source`, as `request` (see PortRequest) asks.

    `softmax` takes and gives a contiguous float32 tensor (rows, columns): the learner's kernel, for part "kernel".
    Returns "logits" (batch, length, vocabulary), "trace/NAME" for each step that the hooks saw (NumPy's names; first
    call), "calls/NAME" for each that was called more than once, "parameters", "tied", what a Witness saw, what
    `further` gives. Where the learner's code raises, "raised" (see `raised`), "raised-at" (see `layer_at`) and the
    trace so far.
    """
    asked = PortRequest.from_json(request)
    if (asked.part == "kernel") != (softmax is not None):
        raise ValueError('the part "kernel" needs a softmax, and no other part takes one')
    try:
        return _passed(source, asked, softmax)
    except torch.AcceleratorError as error:  # of this pass, or of one before it, after which nothing runs there
        return without_gpu(error, source, request)


def _passed(source: Path, asked: PortRequest, softmax: Softmax | None) -> dict[str, np.ndarray]:
    weights = {n: torch.tensor(w, dtype=torch.float64, device=asked.device) for n, w in asked.weights().items()}
    tokens = torch.from_numpy(asked.tokens()).to(asked.device)
    trace: dict[str, torch.Tensor] = {}
    calls: Counter[str] = Counter()
    answer: dict[str, np.ndarray] = {}
    model: Any = None
    try:
        module = load(source)
        operators: Any = Reproducible(torch) if asked.part == "identical" else module.NativeOperators()
        inner = as_attention_softmax(softmax) if softmax else operators.softmax
        model = module.TorchMiniGPT(asked.config, weights, operators, recording(inner, trace)).to(asked.device)
        watch(model, trace, calls)
        witness = Witness(source, sizes(asked.config, *tokens.shape))
        with torch.no_grad():
            with witness.watching():
                logits = model(tokens)
            answer |= {"logits": as_numpy(logits), **witness.answer()}
        trace, calls = dict(trace), Counter(calls)  # of the first pass, which the hooks forget now
        answer["parameters"] = np.array([sum(p.numel() for p in model.parameters())])
        answer["tied"] = np.array([model.head.weight is model.token_embedding.weight])
        answer |= further(asked, model, source)
    except torch.AcceleratorError:
        raise  # nothing on that device can be read any more
    except Exception as error:
        answer["raised"] = raised(error, source)
        answer["raised-at"] = np.frombuffer(layer_at(error, source, weights, model).encode(), np.uint8)
    again = {f"calls/{name}": np.array([n]) for name, n in calls.items() if n > 1}
    return {**{f"trace/{name}": as_numpy(t) for name, t in trace.items()}, **again, **answer}


def without_gpu(error: Exception, source: Path, request: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The answer of the CPU where a kernel of the GPU has failed: the process has lost its GPU, with all that lies
    there, and the line that met the error may stand far behind its cause. An index out of range is such a failure. The
    GPU's own words where the CPU has nothing to say against the file."""
    part = "native" if request["part"] == "kernel" else request["part"]
    answer = run(source, {**request, "part": part, "device": "cpu"})
    return answer if "raised" in answer else {"raised": raised(error, source)}


def further(asked: PortRequest, model: torch.nn.Module, source: Path) -> dict[str, np.ndarray]:
    """The logits of further passes of the same model as "further/NAME", or what it raised as "further-raised/NAME"."""
    answer = {}
    for name, tokens in asked.further_tokens().items():
        try:
            with torch.no_grad():
                answer[f"further/{name}"] = as_numpy(model(torch.from_numpy(tokens).to(asked.device)))
        except torch.AcceleratorError:
            raise
        except Exception as error:
            answer[f"further-raised/{name}"] = raised(error, source)
    return answer


def raised(error: Exception, source: Path) -> np.ndarray:
    """The UTF-8 bytes of "LINE TYPE: TEXT", uint8; LINE is the last one of `source` on the way to the error, or 0."""
    frames = traceback.extract_tb(error.__traceback__)
    line = getattr(error, "lineno", 0) if isinstance(error, SyntaxError) else 0
    for frame in frames:
        if Path(frame.filename) == source:
            line = frame.lineno
    return np.frombuffer(f"{line or 0} {type(error).__name__}: {error}".encode()[:2000], np.uint8)


def layer_at(
    error: Exception, source: Path, weights: Mapping[str, torch.Tensor], model: torch.nn.Module | None
) -> str:
    """The linear layer (NumPy's name) that the line of `source` was building or computing when it raised, or ""."""
    names = {id(w): name.removesuffix(".weight") for name, w in weights.items() if name.endswith(".weight")}
    names |= {id(m): name for name, m in model.named_modules()} if model is not None else {}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(source)]
    held = frames[-1].f_locals.values() if frames else ()
    return next((names[id(value)] for value in held if id(value) in names), "")


def as_attention_softmax(kernel: Softmax) -> Softmax:
    """A float32 row softmax (rows, columns) as one on float64 scores (..., columns)."""

    def softmax(scores: torch.Tensor) -> torch.Tensor:
        rows = scores.reshape(-1, scores.shape[-1]).to(torch.float32).contiguous()
        return kernel(rows).to(scores.dtype).reshape(scores.shape)

    return softmax


def recording(softmax: Softmax, trace: dict[str, torch.Tensor]) -> Softmax:
    """The same function; the n-th call leaves what went in and came out under block n's names."""
    calls = 0

    def recorded(scores: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        weights = softmax(scores)
        trace[f"blocks.{calls}.attention.scores"] = scores.detach().clone()
        trace[f"blocks.{calls}.attention.weights"] = weights.detach().clone()
        calls += 1
        return weights

    return recorded


def watch(model: torch.nn.Module, trace: dict[str, torch.Tensor], calls: Counter[str]) -> None:
    """Hooks that leave each submodule's output under its own name, and three inputs that NumPy's trace names.

    The first call is kept: it is the one that NumPy makes. `calls` counts them all: one too many is a mistake, too.
    """
    inputs = {"attention.project": "attention.mixed", "norm2": "middle", "mlp.down": "mlp.gelu"}

    def keep(name: str, tensor: object) -> None:
        if isinstance(tensor, torch.Tensor) and name not in trace:
            trace[name] = tensor.detach().clone()

    def called(name: str, out: object) -> None:
        calls[name] += 1
        keep(name, out)

    for name, module in model.named_modules():
        if name == "blocks.0":
            module.register_forward_pre_hook(lambda m, args: keep("embedding", args[0]))
        module.register_forward_hook(lambda m, args, out, name=name: called(name or "logits", out))
        for suffix, ours in inputs.items():
            if name.endswith("." + suffix):
                said = name.removesuffix(suffix) + ours
                module.register_forward_pre_hook(lambda m, args, said=said: keep(said, args[0]))


def as_numpy(tensor: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(tensor.detach().cpu().numpy())
