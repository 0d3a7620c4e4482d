// Prints: 1 4 9
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

#include <cublas_v2.h>
int main() {
    const int n = 3; float A[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, B[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, C[9], one = 1, zero = 0, *a, *b, *c;
    CHECK(cudaMalloc(&a, sizeof A)); CHECK(cudaMalloc(&b, sizeof B)); CHECK(cudaMalloc(&c, sizeof C));
    cublasHandle_t h; if (cublasCreate(&h) != CUBLAS_STATUS_SUCCESS) return 1;
    cublasSetMatrix(n, n, 4, A, n, a, n); cublasSetMatrix(n, n, 4, B, n, b, n);
    cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
    cublasGetMatrix(n, n, 4, c, n, C, n);
    printf("%g %g %g\n", C[0], C[1], C[8]); cublasDestroy(h); cudaFree(a); cudaFree(b); cudaFree(c);
}
