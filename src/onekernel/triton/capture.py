"""Runs a Triton file's function with launching replaced by compiling: which kernels would run, and what they become.

A process of its own, because it needs Triton without TRITON_INTERPRET: `python -m onekernel.triton.capture`
reads one JSON request from stdin and writes one JSON answer to stdout. No GPU is needed and no tensor is touched.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import traceback
from functools import partial
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from onekernel.backends.occupancy import LIMITS, REGISTERS, SYSTEM_SHARED
from onekernel.loading import load_module


class CompileOnlyDriver:
    """Stands where Triton's CUDA driver would: names the target, and has no device to run on."""

    def __init__(self, arch: int) -> None:
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget("cuda", arch, 32)

    def get_current_target(self) -> Any:
        return self.target

    def get_current_device(self) -> int:
        return int(self.target.arch)  # Triton caches kernels by device: one device an architecture

    def get_current_stream(self, device: int) -> int:
        return 0


def capture(request: dict[str, Any]) -> dict[str, Any]:
    """Compiles what `function(x)` would launch for one architecture at a time; every input is like x.

    Request: path, function, archs (["sm_80"]), rows, cols, dtype. Answer: {"kernels": [...]} or {"error": ...}.
    """
    import torch
    import triton
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction

    found: list[dict[str, Any]] = []
    run = JITFunction.run

    def compile_only(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
        kernel = run(self, *args, grid=grid, warmup=True, **kwargs)
        bound = dict(zip(self.arg_names, args, strict=False)) | kwargs
        found.append(_describe(self, kernel, grid(bound) if callable(grid) else grid, bound))

    def every_config(self: Any, *args: Any, **kwargs: Any) -> None:
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        for config in self.prune_configs(kwargs):
            self.fn.run(*args, **kwargs, **config.all_kwargs())

    JITFunction.run, Autotuner.run = compile_only, every_config
    module = load_module(Path(request["path"]))
    x = torch.empty((request["rows"], request["cols"]), dtype=getattr(torch, request["dtype"]))
    x = x.as_subclass(_on_a_card(torch))
    cuda: Any = torch.cuda
    for arch in request["archs"]:
        driver.set_active(CompileOnlyDriver(int(arch.removeprefix("sm_"))))
        cuda.get_device_properties = partial(_said, _properties(arch))
        called = getattr(module, request["function"])
        inputs = [p for p in signature(called).parameters.values() if p.default is p.empty]
        called(*[x] * len(inputs))
    return {"kernels": found, "triton": triton.__version__}


def _said(properties: SimpleNamespace, device: object = None) -> SimpleNamespace:
    return properties


def _properties(arch: str) -> SimpleNamespace:
    """What torch.cuda.get_device_properties says of a card of that architecture, by the names that it has there."""
    limits, number = LIMITS[arch], int(arch.removeprefix("sm_"))
    return SimpleNamespace(
        major=number // 10, minor=number % 10, multi_processor_count=limits.multiprocessors, warp_size=32,
        max_threads_per_multi_processor=32 * limits.warps, regs_per_multiprocessor=REGISTERS,
        shared_memory_per_block=48 << 10, shared_memory_per_block_optin=limits.shared - SYSTEM_SHARED,
        shared_memory_per_multiprocessor=limits.shared,
    )  # fmt: skip


def _on_a_card(torch: Any) -> type:
    """A tensor that says it is on a GPU, so that a file launches what it would launch there."""

    says = {"is_cuda": property(lambda self: True), "__torch_function__": torch._C._disabled_torch_function_impl}
    return type("OnACard", (torch.Tensor,), says)


def _describe(function: Any, kernel: Any, grid: Any, bound: dict[str, Any]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
        cubin.write(kernel.asm["cubin"])
        cubin.flush()
        usage = _tool("cuobjdump", "-res-usage", cubin.name)
        sass = _tool("cuobjdump", "-sass", cubin.name)
    constants = {p.name: bound[p.name] for p in function.params if p.is_constexpr and p.name in bound}
    return {
        "kernel": kernel.metadata.name,
        "arch": f"sm_{kernel.metadata.target.arch}",
        "grid": list(grid),
        "constants": {k: v if isinstance(v, int | float | bool) else str(v) for k, v in constants.items()},
        "num_warps": kernel.metadata.num_warps,
        "shared": kernel.metadata.shared,
        "ttgir": kernel.asm["ttgir"],
        "ptx": kernel.asm["ptx"],
        "usage": usage,
        "sass": sass,
    }


def _tool(name: str, *args: str) -> str:
    """Runs one of the binary tools that Triton's wheel carries."""
    from triton import knobs

    done = subprocess.run([getattr(knobs.nvidia, name).path, *args], capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    answer_to = sys.stdout
    sys.stdout = sys.stderr  # what the learner's file prints must not end up in the answer
    try:
        answer = capture(json.load(sys.stdin))
    except Exception:
        answer = {"error": traceback.format_exc()}
    json.dump(answer, answer_to)


if __name__ == "__main__":
    main()
