// Values that are loaded before what alone uses them: a branch, a loop, what follows a branch that leaves.

__global__ void before_return(const float* x, const int* keep, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i];  // early-global
    if (keep[i / 32] < 32) return;
    y[i] = v;
}

// A whole warp leaves, at a condition that loads nothing.
__global__ void before_return_of_a_warp(const float* x, const float* w, float* y, int warps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = w[blockIdx.x];  // early-global
    if (threadIdx.x / 32 >= warps) return;
    y[i] = x[i] * factor;
}

// The last of four warps has no turn.
__global__ void before_loop(const float* x, const float* w, float* y, int n) {
    const float factor = w[blockIdx.x];  // early-global
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * 128 + i] = x[blockIdx.x * 128 + i] * factor;
}

// The same, of shared memory and into a lambda.
__global__ void before_loop_of_a_lambda(const float* x, float* y, int n) {
    __shared__ float shared;
    if (threadIdx.x == 0) shared = x[blockIdx.x];
    __syncthreads();
    auto each = [&](auto f) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
    };
    const float factor = shared;  // early-shared
    each([&](int i) {
        y[blockIdx.x * 128 + i] = x[blockIdx.x * 128 + i] * factor;
    });
}

// All warps have turns: nothing can wait for long.
__global__ void before_loop_of_all(const float* x, const float* w, float* y, int n) {
    const float factor = w[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * 128 + i] = x[blockIdx.x * 128 + i] * factor;
}

__global__ void operand(const float* a, const float* b, const int* keep, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float u = a[i], v = b[i];  // early-global
    y[i] = keep[i / 32] > 31 ? u : v;
}

__global__ void either_branch(const float* a, const float* b, const int* keep, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float u = a[i], v = b[i];  // early-global
    if (keep[i / 32] > 31) y[i] = expf(u);
    else y[i] = logf(v);
}

// Used in both branches: no compiler makes two loads of one.
__global__ void both_branches_use(const float* a, const int* keep, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float u = a[i];
    if (keep[i / 32] > 31) y[i] = expf(u);
    else y[i + 1024] = logf(u);
}

// In turns: g++ loads in the branch, as nvcc does, and clang before it.
__global__ void branch_of_a_turn(const float* x, const int* keep, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        const float v = x[k * 1024 + i];  // early-global
        if (keep[k * 32 + i / 32] > 31) sum += v * v + expf(v);
    }
    y[i] = sum;
}

__global__ void rest_of_a_turn(const float* x, const int* keep, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        const float v = x[k * 1024 + i];  // early-global
        if (keep[k * 32 + i / 32] < 32) continue;
        sum += expf(v);
    }
    y[i] = sum;
}

// A barrier, or what lanes do together, keeps it where it is.
__global__ void held_by_a_barrier(const float* x, const int* keep, float* y) {
    __shared__ float tile[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = x[i];
    __syncthreads();
    const float v = tile[127 - t];
    __syncthreads();
    float sum = x[i];
    for (int far = 16; far; far /= 2) sum += __shfl_xor_sync(~0u, sum, far);
    if (keep[i / 32] < 32) return;
    y[i] = v + sum;
}
