// Operands in shared memory in every way that a descriptor knows: without a swizzle and with 32, 64 and 128 bytes, along K and across it. The threads
// store each element where its layout has it. Where the descriptor names another swizzle than the tile's, the sums must be wrong.
#include "products.h"

constexpr int M = 64, N = 96, K = 64;   // four products deep
constexpr int BYTES = 16 * 1024;   // room for what a wrong descriptor reads

// Where element (line, k) of an operand of `lines` lines lies, `bits` of swizzle; `turned`: it runs along its lines.
__host__ __device__ inline uint32_t place(int line, int k, int lines, int bits, int turned) {
    const int wide = 8 << bits;   // elements of a swizzled row
    const int along = turned ? line : k, down = turned ? k : line, high = turned ? K : lines;
    return swizzled(along / wide * high * wide * 2 + down * wide * 2 + along % wide * 2, bits);
}
// What the descriptor of the products from k on is told of it.
__device__ inline uint64_t operand(uint32_t tile, int k, int lines, int bits, int turned, int told) {
    const int wide = 8 << bits, row = wide * 2, high = turned ? K : lines;
    const int eight = 8 * row, across = high * row;   // the way to the next eight rows, and to the next `wide` elements along them
    if (turned) return descriptor(tile + k * row, bits ? across : eight, bits ? eight : across, told);
    return descriptor(tile + k / wide * across + k % wide * 2, across, eight, told);
}

template <class T, int kTurnedA, int kTurnedB>
__global__ void product(const T* a, const T* b, float* out, int bits, int told) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ alignas(1024) unsigned char tile_a[BYTES], tile_b[BYTES];
    for (int i = threadIdx.x; i < BYTES; i += 128) tile_a[i] = tile_b[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < M * K; i += 128) *(T*)(tile_a + place(i / K, i % K, M, bits, kTurnedA)) = a[i];
    for (int i = threadIdx.x; i < N * K; i += 128) *(T*)(tile_b + place(i / K, i % K, N, bits, kTurnedB)) = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[N / 2];
    for (int i = 0; i < N / 2; ++i) d[i] = 0;
    products_begin();
    for (int k = 0; k < K; k += 16) {
        Product<T, N, kTurnedA, kTurnedB, 1, 1>::run(d, operand(at(tile_a), k, M, bits, kTurnedA, told), operand(at(tile_b), k, N, bits, kTurnedB, bits), 1);
    }
    products_end();
    for (int i = 0; i < N / 2; ++i) out[row_of(i) * N + column_of(i)] = d[i];
#endif
}

template <class T, int kTurnedA, int kTurnedB>
long wrong_of(int bits, int told) {
    std::vector<T> a(M * K), b(N * K);
    for (int i = 0; i < M * K; ++i) a[i] = T((float)small(i, 0));
    for (int i = 0; i < N * K; ++i) b[i] = T((float)small(i, 1));
    T *da = on_device(a), *db = on_device(b);
    float* out = on_device(std::vector<float>(M * N, 1e9f));
    product<T, kTurnedA, kTurnedB><<<1, 128>>>(da, db, out, bits, told);
    const std::vector<float> got = on_host(out, M * N);
    long wrong = 0;
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            float want = 0;
            for (int k = 0; k < K; ++k) want += (float)a[m * K + k] * (float)b[n * K + k];
            wrong += !(got[m * N + n] == want);
        }
    }
    DO(cudaFree(da));
    DO(cudaFree(db));
    DO(cudaFree(out));
    return wrong;
}

template <class T, int kTurnedA, int kTurnedB>
int check() {
    int wrong = 0;
    for (int bits = 0; bits < 4; ++bits) {
        char what[80];
        snprintf(what, sizeof what, "%d%d, swizzle %d", kTurnedA, kTurnedB, bits);
        if (N % (8 << bits) == 0 || !kTurnedB) wrong |= verdict(what, wrong_of<T, kTurnedA, kTurnedB>(bits, bits));
    }
    if (!wrong_of<T, kTurnedA, kTurnedB>(2, 3)) wrong |= verdict("a descriptor of another swizzle gives the same", 1);
    return wrong;
}

int main() {
    int wrong = check<__nv_bfloat16, 0, 0>() | check<__nv_bfloat16, 1, 0>() | check<__nv_bfloat16, 0, 1>() | check<__nv_bfloat16, 1, 1>();
    wrong |= check<__half, 0, 0>() | check<__half, 1, 1>();
    puts(wrong ? "wrong" : "right");
    return wrong;
}
