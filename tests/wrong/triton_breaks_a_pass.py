# exercise: softmax_triton
# bug: what one loop has reduced is used by two loops behind it: a pass of the compiler of Triton 3.6 and 3.7 breaks off
# group: shapes
# caught: not-compiled
import torch
import triton
import triton.language as tl

# Work: row per program
# Ledger: reads 3, writes 1


def fitting(configs, named_args, **kwargs):
    # A tile of four rows pays for short rows only.
    return [c for c in configs if c.kwargs["ROWS"] == 1 or named_args["cols"] <= 256] or configs[:1]


@triton.autotune(
    configs=[
        triton.Config({"ROWS": 1, "COLS": 1024}, num_warps=4),  # long rows: four passes of a warp each
        triton.Config({"ROWS": 4, "COLS": 256}, num_warps=4),  # short rows: a warp per row
    ],
    key=["cols"],
    prune_configs_by={"early_config_prune": fitting},
)
@triton.jit
def tiles(x_ptr, y_ptr, rows, cols, xs, ys, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    c = tl.arange(0, COLS)[None, :]
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    for start in range(0, cols, COLS):
        v = tl.load(x_ptr + r * xs + start + c, mask=(r < rows) & (start + c < cols), other=-float("inf"))
        top = tl.maximum(top, tl.max(v.to(tl.float32), axis=1))
    total = tl.zeros((ROWS,), tl.float32)
    for start in range(0, cols, COLS):
        v = tl.load(x_ptr + r * xs + start + c, mask=(r < rows) & (start + c < cols), other=-float("inf"))
        total += tl.sum(tl.exp(v.to(tl.float32) - top[:, None]), axis=1)
    for start in range(0, cols, COLS):
        inside = (r < rows) & (start + c < cols)
        v = tl.load(x_ptr + r * xs + start + c, mask=inside, other=-float("inf"))
        y = tl.exp(v.to(tl.float32) - top[:, None]) / total[:, None]
        tl.store(y_ptr + r * ys + start + c, y.to(y_ptr.dtype.element_ty), mask=inside)


def softmax_triton(x, out=None):
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError("2-D, inner stride 1")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError("fp32, fp16 or bf16, and out like x")
    if x.numel() == 0:
        return out

    def grid(meta):
        return (triton.cdiv(x.shape[0], meta["ROWS"]),)

    tiles[grid](x, out, x.shape[0], x.shape[1], x.stride(0), out.stride(0))
    return out
