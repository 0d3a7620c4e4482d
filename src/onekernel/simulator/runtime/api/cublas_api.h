// cuBLAS's types, values and names of its states (CUDA 13.0, cuBLAS documentation, "cuBLAS Datatypes Reference").
#pragma once
#include "cuda_runtime.h"
#include "library_types.h"
#include "ok/libraries.h"

#define CUBLAS_API_H_  // files that serve several libraries ask for it
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION 130000

#define OK_CUBLAS_STATES(X)                                                                \
    X(SUCCESS, 0, "success")                                                               \
    X(NOT_INITIALIZED, 1, "the handle was not made by cublasCreate")                       \
    X(ALLOC_FAILED, 3, "no memory was left")                                               \
    X(INVALID_VALUE, 7, "an argument has a value that the function does not take")         \
    X(ARCH_MISMATCH, 8, "the device lacks what the function needs")                        \
    X(MAPPING_ERROR, 11, "an access to memory failed")                                     \
    X(EXECUTION_FAILED, 13, "the work failed on the device")                               \
    X(INTERNAL_ERROR, 14, "an operation inside the library failed")                        \
    X(NOT_SUPPORTED, 15, "this combination of arguments is not supported")                 \
    X(LICENSE_ERROR, 16, "a license was not found")

typedef enum {
#define OK_STATE(name, value, text) CUBLAS_STATUS_##name = value,
    OK_CUBLAS_STATES(OK_STATE)
#undef OK_STATE
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
// The numbered ways of a product, 0 to 23 and with Tensor Cores 100 to 115, are one here.
#define OK_ALGORITHMS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
#define OK_ALGORITHM(n) CUBLAS_GEMM_ALGO##n = n, CUBLAS_GEMM_ALGO##n##_TENSOR_OP = 100 + n,
    OK_ALGORITHMS(OK_ALGORITHM)
#undef OK_ALGORITHM
    CUBLAS_GEMM_ALGO16 = 16, CUBLAS_GEMM_ALGO17, CUBLAS_GEMM_ALGO18, CUBLAS_GEMM_ALGO19,
    CUBLAS_GEMM_ALGO20, CUBLAS_GEMM_ALGO21, CUBLAS_GEMM_ALGO22, CUBLAS_GEMM_ALGO23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99
} cublasGemmAlgo_t;
#undef OK_ALGORITHMS

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
};
typedef cublasContext* cublasHandle_t;

OK_LIBRARY_HOST_ONLY inline const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
#define OK_STATE(name, value, text) \
    case CUBLAS_STATUS_##name: return "CUBLAS_STATUS_" #name;
        OK_CUBLAS_STATES(OK_STATE)
#undef OK_STATE
    }
    return "unknown error code";
}
OK_LIBRARY_HOST_ONLY inline const char* cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
#define OK_STATE(name, value, text) \
    case CUBLAS_STATUS_##name: return text;
        OK_CUBLAS_STATES(OK_STATE)
#undef OK_STATE
    }
    return "unknown error code";
}

#define OK_CUBLAS(name) OK_LIBRARY_HOST_ONLY OK_INLINE cublasStatus_t name
OK_CUBLAS(cublasCreate)(cublasHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
OK_CUBLAS(cublasDestroy)(cublasHandle_t handle) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
OK_CUBLAS(cublasGetVersion)(cublasHandle_t, int* version) {
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
#define OK_CUBLAS_STATE(what, type, member)                                      \
    OK_CUBLAS(cublasSet##what)(cublasHandle_t handle, type value) {              \
        if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;             \
        handle->member = value;                                                  \
        return CUBLAS_STATUS_SUCCESS;                                            \
    }                                                                            \
    OK_CUBLAS(cublasGet##what)(cublasHandle_t handle, type * value) {            \
        if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;             \
        *value = handle->member;                                                 \
        return CUBLAS_STATUS_SUCCESS;                                            \
    }
OK_CUBLAS_STATE(Stream, cudaStream_t, stream)
OK_CUBLAS_STATE(PointerMode, cublasPointerMode_t, pointers)
OK_CUBLAS_STATE(MathMode, cublasMath_t, math)
OK_CUBLAS_STATE(AtomicsMode, cublasAtomicsMode_t, atomics)
#undef OK_CUBLAS_STATE
OK_CUBLAS(cublasSetWorkspace)(cublasHandle_t handle, void*, size_t) {
    return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

// Copies of vectors and matrices by columns, in elements of `size` bytes.
namespace __ok {
OK_INLINE cublasStatus_t copy_matrix(int rows, int columns, int size, const void* from, int from_stride, void* to, int to_stride,
                                     cudaMemcpyKind kind, cudaStream_t stream, bool host_waits, const char* what, Site at) {
    if (rows < 0 || columns < 0 || size <= 0 || from_stride < 1 || to_stride < 1 || from_stride < rows || to_stride < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
    const size_t width = static_cast<size_t>(rows) * size, unit = static_cast<size_t>(size);
    const Queue queue{what, nullptr, stream, at};
    return queued_copy(queue, host_waits, to, to_stride * unit, from, from_stride * unit, width, columns, kind) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
}  // namespace __ok
#define OK_CUBLAS_COPY(direction, kind)                                                                                             \
    OK_CUBLAS(cublas##direction##Vector)(int n, int size, const void* x, int incx, void* y, int incy, OK_AT) {                      \
        return __ok::copy_matrix(1, n, size, x, incx, y, incy, kind, nullptr, true, "cublas" #direction "Vector", at);              \
    }                                                                                                                               \
    OK_CUBLAS(cublas##direction##VectorAsync)(int n, int size, const void* x, int incx, void* y, int incy, cudaStream_t s, OK_AT) { \
        return __ok::copy_matrix(1, n, size, x, incx, y, incy, kind, s, false, "cublas" #direction "VectorAsync", at);              \
    }                                                                                                                               \
    OK_CUBLAS(cublas##direction##Matrix)(int rows, int cols, int size, const void* A, int lda, void* B, int ldb, OK_AT) {           \
        return __ok::copy_matrix(rows, cols, size, A, lda, B, ldb, kind, nullptr, true, "cublas" #direction "Matrix", at);          \
    }                                                                                                                               \
    OK_CUBLAS(cublas##direction##MatrixAsync)                                                                                       \
    (int rows, int cols, int size, const void* A, int lda, void* B, int ldb, cudaStream_t s, OK_AT) {                               \
        return __ok::copy_matrix(rows, cols, size, A, lda, B, ldb, kind, s, false, "cublas" #direction "MatrixAsync", at);          \
    }
OK_CUBLAS_COPY(Set, cudaMemcpyHostToDevice)
OK_CUBLAS_COPY(Get, cudaMemcpyDeviceToHost)
#undef OK_CUBLAS_COPY
