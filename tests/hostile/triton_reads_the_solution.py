# exercise: softmax_triton
# attack: runs the course's solution, found by its path
# ataque: ejecuta la solución del curso, hallada por su ruta
# closed by: Landlock

import pathlib

import torch
import triton
import triton.language as tl

for above in pathlib.Path(__file__).resolve().parents:
    found = above / "solutions" / "softmax_triton.py"
    if found.exists():
        exec(found.read_text())

@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        copy[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
