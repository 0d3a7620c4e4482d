// cuBLAS: products of matrices and vectors, by columns, on the host (CUDA 13.0, cuBLAS documentation, levels 1 to 3).
// Functions and their order of arguments as there; complex and packed forms are left out.
#pragma once
#include "cublas_api.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "ok/blas_calls.h"

#define OK_BLAS(name) OK_CUBLAS(cublas##name)
#define OK_CALL(name) ::__ok::Blas blas(handle, "cublas" #name, at)

#define OK_GEMM(L, T, E)                                                                                                           \
    OK_BLAS(L##gemm)                                                                                                               \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha, const T* A,   \
     int lda, const T* B, int ldb, const T* beta, T* C, int ldc, OK_AT) {                                                          \
        OK_CALL(L##gemm);                                                                                                          \
        return blas.gemm({transa, transb, m, n, k, alpha, beta, E, E, E, lda, ldb, ldc}, A, B, C);                                 \
    }                                                                                                                              \
    OK_BLAS(L##gemmStridedBatched)                                                                                                 \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha, const T* A,   \
     int lda, long long strideA, const T* B, int ldb, long long strideB, const T* beta, T* C, int ldc, long long strideC,          \
     int batchCount, OK_AT) {                                                                                                      \
        OK_CALL(L##gemmStridedBatched);                                                                                            \
        return blas.strided({transa, transb, m, n, k, alpha, beta, E, E, E, lda, ldb, ldc}, A, strideA, B, strideB, C, strideC,    \
                            batchCount);                                                                                           \
    }                                                                                                                              \
    OK_BLAS(L##gemmBatched)                                                                                                        \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha,               \
     const T* const Aarray[], int lda, const T* const Barray[], int ldb, const T* beta, T* const Carray[], int ldc,                \
     int batchCount, OK_AT) {                                                                                                      \
        OK_CALL(L##gemmBatched);                                                                                                   \
        return blas.batched({transa, transb, m, n, k, alpha, beta, E, E, E, lda, ldb, ldc}, Aarray, Barray, Carray, batchCount);   \
    }
OK_GEMM(S, float, ::__ok::FLOAT32)
OK_GEMM(D, double, ::__ok::FLOAT64)
OK_GEMM(H, __half, ::__ok::FLOAT16)
#undef OK_GEMM

// With the types as arguments. CUDA 10's form, in which the last type is one of data, is here, too.
#define OK_GEMM_EX(Compute)                                                                                                        \
    OK_BLAS(GemmEx)                                                                                                                \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void* alpha,            \
     const void* A, cudaDataType Atype, int lda, const void* B, cudaDataType Btype, int ldb, const void* beta, void* C,            \
     cudaDataType Ctype, int ldc, Compute compute, cublasGemmAlgo_t, OK_AT) {                                                      \
        OK_CALL(GemmEx);                                                                                                           \
        const ::__ok::Types types(Atype, Btype, Ctype, compute);                                                                   \
        if (!types.known) return blas.unsupported();                                                                               \
        return blas.gemm({transa, transb, m, n, k, alpha, beta, types.ab, types.c, types.scalar, lda, ldb, ldc}, A, B, C);         \
    }                                                                                                                              \
    OK_BLAS(GemmStridedBatchedEx)                                                                                                  \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void* alpha,            \
     const void* A, cudaDataType Atype, int lda, long long strideA, const void* B, cudaDataType Btype, int ldb,                    \
     long long strideB, const void* beta, void* C, cudaDataType Ctype, int ldc, long long strideC, int batchCount,                 \
     Compute compute, cublasGemmAlgo_t, OK_AT) {                                                                                   \
        OK_CALL(GemmStridedBatchedEx);                                                                                             \
        const ::__ok::Types types(Atype, Btype, Ctype, compute);                                                                   \
        if (!types.known) return blas.unsupported();                                                                               \
        return blas.strided({transa, transb, m, n, k, alpha, beta, types.ab, types.c, types.scalar, lda, ldb, ldc}, A, strideA, B, \
                            strideB, C, strideC, batchCount);                                                                      \
    }
OK_GEMM_EX(cublasComputeType_t)
OK_GEMM_EX(cudaDataType)
#undef OK_GEMM_EX
OK_BLAS(SgemmEx)
(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const float* alpha, const void* A,
 cudaDataType Atype, int lda, const void* B, cudaDataType Btype, int ldb, const float* beta, void* C, cudaDataType Ctype, int ldc, OK_AT) {
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT, at);
}

#define OK_REAL(L, l, T, E)                                                                                                       \
    OK_BLAS(L##gemv)                                                                                                               \
    (cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* A, int lda, const T* x, int incx,      \
     const T* beta, T* y, int incy, OK_AT) {                                                                                       \
        OK_CALL(L##gemv);                                                                                                          \
        return blas.gemv(trans, m, n, alpha, A, lda, x, incx, beta, y, incy, E);                                                   \
    }                                                                                                                              \
    OK_BLAS(L##ger)                                                                                                                \
    (cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy, T* A, int lda, OK_AT) {      \
        OK_CALL(L##ger);                                                                                                           \
        return blas.ger(m, n, alpha, x, incx, y, incy, A, lda, E);                                                                 \
    }                                                                                                                              \
    OK_BLAS(L##geam)                                                                                                               \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, const T* alpha, const T* A, int lda, \
     const T* beta, const T* B, int ldb, T* C, int ldc, OK_AT) {                                                                   \
        OK_CALL(L##geam);                                                                                                          \
        return blas.geam(transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc, E);                                            \
    }                                                                                                                              \
    OK_BLAS(L##axpy)(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy, OK_AT) {                  \
        OK_CALL(L##axpy);                                                                                                          \
        return blas.axpy(n, alpha, x, incx, y, incy, E);                                                                           \
    }                                                                                                                              \
    OK_BLAS(L##scal)(cublasHandle_t handle, int n, const T* alpha, T* x, int incx, OK_AT) {                                        \
        OK_CALL(L##scal);                                                                                                          \
        return blas.scal(n, alpha, x, incx, E);                                                                                    \
    }                                                                                                                              \
    OK_BLAS(L##copy)(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy, OK_AT) {                                  \
        OK_CALL(L##copy);                                                                                                          \
        return blas.copy(n, x, incx, y, incy, E);                                                                                  \
    }                                                                                                                              \
    OK_BLAS(L##swap)(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, OK_AT) {                                        \
        OK_CALL(L##swap);                                                                                                          \
        return blas.swap(n, x, incx, y, incy, E);                                                                                  \
    }                                                                                                                              \
    OK_BLAS(L##dot)(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result, OK_AT) {                  \
        OK_CALL(L##dot);                                                                                                           \
        return blas.reduce(::__ok::DOT, n, x, incx, y, incy, result, E, E);                                                        \
    }                                                                                                                              \
    OK_BLAS(L##nrm2)(cublasHandle_t handle, int n, const T* x, int incx, T* result, OK_AT) {                                       \
        OK_CALL(L##nrm2);                                                                                                          \
        return blas.reduce(::__ok::NORM, n, x, incx, nullptr, 1, result, E, E);                                                    \
    }                                                                                                                              \
    OK_BLAS(L##asum)(cublasHandle_t handle, int n, const T* x, int incx, T* result, OK_AT) {                                       \
        OK_CALL(L##asum);                                                                                                          \
        return blas.reduce(::__ok::SUM_OF_MAGNITUDES, n, x, incx, nullptr, 1, result, E, E);                                       \
    }                                                                                                                              \
    OK_BLAS(I##l##amax)(cublasHandle_t handle, int n, const T* x, int incx, int* result, OK_AT) {                                  \
        OK_CALL(I##l##amax);                                                                                                       \
        return blas.reduce(::__ok::INDEX_OF_LARGEST, n, x, incx, nullptr, 1, result, E, ::__ok::INT32);                            \
    }                                                                                                                              \
    OK_BLAS(I##l##amin)(cublasHandle_t handle, int n, const T* x, int incx, int* result, OK_AT) {                                  \
        OK_CALL(I##l##amin);                                                                                                       \
        return blas.reduce(::__ok::INDEX_OF_SMALLEST, n, x, incx, nullptr, 1, result, E, ::__ok::INT32);                           \
    }
OK_REAL(S, s, float, ::__ok::FLOAT32)
OK_REAL(D, d, double, ::__ok::FLOAT64)
#undef OK_REAL
#undef OK_CALL
#undef OK_BLAS
