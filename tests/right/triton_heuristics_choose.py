# exercise: softmax_triton
# unusual: triton.heuristics, three of them, compute tile, rows and masks; a tl.static_assert
import torch
import triton
import triton.language as tl

MOST = 4096


@triton.heuristics(
    {
        "BLOCK": lambda args: min(MOST, triton.next_power_of_2(args["cols"])),
        "WHOLE": lambda args: args["cols"] <= MOST,
    }
)
@triton.heuristics({"ROWS": lambda args: max(1, min(16, 256 // args["BLOCK"]))})
@triton.heuristics({"EVEN": lambda args: args["cols"] % args["BLOCK"] == 0 and args["rows"] % args["ROWS"] == 0})
@triton.jit
def softmax_kernel(
    x, y, rows, cols, x_stride, y_stride,
    BLOCK: tl.constexpr, WHOLE: tl.constexpr, ROWS: tl.constexpr, EVEN: tl.constexpr,
):
    tl.static_assert(BLOCK * ROWS <= 4096)
    r = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    x_rows = x + r * x_stride
    y_rows = y + r * y_stride
    if WHOLE:
        if EVEN:
            v = tl.load(x_rows + c).to(tl.float32)
        else:
            v = tl.load(x_rows + c, mask=(r < rows) & (c < cols), other=float("-inf")).to(tl.float32)
        top = tl.max(v, axis=1, keep_dims=True)
        if not EVEN:
            top = tl.where(r < rows, top, 0.0)
        e = tl.exp(v - top)
        result = (e / tl.sum(e, axis=1, keep_dims=True)).to(y.dtype.element_ty)
        if EVEN:
            tl.store(y_rows + c, result)
        else:
            tl.store(y_rows + c, result, mask=(r < rows) & (c < cols))
    else:
        tops = tl.full((ROWS, BLOCK), float("-inf"), tl.float32)
        for first in tl.range(0, cols, BLOCK):
            there = (r < rows) & (first + c < cols)
            tops = tl.maximum(tops, tl.load(x_rows + first + c, mask=there, other=float("-inf")).to(tl.float32))
        top = tl.max(tops, axis=1, keep_dims=True)
        sums = tl.zeros((ROWS, BLOCK), tl.float32)
        for first in tl.range(0, cols, BLOCK):
            there = (r < rows) & (first + c < cols)
            v = tl.load(x_rows + first + c, mask=there, other=float("-inf")).to(tl.float32)
            sums += tl.where(there, tl.exp(v - top), 0.0)
        total = tl.sum(sums, axis=1, keep_dims=True)
        for first in tl.range(0, cols, BLOCK):
            there = (r < rows) & (first + c < cols)
            v = tl.load(x_rows + first + c, mask=there, other=float("-inf")).to(tl.float32)
            tl.store(y_rows + first + c, (tl.exp(v - top) / total).to(y.dtype.element_ty), mask=there)


def softmax_triton(x, out=None):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device) if out is None else out
    rows, cols = x.shape
    if rows == 0 or cols == 0:
        return y

    def grid(meta):
        return (triton.cdiv(rows, meta["ROWS"]),)

    softmax_kernel[grid](x, y, rows, cols, x.stride(0), y.stride(0))
    return y
