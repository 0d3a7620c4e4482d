# What torch.compile wrote for gelu_bf16 (67108864, torch.bfloat16; options none).
# NVIDIA H200, driver 580.159.04, torch 2.11.0+cu130, triton 3.6.0, cuda 13.0, 2026-11-22
# To read, not to run. Write it anew: python labs/05-fusion/programs/compiled_code.py gelu_bf16

import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 67108864},
    filename=__file__,
    triton_meta={...},
    inductor_meta={...},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_mul_tanh_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 67108864
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tl.full([1], 0.5, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.full([1], 0.044715, tl.float32)
    tmp4 = tmp0 * tmp3
    tmp5 = tmp4 * tmp0
    tmp6 = tmp5 * tmp0
    tmp7 = tmp0 + tmp6
    tmp8 = tl.full([1], 0.7978845608028654, tl.float32)
    tmp9 = tmp7 * tmp8
    tmp10 = libdevice.tanh(tmp9)
    tmp11 = tl.full([1], 1.0, tl.float32)
    tmp12 = tmp10 + tmp11
    tmp13 = tmp2 * tmp12
    tl.store(out_ptr0 + (x0), tmp13, None)

def call(args):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (67108864, ), (1, ))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((67108864, ), (1, ), torch.bfloat16)
        # Topologically Sorted Source Nodes: [mul, mul_1, mul_2, mul_3, add, mul_4, tanh, add_1, mul_5], Original ATen: [aten.mul, aten.add, aten.tanh]
        stream0 = get_raw_stream(0)
        triton_poi_fused_add_mul_tanh_0.run(arg0_1, buf0, 67108864, stream=stream0)
        del arg0_1
    return (buf0, )
