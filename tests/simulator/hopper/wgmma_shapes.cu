// A product of every size, of both 16-bit types, added to what is there or not, with each sign; and with A from registers.
#include "products.h"

constexpr int M = 64, K = 16;

// The tiles lie as core matrices without a swizzle: 8 of K at a time, rows of 16 bytes one behind the other.
template <class T, int N, int kSignA, int kSignB>
__global__ void product(const T* a, const T* b, const float* c, float* out, int add) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ alignas(128) T tile_a[2][M][8], tile_b[2][N][8];
    for (int i = threadIdx.x; i < M * K; i += 128) tile_a[i % K / 8][i / K][i % 8] = a[i];
    for (int i = threadIdx.x; i < N * K; i += 128) tile_b[i % K / 8][i / K][i % 8] = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[N / 2];
    for (int i = 0; i < N / 2; ++i) d[i] = c[row_of(i) * N + column_of(i)];
    products_begin();
    Product<T, N, 0, 0, kSignA, kSignB>::run(d, descriptor(at(tile_a), M * 16, 128, 0), descriptor(at(tile_b), N * 16, 128, 0), add);
    products_end();
    for (int i = 0; i < N / 2; ++i) out[row_of(i) * N + column_of(i)] = d[i];
#endif
}

__global__ void from_registers(const __half* a, const __half* b, float* out) {   // N is 8; K 32: two products, one after the other
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    constexpr int N = 8, DEEP = 2 * K;
    __shared__ alignas(128) __half tile[4][N][8];
    for (int i = threadIdx.x; i < N * DEEP; i += 128) tile[i % DEEP / 8][i / DEEP][i % 8] = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {};
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    uint32_t parts[2][4];
    for (int step = 0; step < 2; ++step)
        for (int r = 0; r < 4; ++r) parts[step][r] = *(const uint32_t*)&a[(row + r % 2 * 8) * DEEP + step * K + r / 2 * 8 + lane % 4 * 2];
    products_begin();
#pragma unroll
    for (int step = 0; step < 2; ++step) {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %9, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, -1, 0;\n}"
                     : D4(0) : "r"(parts[step][0]), "r"(parts[step][1]), "r"(parts[step][2]), "r"(parts[step][3]),
                     "l"(descriptor(at(tile[2 * step]), N * 16, 128, 0)), "r"(step));
    }
    products_end();
    for (int i = 0; i < 4; ++i) out[row_of(i) * N + column_of(i)] = d[i];
#endif
}

template <class T>
std::vector<T> numbers(int count, int kind) {
    std::vector<T> out(count);
    for (int i = 0; i < count; ++i) out[i] = T((float)small(i, kind));
    return out;
}

template <class T, int N, int kSignA, int kSignB>
int check(int add) {
    const std::vector<T> a = numbers<T>(M * K, 0), b = numbers<T>(N * K, 1);
    const std::vector<float> c = numbers<float>(M * N, 0);
    T *da = on_device(a), *db = on_device(b);
    float *dc = on_device(c), *out = on_device(std::vector<float>(M * N, 1e9f));
    product<T, N, kSignA, kSignB><<<1, 128>>>(da, db, dc, out, add);
    const std::vector<float> got = on_host(out, M * N);
    long wrong = 0;
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            float want = add ? c[m * N + n] : 0;
            for (int k = 0; k < K; ++k) want += kSignA * kSignB * (float)a[m * K + k] * (float)b[n * K + k];
            wrong += !(got[m * N + n] == want);
        }
    }
    DO(cudaFree(da));
    DO(cudaFree(db));
    DO(cudaFree(dc));
    DO(cudaFree(out));
    char what[40];
    snprintf(what, sizeof what, "N %d, %d", N, add);
    return verdict(what, wrong);
}

int main() {
    int wrong = 0;
    for (int add : {0, 1}) {
        wrong |= check<__nv_bfloat16, 8, 1, 1>(add) | check<__nv_bfloat16, 24, -1, 1>(add) | check<__nv_bfloat16, 64, 1, 1>(add);
        wrong |= check<__nv_bfloat16, 96, 1, -1>(add) | check<__nv_bfloat16, 192, 1, 1>(add) | check<__nv_bfloat16, 256, 1, 1>(add);
        wrong |= check<__half, 8, -1, -1>(add) | check<__half, 64, 1, 1>(add) | check<__half, 256, 1, 1>(add);
    }
    const std::vector<__half> a = numbers<__half>(M * 2 * K, 0), b = numbers<__half>(8 * 2 * K, 1);
    __half *da = on_device(a), *db = on_device(b);
    float* out = on_device(std::vector<float>(M * 8, 1e9f));
    from_registers<<<1, 128>>>(da, db, out);
    const std::vector<float> got = on_host(out, M * 8);
    long bad = 0;
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < 8; ++n) {
            float want = 0;
            for (int k = 0; k < 2 * K; ++k) want -= (float)a[m * 2 * K + k] * (float)b[n * 2 * K + k];
            bad += !(got[m * 8 + n] == want);
        }
    }
    wrong |= verdict("A from registers", bad);
    DO(cudaFree(da));
    DO(cudaFree(db));
    DO(cudaFree(out));
    puts(wrong ? "wrong" : "right");
    return wrong;
}
