// What the copy engine has brought, multiplied as it lies: the same swizzle in the tensor map and in the descriptor, each of the four; two stages,
// the second fetched while the first is multiplied. With none in the map and one in the descriptor the sums must be wrong.
#include "products.h"

using T = __nv_bfloat16;
constexpr int M = 64, N = 64, STEPS = 5;

__global__ void product(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* out, int bits) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ alignas(1024) T tile_a[2][M * 64], tile_b[2][N * 64];
    __shared__ uint64_t full[2];
    const int wide = 8 << bits, row = wide * 2, depth = wide < 16 ? 16 : wide;   // of a step; without a swizzle it takes two boxes
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; ++s) barrier_init(&full[s], 1);
    __syncthreads();
    auto fetch = [&](int step) {
        const int s = step % 2;
        barrier_expect(&full[s], (M + N) * depth * 2);
        for (int k = 0; k < depth; k += wide) {
            load_box(at(tile_a[s]) + k * M * 2, &map_a, step * depth + k, 0, &full[s]);
            load_box(at(tile_b[s]) + k * N * 2, &map_b, step * depth + k, 0, &full[s]);
        }
    };
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; ++s) fetch(s);
    float d[N / 2];
    for (int step = 0; step < STEPS; ++step) {
        const int s = step % 2;
        barrier_wait(&full[s], step / 2 % 2);
        products_begin();
        for (int k = 0; k < depth; k += 16) {
            Product<T, N, 0, 0, 1, 1>::run(d, descriptor(at(tile_a[s]) + k * 2, M * row, 8 * row, bits), descriptor(at(tile_b[s]) + k * 2, N * row, 8 * row, bits), step + k > 0);
        }
        products_end();
        __syncthreads();
        if (threadIdx.x == 0 && step + 2 < STEPS) fetch(step + 2);
    }
    for (int i = 0; i < N / 2; ++i) out[row_of(i) * N + column_of(i)] = d[i];
#endif
}

long wrong_of(int bits, int in_map) {
    const int wide = 8 << bits, depth = wide < 16 ? 16 : wide, k_all = STEPS * depth;
    std::vector<T> a(M * k_all), b(N * k_all);
    for (size_t i = 0; i < a.size(); ++i) a[i] = T((float)small(i, 0));
    for (size_t i = 0; i < b.size(); ++i) b[i] = T((float)small(i, 1));
    T *da = on_device(a), *db = on_device(b);
    float* out = on_device(std::vector<float>(M * N, 1e9f));
    const cuuint64_t of_a[2] = {(cuuint64_t)k_all, M}, of_b[2] = {(cuuint64_t)k_all, N}, strides[1] = {(cuuint64_t)k_all * 2};
    const cuuint32_t box_a[2] = {(cuuint32_t)wide, M}, box_b[2] = {(cuuint32_t)wide, N};
    product<<<1, 128>>>(tensor(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, da, of_a, strides, box_a, (CUtensorMapSwizzle)in_map),
                        tensor(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, db, of_b, strides, box_b, (CUtensorMapSwizzle)bits), out, bits);
    const std::vector<float> got = on_host(out, M * N);
    long wrong = 0;
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            float want = 0;
            for (int k = 0; k < k_all; ++k) want += (float)a[m * k_all + k] * (float)b[n * k_all + k];
            wrong += !(got[m * N + n] == want);
        }
    }
    DO(cudaFree(da));
    DO(cudaFree(db));
    DO(cudaFree(out));
    return wrong;
}

int main() {
    int wrong = 0;
    for (int bits = 0; bits < 4; ++bits) {
        char what[40];
        snprintf(what, sizeof what, "swizzle %d", bits);
        wrong |= verdict(what, wrong_of(bits, bits));
    }
    if (!wrong_of(2, 0)) wrong |= verdict("no swizzle in the map gives the same", 1);
    puts(wrong ? "wrong" : "right");
    return wrong;
}
