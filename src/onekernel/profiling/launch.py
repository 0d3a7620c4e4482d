"""The program that ncu watches: one launch on fresh tensors, between the profiler's start and stop.

`python -m onekernel.profiling.launch JOB.json`. A `.cu` needs the CUDA runtime alone; F.softmax and Triton need torch.
Nothing outside the launch is profiled, and the launch before it (which loads the module) is not either.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.loading import load_module


def cuda_file(job: dict[str, Any]) -> None:
    """Calls the launcher of a built library on tensors of `job["args"]`: {"elements", "itemsize"} an int or a float."""
    library = ctypes.CDLL(job["library"])
    rng = np.random.default_rng(0)
    values: list[Any] = []
    for arg in job["args"]:
        if isinstance(arg, int):
            values.append(ctypes.c_int64(arg))
            continue
        if isinstance(arg, float):
            values.append(ctypes.c_float(arg))
            continue
        pointer = ctypes.c_void_p()
        size = arg["elements"] * arg["itemsize"]
        _ok(library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)), "cudaMalloc")
        data = _random(rng, arg["elements"], arg["dtype"])
        _ok(library.cudaMemcpy(pointer, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(size), 1), "cudaMemcpy")
        values.append(pointer)
    launcher = getattr(library, job["function"])
    launcher.restype = ctypes.c_int
    stream = ctypes.c_void_p(None)
    for profiled in (False, True):
        if profiled:
            library.cudaProfilerStart()
        _ok(launcher(*values, stream), job["function"])
        _ok(library.cudaDeviceSynchronize(), job["function"])
    library.cudaProfilerStop()


def torch_function(job: dict[str, Any]) -> None:
    """Calls F.softmax, or the function of a Triton file, on `job["inputs"]` tensors of `job["shape"]`."""
    import torch

    if job["source"] == "F.softmax":

        def call(*x: Any) -> Any:
            return torch.nn.functional.softmax(x[0], dim=1)
    else:
        call = getattr(load_module(Path(job["source"]), once=True), job["function"])
    dtype = getattr(torch, job["dtype"])
    inputs = [torch.randn(job["shape"], dtype=dtype, device="cuda") for _ in range(job["inputs"])]
    call(*inputs)
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStart()
    call(*inputs)
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()


def _random(rng: np.random.Generator, elements: int, dtype: str) -> np.ndarray:
    import ml_dtypes

    made = rng.standard_normal(elements, dtype=np.float32)
    return made.astype({"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}[dtype])


def _ok(status: int, what: str) -> None:
    if status:
        sys.exit(f"{what}: cudaError_t {status}")


if __name__ == "__main__":
    described = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    cuda_file(described) if "library" in described else torch_function(described)
