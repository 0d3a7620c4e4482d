"""vector_add once more: the same .cu, compiled by CuPy this time, on memory that belongs to torch.

Check:  nothing to write here: read it, then run it
Run:    python solutions/cupy_vector_add.py          (a GPU, nvcc, and `pip install cupy-cuda13x`)
Bench:  none: it is lab 00's kernel, and its speed is too
Idea:   a compiled kernel is a name in a module that the driver loads. Whoever has the name and four arguments can
        launch it: a C launcher, torch, CuPy. And a tensor is a pointer with a shape, which DLPack hands from one
        library to another: no element is copied.
But:    RawModule loads kernels and not launchers. The grid, which lab 00's launcher computes, is computed here again.
"""

# Ledger: reads 2, writes 1

from pathlib import Path

import cupy
import numpy
import torch

# The kernel is C++, so its name carries the types of its arguments: PKf, a pointer to const float; S0_, that type once
# more; Pf, the output; l, the 64-bit size. cu++filt decodes such names.
KERNEL = "_Z17vector_add_kernelPKfS0_Pfl"
THREADS = 256
MOST_BLOCKS = 2**31 - 1


def load(path: Path) -> cupy.RawKernel:
    """Compiles a .cu and returns its kernel.

    backend="nvcc" because the file includes the runtime's headers and holds a launcher with <<<...>>>: nvcc keeps the
    device code of such a file. NVRTC, CuPy's default, compiles device code only and finds no <stdint.h>.
    """
    return cupy.RawModule(code=path.read_text(encoding="utf-8"), backend="nvcc").get_function(KERNEL)


def vector_add(kernel: cupy.RawKernel, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a + b for two contiguous float32 CUDA tensors of one shape, on torch's current stream.

    Raises ValueError for others: the kernel believes its pointers.
    """
    for t in (a, b):
        if t.dtype != torch.float32 or not t.is_cuda or not t.is_contiguous() or t.shape != a.shape:
            raise ValueError("vector_add wants two contiguous float32 CUDA tensors of one shape")
    out = torch.empty_like(a)
    blocks = min((a.numel() + THREADS - 1) // THREADS, MOST_BLOCKS)
    if blocks == 0:
        return out
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream(a.device).cuda_stream, a.device.index)
    with cupy.cuda.Device(a.device.index), stream:
        x, y, z = (cupy.from_dlpack(t) for t in (a, b, out))
        kernel((blocks,), (THREADS,), (x, y, z, numpy.int64(a.numel())))
    return out


def main() -> None:
    kernel = load(Path(__file__).with_name("vector_add.cu"))
    a, b = (torch.randn(1_000_003, device="cuda") for _ in range(2))
    out = vector_add(kernel, a, b)
    print("equal to torch's sum:", torch.equal(out, a + b))
    shared = cupy.from_dlpack(out)
    print(f"torch's pointer {out.data_ptr():#x}, CuPy's {shared.data.ptr:#x}")
    shared[0] = 42.0
    cupy.cuda.Device().synchronize()
    print("torch reads what CuPy wrote:", out[0].item())


if __name__ == "__main__":
    main()
