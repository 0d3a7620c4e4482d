"""What Triton makes of 16-bit arithmetic, as JSON: for each operation and type its PTX instructions, or the error.

In a process of its own, without the interpreter, because the tests may have chosen the interpreter.
"""

import json
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), v + v * v)


@triton.jit
def total(x, y, B: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, B))))


@triton.jit
def divide(x, y, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), v / tl.load(y + tl.arange(0, B)))


@triton.jit
def exponential(x, y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), tl.exp(tl.load(x + tl.arange(0, B))))


ARITHMETIC = re.compile(r"\b(?:add|mul|fma|div|cvt)(?:\.[a-z]+)*\.(?:b?f16|f32)(?:\.b?f16|\.f32)?\b")


def made(kernel, kind: str) -> list[str] | str:
    source = ASTSource(kernel, {"x": f"*{kind}", "y": f"*{kind}"}, {"B": 128})
    try:
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
    except triton.CompilationError as error:
        return str(error).strip().splitlines()[-1]
    return sorted(set(ARITHMETIC.findall(compiled.asm["ptx"])))


kernels = {"add": add, "sum": total, "divide": divide, "exp": exponential}
print(json.dumps({name: {kind: made(k, kind) for kind in ("fp16", "bf16")} for name, k in kernels.items()}))
