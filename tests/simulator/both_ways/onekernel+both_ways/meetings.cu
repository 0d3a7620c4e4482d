// What meetings of a warp's lanes, helpers and templates leave to the compiler.

// Two halves of a pair, a shuffle between them.
__global__ void pair_across_a_shuffle(const float* x, float* y) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    s[t + 128] = x[t + 128];
    __syncthreads();
    float a = s[2 * t];
    a += __shfl_xor_sync(0xffffffffu, a, 1);
    y[t] = a + s[2 * t + 1];  // merges-shared
}

__global__ void again_across_syncwarp(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float a = x[i];
    __syncwarp();
    y[i] = a + x[i];
}

__global__ void shared_again_across_syncwarp(const float* x, float* y) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = x[i];
    __syncthreads();
    const float a = s[t ^ 1];
    __syncwarp();
    y[i] = a + s[t ^ 1];
}

__global__ void again_across_ballot_and_match(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned some = __ballot_sync(0xffffffffu, x[i] > 0);
    const unsigned same = __match_any_sync(0xffffffffu, i % 4);
    y[i] = x[i] * __popc(some & same);  // repeats-global
}

// A warp a row: three walks, of a runtime length and of a fixed one.
__global__ void rows_of_runtime_length(const float* x, float* y, int cols) {
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = -1e30f, sum = 0;
    for (int c = lane; c < cols; c += 32) most = fmaxf(most, x[row * cols + c]);
    for (int apart = 16; apart; apart /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, apart));
    for (int c = lane; c < cols; c += 32) sum += __expf(x[row * cols + c] - most);
    for (int apart = 16; apart; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    for (int c = lane; c < cols; c += 32) y[row * cols + c] = __expf(x[row * cols + c] - most) / sum;
}

template <int N>
__global__ void rows_of_fixed_length(const float* x, float* y) {
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = -1e30f, sum = 0;
    for (int k = 0; k < N; k++) most = fmaxf(most, x[row * N * 32 + k * 32 + lane]);
    for (int apart = 16; apart; apart /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, apart));
    for (int k = 0; k < N; k++) sum += __expf(x[row * N * 32 + k * 32 + lane] - most);  // repeats-global
    for (int apart = 16; apart; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    for (int k = 0; k < N; k++) y[row * N * 32 + k * 32 + lane] = __expf(x[row * N * 32 + k * 32 + lane] - most) / sum;  // repeats-global
}

// The walk in a helper, whose length the caller knows.
__device__ float summed(const float* from, int n, float less) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += from[k * 1024] * less;  // repeats-global
    return sum;
}

__global__ void walks_of_a_helper(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float first = summed(x + i, 12, 1);
    y[i] = summed(x + i, 12, first);
}

// The length is a variable that is known all the same.
__global__ void walks_of_a_known_length(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = 3 * 4;
    float most = -1e30f, sum = 0;
    int k = 0;
    while (k < n) most = fmaxf(most, x[k++ * 1024 + i]);
    for (k = n - 1; k >= 0; k--) sum += x[k * 1024 + i] - most;  // repeats-global
    y[i] = sum;
}

// Some lanes alone walk twice.
__global__ void walks_of_some_lanes(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1e30f, sum = 0;
    if (threadIdx.x % 32 < 20) {
        for (int k = 0; k < 12; k++) most = fmaxf(most, x[k * 1024 + i]);
        for (int k = 0; k < 12; k++) sum += x[k * 1024 + i] - most;  // repeats-global
    }
    y[i] = sum;
}

// Neighbours that lie a long way apart in the code: a row of a's words, with sixteen others between two of them.
__global__ void neighbours_far_apart(const float* x, float* y) {
    __shared__ float a[32][4], b[64][33];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; k++) a[t][k] = x[k * 32 + t];  // merges-shared
    for (int k = 0; k < 64; k++) b[k][t] = x[128 + k * 32 + t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        const float v = a[t][k];  // merges-shared
        for (int j = 0; j < 16; j++) sum += v * b[k * 16 + j][t];
    }
    y[t] = sum;
}

// Written in place: maximum, then each element, then all again.
__global__ void in_place(float* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 12; k++) x[k * 1024 + i] = k + i;
    float most = -1e30f, sum = 0;
    for (int k = 0; k < 12; k++) most = fmaxf(most, x[k * 1024 + i]);  // repeats-global
    for (int k = 0; k < 12; k++) sum += x[k * 1024 + i] = x[k * 1024 + i] - most;  // repeats-global
    for (int k = 0; k < 12; k++) x[k * 1024 + i] = x[k * 1024 + i] / sum;  // repeats-global
}

// A table in shared memory that a loop around barriers reads again.
__global__ void table_across_barriers(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float table[32], s[128];
    const int t = threadIdx.x;
    if (t < 32) table[t] = t;
    __syncthreads();
    float sum = 0;
    for (int turn = 0; turn < 4; turn++) {
        s[t] = x[turn * 128 + t];
        __syncthreads();
        sum += s[127 - t] * table[t % 32];
        __syncthreads();
    }
    y[t] = sum;
}

// Tiles whose rows all blocks read again: nothing of it is the compiler's to leave out.
__global__ void tiles_of_runtime_length(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float as[16][17], bs[16][17];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[y][x] = a[row * n + k0 + x];
        bs[y][x] = b[(k0 + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// A lambda's access in a fixed loop.
__global__ void by_a_lambda(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto element = [&](int k) { return x[k * 1024 + i]; };  // repeats-global
    float most = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < 12; k++) most = fmaxf(most, element(k));
#pragma unroll
    for (int k = 0; k < 12; k++) sum += element(k) - most;
    y[i] = sum;
}
