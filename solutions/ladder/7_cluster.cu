// ladder_cluster: row softmax, the row kept in the registers of several blocks that form a cluster.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 7_cluster
// Bench: onekernel bench ladder/7_cluster
//
// The new idea: from sm_90 on, up to 8 blocks can be launched as a cluster, side by side on neighbouring multiprocessors, and each can
// read the others' shared memory. So 8 blocks keep a row of 262144 elements in their registers. All they exchange is one Part each.
//
// Work: row per cluster
// Ledger (clusters): reads 1, writes 1
// Ledger (rows above 32768 columns without clusters, above 262144 with them): reads 3, writes 1
// But: the kernel is written for fp32, a row of 4097 columns loses its vector loads, and a cluster barrier waits until every earlier
// write of the cluster can be seen by the whole GPU, although only 8 bytes a block are wanted. softmax_tuned mends all three.

#include <cuda_runtime.h>
#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif
#include <math.h>
#include <stdint.h>

constexpr int kMostThreads = 1024;
constexpr int kElements = 32;       // in each thread's registers
constexpr int kMostInCluster = 8;   // more are possible on some GPUs, on request
constexpr int64_t kMostBlocks = 2147483647;

struct Part {   // of a row: its largest element, and the sum of exp(x - max) over it
    float max;
    float sum;
};

__device__ float warp_max(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    }
    return v;
}

__device__ float warp_sum(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffff, v, step);
    }
    return v;
}

// Joins one Part for each lane; every lane gets the result.
__device__ Part warp_join(Part p) {
    const float m = warp_max(p.max);
    return {m, warp_sum(p.max == -INFINITY ? p.sum : p.sum * expf(p.max - m))};
}

// Joins one Part for each warp; every thread gets the result. `parts` has room for 32.
__device__ Part block_join(Part mine, Part* parts) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    return warp_join(lane < blockDim.x / 32 ? parts[lane] : Part{-INFINITY, 0.0f});
}

// Joins one Part for each block of the cluster; every thread gets the result.
__device__ Part cluster_join(Part mine, int blocks) {
#if __CUDA_ARCH__ >= 900
    __shared__ Part part;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) part = mine;
    cluster.sync();   // now every block has written its part
    const int lane = threadIdx.x % 32;
    const Part other = lane < blocks ? *cluster.map_shared_rank(&part, lane) : Part{-INFINITY, 0.0f};
    cluster.sync();   // nobody may leave, and take its shared memory along, before everybody has read it
    return warp_join(other);
#else
    (void)blocks;
    return mine;   // without clusters there is one block a row
#endif
}

__global__ void __launch_bounds__(kMostThreads)
cluster_kernel(const float* x, float* y, int cols, int64_t x_row_stride, int64_t y_row_stride, int blocks, bool in_vectors) {
    __shared__ Part parts[32];
    const int64_t row = blockIdx.x / blocks;
    const int t = blockIdx.x % blocks * blockDim.x + threadIdx.x;   // this thread's number among all that share the row
    const int threads = blocks * blockDim.x;
    const float* x_row = x + row * x_row_stride;
    float* y_row = y + row * y_row_stride;

    float v[kElements];
    if (in_vectors) {   // every row starts on a 16-byte boundary and is a whole number of vectors long
#pragma unroll
        for (int k = 0; k < kElements; k += 4) {
            const int c = (k / 4 * threads + t) * 4;
            const float4 four = c < cols ? *(const float4*)(x_row + c) : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
            v[k] = four.x;
            v[k + 1] = four.y;
            v[k + 2] = four.z;
            v[k + 3] = four.w;
        }
    } else {
#pragma unroll
        for (int k = 0; k < kElements; ++k) {
            const int c = k * threads + t;
            v[k] = c < cols ? x_row[c] : -INFINITY;
        }
    }

    float largest = v[0];
#pragma unroll
    for (int k = 1; k < kElements; ++k) largest = fmaxf(largest, v[k]);
    largest = warp_max(largest);
    const float from = largest == -INFINITY ? 0.0f : largest;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
        v[k] = expf(v[k] - from);
        sum += v[k];
    }
    Part whole = block_join({largest, warp_sum(sum)}, parts);
    if (blocks > 1) whole = cluster_join(whole, blocks);
    const float factor = expf(largest - whole.max) / whole.sum;   // what turns this warp's exponentials into the row's softmax

    if (in_vectors) {
#pragma unroll
        for (int k = 0; k < kElements; k += 4) {
            const int c = (k / 4 * threads + t) * 4;
            if (c < cols) {
                *(float4*)(y_row + c) = make_float4(v[k] * factor, v[k + 1] * factor, v[k + 2] * factor, v[k + 3] * factor);
            }
        }
    } else {
#pragma unroll
        for (int k = 0; k < kElements; ++k) {
            const int c = k * threads + t;
            if (c < cols) y_row[c] = v[k] * factor;
        }
    }
}

// Rows that no cluster can hold: three passes, as in ladder_warp_shuffle.
__global__ void long_row_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ Part parts[2][32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x_row = x + row * x_row_stride;
        float* y_row = y + row * y_row_stride;
        float largest = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) largest = fmaxf(largest, x_row[c]);
        largest = block_join({warp_max(largest), 0.0f}, parts[0]).max;
        float sum = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(x_row[c] - largest);
        sum = block_join({largest, warp_sum(sum)}, parts[1]).sum;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y_row[c] = expf(x_row[c] - largest) / sum;
    }
}

extern "C" cudaError_t ladder_cluster(const float* x, float* y, int64_t rows, int64_t cols,
                                      int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    int device, has_clusters;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);
    if (error != cudaSuccess) return error;

    const int64_t held = kMostThreads * kElements;   // elements that a block can hold
    const int64_t needed = (cols + held - 1) / held;
    int blocks = 1;
    while (blocks < needed) blocks *= 2;
    if (blocks > (has_clusters ? kMostInCluster : 1)) {
        const unsigned grid = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
        long_row_kernel<<<grid, kMostThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
        return cudaGetLastError();
    }
    const int64_t share = (cols + blocks - 1) / blocks;   // of a block
    const int64_t threads = ((share + kElements - 1) / kElements + 31) / 32 * 32;
    const bool in_vectors = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0 && cols % 4 == 0 && x_row_stride % 4 == 0 && y_row_stride % 4 == 0;

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.blockDim = dim3((unsigned)threads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = blocks > 1 ? 1 : 0;
    const int64_t most_rows = kMostBlocks / blocks;
    for (int64_t done = 0; done < rows; done += most_rows) {   // a launch has no more blocks than kMostBlocks
        const int64_t some = rows - done < most_rows ? rows - done : most_rows;
        config.gridDim = dim3((unsigned)(some * blocks));
        error = cudaLaunchKernelEx(&config, cluster_kernel, x + done * x_row_stride, y + done * y_row_stride, (int)cols,
                                   x_row_stride, y_row_stride, blocks, in_vectors);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
