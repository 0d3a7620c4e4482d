// Tensors of one, three and five dimensions, there and back: a box is fetched, every element is changed, and the box is stored elsewhere, loads over
// each edge, stores over the upper ones, the only ones that they may cross. What lies outside arrives as zero and is not written.
#include "common.h"

constexpr int N = 60, WIDE = 16, H = 3, D = 2;   // of each box
constexpr int X = 20, Y = 7, Z = 5;              // the tensor of three dimensions

__global__ void line(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x, int at_x) {
    __shared__ alignas(128) int box[WIDE];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&from) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global [%0, {%1}];" ::"l"(&from), "r"(x) : "memory");
        barrier_expect(&full, sizeof box);
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
                     ::"r"(at(box)), "l"(&from), "r"(x), "r"(at(&full)) : "memory");
    }
    barrier_wait(&full, 0);
    if (threadIdx.x < WIDE) box[threadIdx.x] += 1000;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];" ::"l"(&to), "r"(at_x), "r"(at(box)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

__global__ void block(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x, int y, int z, int at_x, int at_y, int at_z) {
    __shared__ alignas(128) int box[D][H][WIDE];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, sizeof box);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                     ::"r"(at(box)), "l"(&from), "r"(x), "r"(y), "r"(z), "r"(at(&full)) : "memory");
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < D * H * WIDE; i += blockDim.x) (&box[0][0][0])[i] += 1000;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];"
                     ::"l"(&to), "r"(at_x), "r"(at_y), "r"(at_z), "r"(at(box)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void corner(const __grid_constant__ CUtensorMap from, int* out) {   // a box of 4 x 2 x 1 x 2 x 2
    __shared__ alignas(128) int box[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, sizeof box);
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %3, %3, %3}], [%4];"
                     ::"r"(at(box)), "l"(&from), "r"(0), "r"(1), "r"(at(&full)) : "memory");
    }
    barrier_wait(&full, 0);
    out[threadIdx.x] = box[threadIdx.x];
}

int main() {
    int wrong = 0;
    std::vector<int> host(X * Y * Z), zeros(X * Y * Z, -1);
    for (size_t i = 0; i < host.size(); ++i) host[i] = (int)i + 1;
    {
        int *in = on_device(std::vector<int>(host.begin(), host.begin() + N));
        const cuuint64_t sizes[1] = {N}, none[1] = {};   // the driver wants an array for the strides that there are not
        const cuuint32_t box[1] = {WIDE};
        for (int x : {-8, 0, 12, N - 4}) {
            int* out = on_device(std::vector<int>(N, -1));
            const CUtensorMap from = tensor(CU_TENSOR_MAP_DATA_TYPE_INT32, 1, in, sizes, none, box, CU_TENSOR_MAP_SWIZZLE_NONE);
            const CUtensorMap to = tensor(CU_TENSOR_MAP_DATA_TYPE_INT32, 1, out, sizes, none, box, CU_TENSOR_MAP_SWIZZLE_NONE);
            const int to_x = x < 0 ? 4 : x;
            line<<<1, 32>>>(from, to, x, to_x);
            const std::vector<int> got = on_host(out, N);
            long bad = 0;
            for (int i = 0; i < N; ++i) {
                const int j = i - to_x + x;   // where it comes from
                bad += got[i] != (i < to_x || i >= to_x + WIDE ? -1 : 1000 + (j >= 0 && j < N ? host[j] : 0));
            }
            wrong |= verdict("one dimension", bad);
            DO(cudaFree(out));
        }
        DO(cudaFree(in));
    }
    int* in = on_device(host);
    for (int z : {-1, 0, 4}) {
        int* out = on_device(zeros);
        const cuuint64_t sizes[3] = {X, Y, Z}, strides[2] = {X * 4, X * Y * 4};
        const cuuint32_t box[3] = {WIDE, H, D};
        const CUtensorMap from = tensor(CU_TENSOR_MAP_DATA_TYPE_INT32, 3, in, sizes, strides, box, CU_TENSOR_MAP_SWIZZLE_64B);
        const CUtensorMap to = tensor(CU_TENSOR_MAP_DATA_TYPE_INT32, 3, out, sizes, strides, box, CU_TENSOR_MAP_SWIZZLE_64B);
        const int x = 4 * z, y = 5 - 2 * z;
        const int to_x = x < 0 ? 8 : x, to_y = y < 0 ? 6 : y, to_z = z < 0 ? 3 : z;
        block<<<1, 64>>>(from, to, x, y, z, to_x, to_y, to_z);
        const std::vector<int> got = on_host(out, host.size());
        long bad = 0;
        for (int i = 0; i < X * Y * Z; ++i) {
            const int c = i % X - to_x, r = i / X % Y - to_y, p = i / X / Y - to_z;   // in the box
            const bool stored = c >= 0 && c < WIDE && r >= 0 && r < H && p >= 0 && p < D;
            const bool loaded = x + c >= 0 && x + c < X && y + r >= 0 && y + r < Y && z + p >= 0 && z + p < Z;
            bad += got[i] != (!stored ? -1 : 1000 + (loaded ? host[x + c + X * (y + r) + X * Y * (z + p)] : 0));
        }
        wrong |= verdict("three dimensions", bad);
        DO(cudaFree(out));
    }
    {   // 4 x 3 x 2 x 3 x 3 elements
        const cuuint64_t sizes[5] = {4, 3, 2, 3, 3}, strides[4] = {16, 48, 96, 288};
        const cuuint32_t box[5] = {4, 2, 1, 2, 2};
        int* out = on_device(zeros);
        corner<<<1, 32>>>(tensor(CU_TENSOR_MAP_DATA_TYPE_INT32, 5, in, sizes, strides, box, CU_TENSOR_MAP_SWIZZLE_NONE), out);
        const std::vector<int> got = on_host(out, 32);
        long bad = 0;
        for (int i = 0; i < 32; ++i) {
            const int c = i % 4, y = 1 + i / 4 % 2, u = 1 + i / 8 % 2, v = 1 + i / 16;
            bad += got[i] != (y < 3 ? host[c + 4 * y + 12 + 24 * u + 72 * v] : 0);
        }
        wrong |= verdict("five dimensions", bad);
        DO(cudaFree(out));
    }
    DO(cudaFree(in));
    puts(wrong ? "wrong" : "right");
    return wrong;
}
