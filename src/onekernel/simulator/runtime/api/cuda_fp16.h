// __half and __half2: IEEE 754 binary16 (CUDA Math API, "Half Precision Intrinsics").
#pragma once
#include "ok/narrow_float.h"
#include "vector_functions.h"
#include "cuda_runtime.h"

#define OK_N __half
#define OK_N2 __half2
#define OK_RAW __half_raw
#define OK_RAW2 __half2_raw
#define OK_FORMAT __ok::HalfFormat
#define OK_TO_BITS __ok::half_bits
#define OK_TO_FLOAT __ok::half_value
#define OK_NAME(before, after) before##half##after
#include "ok/narrow_type.inc"
#include "ok/narrow_arithmetic.inc"
#include "ok/narrow_pairs.inc"
#include "ok/narrow_device.inc"
#include "ok/narrow_end.inc"
template <>
inline constexpr bool __ok::shuffled<__half> = true;
template <>
inline constexpr bool __ok::shuffled<__half2> = true;

OK_ALWAYS __half2 __half2half2(__half both) { return __half2(both, both); }

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
