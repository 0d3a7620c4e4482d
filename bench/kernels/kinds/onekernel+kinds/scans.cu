// Scans, histograms and sorting in shared memory, for audits/agreement/others_run.py.

constexpr int kThreads = 256;

// Up and down a tree of 512 elements, two a thread.
__global__ void scan_tree(const float* x, float* y) {
    __shared__ float tree[2 * kThreads];
    const int t = threadIdx.x, from = blockIdx.x * 2 * kThreads;
    tree[2 * t] = x[from + 2 * t];
    tree[2 * t + 1] = x[from + 2 * t + 1];
    int offset = 1;
    for (int d = kThreads; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    }
    if (t == 0) tree[2 * kThreads - 1] = 0;
    for (int d = 1; d <= kThreads; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const float left = tree[offset * (2 * t + 1) - 1];
            tree[offset * (2 * t + 1) - 1] = tree[offset * (2 * t + 2) - 1];
            tree[offset * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    y[from + 2 * t] = tree[2 * t];
    y[from + 2 * t + 1] = tree[2 * t + 1];
}

// A scan by shuffles in each warp, then of the warps' sums.
__global__ void scan_warps(const float* x, float* y) {
    __shared__ float sums[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = x[blockIdx.x * blockDim.x + t];
    for (int d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        float s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            const float other = __shfl_up_sync(~0u, s, d);
            if (lane >= d) s += other;
        }
        sums[lane] = s;
    }
    __syncthreads();
    y[blockIdx.x * blockDim.x + t] = warp > 0 ? v + sums[warp - 1] : v;
}

// A histogram a warp, joined at the end.
__global__ void histogram_by_warps(const int* x, int* bins, int n) {
    __shared__ int mine[kThreads / 32][64];
    for (int k = threadIdx.x; k < kThreads / 32 * 64; k += kThreads) (&mine[0][0])[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
        atomicAdd(&mine[threadIdx.x / 32][x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        int sum = 0;
        for (int w = 0; w < kThreads / 32; w++) sum += mine[w][threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

// Batcher's bitonic sort of a block's 256 elements.
__global__ void sort_bitonic(const float* x, float* y) {
    __shared__ float kept[kThreads];
    const int t = threadIdx.x;
    kept[t] = x[blockIdx.x * kThreads + t];
    for (int size = 2; size <= kThreads; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int other = t ^ stride;
            if (other > t && (kept[t] > kept[other]) == ((t & size) == 0)) {
                const float v = kept[t];
                kept[t] = kept[other];
                kept[other] = v;
            }
        }
    __syncthreads();
    y[blockIdx.x * kThreads + t] = kept[t];
}

// A block's maximum, its last warp without barriers.
__global__ void maximum_last_warp(const float* x, float* y, int n) {
    __shared__ volatile float kept[kThreads];
    const int t = threadIdx.x;
    float most = x[t];
    for (int i = t + kThreads; i < n; i += kThreads) most = fmaxf(most, x[i]);
    kept[t] = most;
    __syncthreads();
    for (int s = kThreads / 2; s >= 32; s /= 2) {
        if (t < s) kept[t] = fmaxf(kept[t], kept[t + s]);
        __syncthreads();
    }
    if (t < 32)
        for (int s = 16; s > 0; s /= 2) {
            const float other = kept[t + s];
            __syncwarp();
            kept[t] = fmaxf(kept[t], other);
            __syncwarp();
        }
    if (t == 0) y[0] = kept[0];
}
