// cuBLAS as teaching code uses it; `expect` counts what is wrong. With an argument: the mistake of that number.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static int wrong = 0;
static void expect(bool holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++wrong;
}
template <class T>
static T* device(const std::vector<T>& values) {
    T* pointer;
    cudaMalloc(&pointer, values.size() * sizeof(T));
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return pointer;
}
template <class T>
static std::vector<T> host(const T* pointer, int n) {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}
static std::vector<float> counting(int n, int first) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = static_cast<float>((first + 7 * i) % 11 - 5);
    return values;
}
// Small integers: every sum is exact, in fp16 and bf16, too.
template <class T>
static double error(const std::vector<T>& c, const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& before,
                    int m, int n, int k, int lda, int ldb, int ldc, bool ta, bool tb, double alpha, double beta) {
    double worst = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double sum = 0;
            for (int p = 0; p < k; ++p) sum += double(a[ta ? p + i * lda : i + p * lda]) * b[tb ? j + p * ldb : p + j * ldb];
            worst = std::fmax(worst, std::fabs(double(c[i + j * ldc]) - (alpha * sum + beta * before[i + j * ldc])));
        }
    return worst;
}

__global__ void twice(float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] *= 2;
}

static void products(cublasHandle_t handle) {
    const int m = 13, n = 70, k = 9, lda = 15, ldb = 72, ldc = 14;
    for (int way = 0; way < 4; ++way) {
        const bool ta = way & 1, tb = way & 2;
        const std::vector<float> a = counting(lda * 15, way), b = counting(ldb * 80, way + 3), before = counting(ldc * n, 5);
        float *da = device(a), *db = device(b), *dc = device(before), alpha = 2, beta = -1;
        expect(cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_C : CUBLAS_OP_N, m, n, k, &alpha, da, lda, db, ldb, &beta,
                           dc, ldc) == CUBLAS_STATUS_SUCCESS, "status");
        expect(error(host(dc, ldc * n), a, b, before, m, n, k, lda, ldb, ldc, ta, tb, 2, -1) == 0, "Sgemm");
        twice<<<(ldc * n + 255) / 256, 256>>>(dc, ldc * n);
        expect(host(dc, 1)[0] == 2 * (host(dc, 1)[0] / 2), "a kernel after it");
        cudaFree(da), cudaFree(db), cudaFree(dc);
    }
    // 16 bits and a sum in fp32; beta is 0, so that what nobody wrote into C is not read.
    std::vector<float> a = counting(64, 1), b = counting(64, 2), zero(64);
    std::vector<__half> ha(64), hb(64);
    std::vector<__nv_bfloat16> ba(64), bb(64);
    for (int i = 0; i < 64; ++i) ha[i] = a[i], hb[i] = b[i], ba[i] = a[i], bb[i] = b[i];
    __half *dha = device(ha), *dhb = device(hb), *dhc;
    __nv_bfloat16 *dba = device(ba), *dbb = device(bb);
    float* dc;
    cudaMalloc(&dhc, 64 * sizeof *dhc), cudaMalloc(&dc, 64 * sizeof *dc);
    const float one = 1, none = 0;
    cublasSetMathMode(handle, CUBLAS_TENSOR_OP_MATH);
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, dha, CUDA_R_16F, 8, dhb, CUDA_R_16F, 8, &none, dhc, CUDA_R_16F, 8,
                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
    cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 4, 4, &one, dba, CUDA_R_16BF, 4, 16, dbb, CUDA_R_16BF, 4, 16, &none, dc,
                               CUDA_R_32F, 4, 16, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    expect(error(host(dhc, 64), a, b, zero, 8, 8, 8, 8, 8, 8, false, false, 1, 0) == 0, "fp16");
    for (int i = 0; i < 4; ++i) {
        const auto part = [&](const std::vector<float>& v) { return std::vector<float>(v.begin() + 16 * i, v.begin() + 16 * (i + 1)); };
        expect(error(part(host(dc, 64)), part(a), part(b), zero, 4, 4, 4, 4, 4, 4, false, true, 1, 0) == 0, "bf16, strided");
    }
    const __half hone = 1.0f, hnone = 0.0f;
    cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &hone, dha, 8, dhb, 8, &hnone, dhc, 8);
    expect(error(host(dhc, 64), a, b, zero, 8, 8, 8, 8, 8, 8, false, false, 1, 0) == 0, "Hgemm");
    float *da = device(a), *db = device(b);
    const float *as[] = {da, da + 16}, *bs[] = {db + 16, db};
    float* cs[] = {dc, dc + 16};
    const float **das = device(std::vector<const float*>(as, as + 2)), **dbs = device(std::vector<const float*>(bs, bs + 2));
    float** dcs = device(std::vector<float*>(cs, cs + 2));
    cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, das, 4, dbs, 4, &none, dcs, 4, 2);
    expect(host(dc, 1)[0] == a[0] * b[16] + a[4] * b[17] + a[8] * b[18] + a[12] * b[19], "Batched");
    for (void* p : {(void*)dha, (void*)dhb, (void*)dhc, (void*)dba, (void*)dbb, (void*)dc, (void*)da, (void*)db, (void*)das, (void*)dbs, (void*)dcs})
        cudaFree(p);
}

static void vectors(cublasHandle_t handle) {
    const int n = 6;
    const std::vector<double> hx = {1, -2, 3, -7, 5, 0.5}, hy = {2, 1, 0, 1, 2, 4};
    double *x, *y, *a, result;
    cudaMalloc(&x, n * sizeof *x), cudaMalloc(&y, n * sizeof *y), cudaMalloc(&a, n * n * sizeof *a);
    cublasSetVector(n, sizeof *x, hx.data(), 1, x, 1);
    cublasSetVector(n, sizeof *y, hy.data(), 1, y, 1);
    int at = 0;
    expect(cublasDdot(handle, n, x, 1, y, 1, &result) == CUBLAS_STATUS_SUCCESS && result == 5, "dot");
    cublasDdot(handle, 3, x, 2, y, -2, &result);
    expect(result == 1 * 2 + 3 * 0 + 5 * 2, "dot, backwards");
    cublasDasum(handle, n, x, 1, &result), expect(result == 18.5, "asum");
    cublasDnrm2(handle, 2, x, 2, &result), expect(result == std::sqrt(10.0), "nrm2");
    cublasIdamax(handle, n, x, 1, &at), expect(at == 4, "amax counts from 1");
    cublasIdamin(handle, n, x, 1, &at), expect(at == 6, "amin");
    const double two = 2, none = 0;
    cublasDaxpy(handle, n, &two, x, 1, y, 1), expect(host(y, n)[3] == -13, "axpy");
    cublasDscal(handle, 3, &two, x, 2), expect(host(x, n)[4] == 10 && host(x, n)[3] == -7, "scal");
    cublasDswap(handle, n, x, 1, y, 1), expect(host(x, n)[3] == -13 && host(y, n)[3] == -7, "swap");
    cublasDcopy(handle, n, x, 1, y, 1), expect(host(y, n)[3] == -13, "copy");
    const std::vector<double> matrix = {1, 2, 3, 4, 5, 6};  // 2 x 3, by columns
    cublasSetMatrix(2, 3, sizeof *a, matrix.data(), 2, a, 4);
    cublasDgemv(handle, CUBLAS_OP_N, 2, 3, &two, a, 4, x, 1, &none, y, 1);
    const std::vector<double> hx2 = host(x, n), hy2 = host(y, n);
    expect(hy2[1] == 2 * (2 * hx2[0] + 4 * hx2[1] + 6 * hx2[2]), "gemv");
    cublasDger(handle, 2, 3, &two, x, 1, x, 2, a, 4);
    double back[6];
    cublasGetMatrix(2, 3, sizeof *a, a, 4, back, 2);
    expect(back[3] == 4 + 2 * hx2[1] * hx2[2], "ger");
    cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &two, a, 4, &none, nullptr, 3, y, 3);
    expect(host(y, n)[4] == 2 * back[3], "geam transposes");
    // A result on the device, in a stream of its own.
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cublasSetStream(handle, stream), cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasDdot(handle, n, x, 1, x, 1, a);
    cudaStreamSynchronize(stream);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), cublasSetStream(handle, nullptr);
    cublasDdot(handle, n, x, 1, x, 1, &result);
    expect(host(a, 1)[0] == result, "a result on the device");
    cudaStreamDestroy(stream), cudaFree(x), cudaFree(y), cudaFree(a);
}

static void mistake(cublasHandle_t handle, int number) {
    std::vector<float> h(64, 1.0f);
    const float one = 1, none = 0;
    float *a = device(h), *b = device(h), *c, result;
    cudaMalloc(&c, 64 * sizeof *c);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (number == 1) status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, h.data(), 8, b, 8, &none, c, 8);  // <- 1:library-pointer
    if (number == 2) status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, b, 9, &none, c, 8);  // <- 2:library-extent
    if (number == 3) status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 4, 4, &one, a, 4, b, 4, &none, c, 8);  // <- 3:library-refused
    if (number == 4) status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, b, 8, &one, c, 8);  // <- 4:library-unwritten
    if (number == 5) cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    if (number == 5) status = cublasSdot(handle, 64, a, 1, b, 1, &result);  // <- 5:library-scalar
    if (number == 6) status = cublasSaxpy(handle, 33, &one, a, 2, b, 1);  // <- 6:library-extent
    if (number == 7) status = cublasSscal(handle, 64, c, a, 1);  // <- 7:library-scalar
    if (number == 8) status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, CUDA_R_32F, 8, b, CUDA_R_16F, 8, &none, c, CUDA_R_32F, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);  // <- 8:library-refused
    if (number == 9) cudaFree(b), b = nullptr;
    if (number == 9) status = cublasSdot(handle, 64, a, 1, b, 1, &result);  // <- 9:library-pointer
    printf("%s\n", cublasGetStatusName(status));
    cudaFree(a), cudaFree(b), cudaFree(c);
}

int main(int count, char** words) {
    cublasHandle_t handle = nullptr;
    expect(cublasSetStream(handle, nullptr) == CUBLAS_STATUS_NOT_INITIALIZED, "no handle");
    cublasCreate(&handle);
    if (count > 1) mistake(handle, atoi(words[1]));
    else products(handle), vectors(handle);
    cublasDestroy(handle);
    return wrong;
}
