"""flash_attention: softmax(Q K^T / sqrt(d)) V in one kernel that never writes the scores. To read, not to write.

Run:    python solutions/reading/flash_attention.py      (the largest difference from F.scaled_dot_product_attention)
Idea:   online softmax over tiles of keys. When a larger maximum appears, the sum so far is multiplied by
        exp(old - new), and so is the output so far: both are sums over the same exponentials.
Ledger: reads Q once and K and V once per tile of queries; writes the output once. The scores stay in registers.
But:    forward alone, without dropout or a mask of one's own; contiguous tensors; d a power of two from 16 to 128.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def flash_attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, CAUSAL: tl.constexpr, D: tl.constexpr,
                           M: tl.constexpr, N: tl.constexpr):  # fmt: skip
    head = tl.program_id(1).to(tl.int64) * length * D  # where this head's matrices begin
    rows = tl.program_id(0) * M + tl.arange(0, M)  # this program's queries
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((M,), float("-inf"), tl.float32)  # of each row so far
    total = tl.zeros((M,), tl.float32)  # sum of exp2(score - largest)
    out = tl.zeros((M, D), tl.float32)  # sum of exp2(score - largest) * v
    end = tl.minimum(length, (tl.program_id(0) + 1) * M) if CAUSAL else length
    for start in range(0, end, N):
        cols = start + tl.arange(0, N)
        inside = cols[:, None] < length
        k = tl.load(k_ptr + head + cols[:, None] * D + d[None, :], mask=inside, other=0.0)
        v = tl.load(v_ptr + head + cols[:, None] * D + d[None, :], mask=inside, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale  # scale holds log2(e): the exponentials are exp2
        seen = cols[None, :] < length
        if CAUSAL:
            seen = seen & (cols[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        rescale = tl.exp2(largest - new)  # 1 while the maximum stands, 0 after the first tile's -inf
        total = total * rescale + tl.sum(p, axis=1)
        out = out * rescale[:, None] + tl.dot(p.to(v.dtype), v)
        largest = new
    out = out / total[:, None]
    tl.store(out_ptr + head + rows[:, None] * D + d[None, :], out.to(out_ptr.dtype.element_ty),
             mask=rows[:, None] < length)  # fmt: skip


def flash_attention(q, k, v, causal=False):
    """q, k, v of shape (batch, heads, length, d), contiguous, of one type -> the same shape."""
    batch, heads, length, d = q.shape
    out = torch.empty_like(q)
    m, n = (128, 64) if q.element_size() == 2 else (64, 32)
    scale = d**-0.5 * 1.4426950408889634  # log2(e)
    grid = (triton.cdiv(length, m), batch * heads)
    flash_attention_kernel[grid](q, k, v, out, length, scale, causal, d, m, n, num_warps=4 if d <= 64 else 8,
                                 num_stages=3)  # fmt: skip
    return out


if __name__ == "__main__":
    device, dtype = ("cuda", torch.float16) if torch.cuda.is_available() else ("cpu", torch.float32)
    q, k, v = (torch.randn(2, 4, 300, 64, device=device, dtype=dtype) for _ in range(3))
    for causal in (False, True):
        want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
        print(f"causal={causal}: {(flash_attention(q, k, v, causal).float() - want).abs().max().item():.1e}")
