# exercise: gelu_triton
# unusual: bf16 read as integers, widened by a bitcast, rounded by integer arithmetic; a class with __call__
import torch
import triton
import triton.language as tl


@triton.jit
def widen(bits):
    return (bits.to(tl.int32) << 16).to(tl.float32, bitcast=True)


@triton.jit
def narrow(v):
    bits = v.to(tl.uint32, bitcast=True)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return tl.where(v != v, 0x7FC0, rounded).to(tl.int16)


@triton.jit
def formula(v, TANH: tl.constexpr):
    if TANH:
        return v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
    return 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))


@triton.jit
def elements(x, y, n, TANH: tl.constexpr, BITS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = at < n
    if BITS:
        tl.store(y + at, narrow(formula(widen(tl.load(x + at, mask=there, other=0)), TANH)), mask=there)
    else:
        v = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
        tl.store(y + at, formula(v, TANH).to(y.dtype.element_ty), mask=there)


class Gelu:
    def __init__(self, block: int) -> None:
        self.block = block

    def __call__(self, x, out=None, approximate=False):
        y = torch.empty_like(x) if out is None else out
        if x.numel():
            bits = x.dtype == torch.bfloat16
            a, b = (t.view(torch.int16) if bits else t for t in (x, y))
            elements[(triton.cdiv(x.numel(), self.block),)](a, b, x.numel(), bool(approximate), bits, self.block)
        return y


_of_blocks = Gelu(1024)


def gelu_triton(x, out=None, approximate=False):
    return _of_blocks(x, out, approximate)
