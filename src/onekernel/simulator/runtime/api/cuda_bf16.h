// __nv_bfloat16 and __nv_bfloat162: the upper half of a float (CUDA Math API, "Bfloat16 Precision Intrinsics").
#pragma once
#include "ok/narrow_float.h"
#include "vector_functions.h"
#include "cuda_runtime.h"

#define OK_N __nv_bfloat16
#define OK_N2 __nv_bfloat162
#define OK_RAW __nv_bfloat16_raw
#define OK_RAW2 __nv_bfloat162_raw
#define OK_FORMAT __ok::BFloat16Format
#define OK_TO_BITS __ok::bfloat16_bits
#define OK_TO_FLOAT __ok::bfloat16_value
#define OK_NAME(before, after) before##bfloat16##after
#include "ok/narrow_type.inc"
#include "ok/narrow_arithmetic.inc"
#include "ok/narrow_pairs.inc"
#include "ok/narrow_device.inc"
#include "ok/narrow_end.inc"
template <>
inline constexpr bool __ok::shuffled<__nv_bfloat16> = true;
template <>
inline constexpr bool __ok::shuffled<__nv_bfloat162> = true;

OK_ALWAYS __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 both) { return __nv_bfloat162(both, both); }

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
