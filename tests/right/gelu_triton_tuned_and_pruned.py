# exercise: gelu_triton
# unusual: autotuned, tiles longer than the tensor pruned, heuristics behind it for an even end
import triton
import triton.language as tl


def shorter(configurations, arguments, **_):
    n = arguments["n"]
    fitting = [c for c in configurations if c.kwargs["BLOCK"] <= 2 * n]
    return fitting or configurations[:1]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 128}, num_warps=1),  # tensors that are shorter than a block
        triton.Config({"BLOCK": 1024}, num_warps=4),  # eight elements a thread
        triton.Config({"BLOCK": 4096}, num_warps=8),  # fewer programs, where there are many
    ],
    key=["n", "TANH"],
    prune_configs_by={"early_config_prune": shorter},
)
@triton.heuristics({"EVEN": lambda a: a["n"] % a["BLOCK"] == 0})
@triton.jit
def tuned(x, y, n, TANH: tl.constexpr, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * BLOCK
    at = start + tl.arange(0, BLOCK)
    v = (tl.load(x + at) if EVEN else tl.load(x + at, mask=at < n, other=0.0)).to(tl.float32)
    inner = 0.7978845608028654 * v * (1.0 + 0.044715 * v * v)
    half = tl.sigmoid(2.0 * inner) if TANH else 0.5 + 0.5 * tl.erf(v * 0.7071067811865476)
    r = (v * half).to(y.dtype.element_ty)
    if EVEN:
        tl.store(y + at, r)
    else:
        tl.store(y + at, r, mask=at < n)


def gelu_triton(x, out=None, approximate=False):
    if out is None:
        out = x.new_empty(x.shape)
    n = x.numel()
    if n > 0:
        tuned[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, TANH=bool(approximate))
    return out
