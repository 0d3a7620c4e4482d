// 3_wgmma: a warpgroup multiplies tiles that lie in shared memory: C = A B^T, bf16 in, fp32 sums.
//
// Run: nvcc -arch=compute_90a -code=sm_90a -o wgmma solutions/reading/hopper/3_wgmma.cu && ./wgmma
//
// The idea: four warps issue one instruction for 64 x 64 x 16. A and B are never in registers: a descriptor of 64 bits says where a
// tile lies in shared memory and how its rows are laid out. The instruction is asynchronous, as a copy is: fence, issue, commit, wait.
//
// But: the threads that multiply also copy, and wait for what they copied. The copy is written out so that the swizzle is seen.

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

#include <vector>

using bf16 = __nv_bfloat16;
constexpr int kTile = 64;   // rows of A and of B in a tile, and elements along k: a row has 128 bytes, the widest swizzle

__device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

// A tile of 64 rows from a matrix whose rows are k elements apart. Piece w (16 bytes) of row r goes where piece w ^ (r % 8) would be.
__device__ void copy_swizzled(bf16* tile, const bf16* from, int64_t k) {
    for (int i = threadIdx.x; i < kTile * 8; i += 128) {
        const int r = i / 8, w = i % 8;
        *(uint4*)&tile[r * kTile + (w ^ (r % 8)) * 8] = *(const uint4*)&from[r * k + w * 8];
    }
}

// Rows of 128 bytes, swizzled in groups of 8: 1024 bytes to the next group. Addresses and distances are in units of 16 bytes.
__device__ uint64_t descriptor(const bf16* tile) {
    const uint64_t address = shared_address(tile) >> 4 & 0x3fff;   // bits 0 to 13
    const uint64_t next_group = 1024 >> 4;                         // bits 32 to 45
    const uint64_t swizzle = 1;                                    // bits 62 and 63: 1 is the swizzle of 128 bytes
    return address | next_group << 32 | swizzle << 62;             // bits 16 to 29 are ignored for this layout
}

// d += a b^T: 64 x 64, 16 along k, by all 128 threads of the warpgroup.
__device__ void wgmma(float (&d)[32], uint64_t a, uint64_t b) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"   // true: add to d
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, add, 1, 1, 0, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
          "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
}

// a is m x k, b is n x k, c is m x n, dense, all sides multiples of 64; a block computes 64 x 64 of c.
__global__ void __launch_bounds__(128) multiply_tiles(const bf16* a, const bf16* b, float* c, int n, int k) {
    __shared__ alignas(1024) bf16 tile_a[kTile * kTile], tile_b[kTile * kTile];   // a group of 8 rows begins on 1024 bytes
    const int64_t row = blockIdx.y * kTile, col = blockIdx.x * kTile;
    float d[32] = {};
    for (int p = 0; p < k; p += kTile) {
        copy_swizzled(tile_a, a + row * k + p, k);
        copy_swizzled(tile_b, b + col * k + p, k);
        // wgmma is to see what threads wrote into shared memory, and the registers of d
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int s = 0; s < kTile / 16; ++s) {   // 16 elements further along k are 32 bytes, 2 units
            wgmma(d, descriptor(tile_a) + 2 * s, descriptor(tile_b) + 2 * s);
        }
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();   // the tiles may be written anew
    }
    // nobody reads the sums before the wait
    for (int i = 0; i < 32; ++i) asm volatile("" : "+f"(d[i])::"memory");
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; ++i) {   // warp w has rows 16 w to 16 w + 15, in fragments of 8 columns as mma.sync's are
        const int r = warp * 16 + lane / 4 + i / 2 % 2 * 8, at = i / 4 * 8 + lane % 4 * 2 + i % 2;
        c[(row + r) * n + col + at] = d[i];
    }
}

extern "C" cudaError_t wgmma_tile(const bf16* a, const bf16* b, float* c, int64_t m, int64_t n, int64_t k, cudaStream_t stream) {
    multiply_tiles<<<dim3((unsigned)(n / kTile), (unsigned)(m / kTile)), 128, 0, stream>>>(a, b, c, (int)n, (int)k);
    return cudaGetLastError();
}

int main() {
    const int m = 128, n = 192, k = 256;
    std::vector<bf16> a(m * k), b(n * k);
    std::vector<float> c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = __float2bfloat16((float)(i * 37 % 19 - 9));   // whole numbers: the sums are exact,
    for (int i = 0; i < n * k; ++i) b[i] = __float2bfloat16((float)(i * 53 % 23 - 11));  // and each place has its own
    bf16 *a_d, *b_d;
    float* c_d;
    cudaMalloc(&a_d, a.size() * sizeof(bf16));
    cudaMalloc(&b_d, b.size() * sizeof(bf16));
    cudaMalloc(&c_d, c.size() * sizeof(float));
    cudaMemcpy(a_d, a.data(), a.size() * sizeof(bf16), cudaMemcpyHostToDevice);
    cudaMemcpy(b_d, b.data(), b.size() * sizeof(bf16), cudaMemcpyHostToDevice);
    cudaError_t error = wgmma_tile(a_d, b_d, c_d, m, n, k, 0);
    if (error == cudaSuccess) error = cudaMemcpy(c.data(), c_d, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < m; ++r) {
        for (int q = 0; q < n; ++q) {
            float sum = 0.0f;
            for (int p = 0; p < k; ++p) sum += __bfloat162float(a[r * k + p]) * __bfloat162float(b[q * k + p]);
            wrong += c[r * n + q] != sum;
        }
    }
    printf("3_wgmma: %s, %d of %d elements wrong\n", cudaGetErrorString(error), wrong, m * n);
    cudaFree(a_d), cudaFree(b_d), cudaFree(c_d);
    return error != cudaSuccess || wrong != 0;
}
