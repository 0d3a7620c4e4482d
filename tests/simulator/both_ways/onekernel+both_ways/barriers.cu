// Loads that may be hoisted or left out across barriers, shuffles and stores.

// One factor a turn, with a barrier in each: a load that nothing can change is made once.
__global__ void factor_across_barriers(const float* __restrict__ x, const float* __restrict__ f, float* __restrict__ y) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float sum = 0;
    for (int turn = 0; turn < 8; turn++) {
        s[t] = x[turn * 1024 + i];
        __syncthreads();
        sum += s[127 - t] * f[0];  // repeats-global
        __syncthreads();
    }
    y[i] = sum;
}

// The same where y may be f.
__global__ void factor_across_barriers_aliased(const float* x, const float* f, float* y) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float sum = 0;
    for (int turn = 0; turn < 8; turn++) {
        s[t] = x[turn * 1024 + i];
        __syncthreads();
        sum += s[127 - t] * f[0];
        __syncthreads();
    }
    y[i] = sum;
}

// With __ldg the programmer says that nothing changes it.
__global__ void factor_by_ldg(const float* x, const float* f, float* y) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float sum = 0;
    for (int turn = 0; turn < 8; turn++) {
        s[t] = x[turn * 1024 + i];
        __syncthreads();
        sum += s[127 - t] * __ldg(f + t % 4);  // repeats-global
        __syncthreads();
    }
    y[i] = sum;
}

// An n-body step: positions of a tile through shared memory, each thread's own position read again in each turn.
__global__ void bodies(const float4* __restrict__ p, float* __restrict__ y) {
    __shared__ float4 s[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float sum = 0;
    for (int tile = 0; tile < 4; tile++) {
        s[t] = p[tile * 64 + t];
        __syncthreads();
        for (int k = 0; k < 64; k++) sum += (s[k].x - p[i].x) * (s[k].y - p[i].y) + s[k].w;  // merges-global, merges-shared, repeats-global
        __syncthreads();
    }
    y[i] = sum;
}

extern "C" cudaError_t bodies_of_floats(const float* p, float* y) {
    bodies<<<4, 64>>>(reinterpret_cast<const float4*>(p), y);
    return cudaGetLastError();
}

// A factor that is read again behind each shuffle.
__global__ void factor_across_shuffles(const float* x, const float* f, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
    for (int apart = 16; apart; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart) * f[0];  // repeats-global
    y[i] = sum;
}

// A word of shared memory that is read again behind each shuffle.
__global__ void shared_across_shuffles(const float* x, float* y) {
    __shared__ float s[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4) s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum = x[i];
    for (int apart = 16; apart; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart) * s[1];  // repeats-shared
    y[i] = sum;
}

// A word of shared memory that is read again behind a barrier: another thread may have changed it.
__global__ void shared_across_barriers(const float* x, float* y) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = x[i];
    __syncthreads();
    float sum = s[t ^ 1];
    __syncthreads();
    sum += s[t ^ 1];
    y[i] = sum;
}

// The vote of a warp between two loads of the same element.
__global__ void again_behind_a_vote(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool any = __any_sync(0xffffffffu, x[i] > 2.5f);
    y[i] = any ? x[i] : x[i] + 1;  // repeats-global
}

// An atomic between two loads that may alias, and one between two that cannot.
__global__ void around_an_atomic(const float* __restrict__ x, int* __restrict__ bins, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int bin = x[i] > 0;
    atomicAdd(bins + bin, 1);
    y[i] = x[i] * 2;  // repeats-global
}

__global__ void around_an_atomic_aliased(const float* x, int* bins, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int bin = x[i] > 0;
    atomicAdd(bins + bin, 1);
    y[i] = x[i] * 2;  // repeats-global
}

// A fence between two loads.
__global__ void around_a_fence(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float first = x[i];
    __threadfence_block();
    y[i] = first + x[i];  // repeats-global
}
