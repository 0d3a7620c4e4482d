"""Attention three ways: operator by operator, F.scaled_dot_product_attention, and the 60 lines of Triton to read."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from onekernel.bench.sample import Sample
from onekernel.bench.timing import L2Emptier, interleaved

TOKENS, HEADS, WIDTH = 16384, 16, 64  # batch x length, heads, d
LENGTHS = (512, 2048, 8192, 16384)

Call = Callable[[], Any]


def measure(module: ModuleType) -> list[dict[str, Any]]:
    """A row for each length: for each way its sample, FLOP/s, bytes allocated meanwhile, largest error. `module` is
    solutions/reading/flash_attention.py."""
    import torch

    emptier, rows = L2Emptier(), []
    for length in LENGTHS:
        shape = (TOKENS // length, HEADS, length, WIDTH)
        q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
        calls = _ways(module, q, k, v)
        facts = {name: _facts(call, (q, k, v)) for name, call in calls.items()}
        samples = interleaved(calls, repeats=9, emptier=emptier)
        flops = 4 * TOKENS * HEADS * length * WIDTH
        rows.append({"length": length, **{n: _row(samples[n], flops) | facts[n] for n in calls}})
    return rows


def _ways(module: ModuleType, q: Any, k: Any, v: Any) -> dict[str, Call]:
    import torch

    def unfused() -> Any:
        return torch.softmax((q @ k.transpose(-1, -2)) * WIDTH**-0.5, dim=-1) @ v

    sdpa = torch.nn.functional.scaled_dot_product_attention
    return {"unfused": unfused, "sdpa": lambda: sdpa(q, k, v), "triton": lambda: module.flash_attention(q, k, v)}


def _facts(call: Call, inputs: tuple[Any, ...]) -> dict[str, float]:
    """Bytes that a call allocates at its peak, the output included, and its largest error against fp32."""
    import torch

    call()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    got = call()
    torch.cuda.synchronize()
    allocated = torch.cuda.max_memory_allocated() - before
    one = [t[:1, :2].float() for t in inputs]  # two heads: the scores of all would not fit
    want = torch.softmax((one[0] @ one[1].transpose(-1, -2)) * WIDTH**-0.5, dim=-1) @ one[2]
    return {"allocated_bytes": allocated, "error": (got[:1, :2].float() - want).abs().max().item()}


def _row(sample: Sample, flops: float) -> dict[str, Any]:
    return {**sample.to_json(), "flops_per_s": flops / sample.median}
