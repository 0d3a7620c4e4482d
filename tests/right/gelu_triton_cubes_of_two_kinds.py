# exercise: gelu_triton
# unusual: arguments that are not specialized, 3-D tiles by broadcasting, two launches with other tiles
import torch
import triton
import triton.language as tl


@triton.jit
def phi(x):
    return 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def phi_by_tanh(x):
    u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return 1.0 / (1.0 + tl.exp(-2.0 * u))


@triton.jit(do_not_specialize=["n", "first"])
def cube(x, y, n, first, FORM: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None] * (B * C)
    b = tl.arange(0, B)[None, :, None] * C
    c = tl.arange(0, C)[None, None, :]
    at = first + tl.program_id(0).to(tl.int64) * (A * B * C) + (a + b + c)
    v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    share = phi_by_tanh(v) if FORM == "tanh" else phi(v)
    tl.store(y + at, (v * share).to(y.dtype.element_ty), mask=at < n)


def gelu_triton(x: torch.Tensor, out: torch.Tensor | None = None, approximate: bool = False) -> torch.Tensor:
    out = torch.empty_like(x) if out is None else out
    n = x.numel()
    if n:
        form = "tanh" if approximate else "exact"
        half = n // 2
        cube[(triton.cdiv(half, 512),)](x, out, half, 0, form, 4, 4, 32) if half else None
        cube[(triton.cdiv(n - half, 256),)](x, out, n, half, form, 2, 8, 16)
    return out
