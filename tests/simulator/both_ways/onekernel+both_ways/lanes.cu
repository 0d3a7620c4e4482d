// Lanes that part: predicates, branches, loops of a length of each lane.

__global__ void guarded(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    if (i < n) v = x[i];
    if (i < n && v > 0) v += x[i + 1024];
    if (i < n) y[i] = v;
}

// One of two places: one load of a chosen address.
__global__ void chosen_place(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = i % 32 < 8 ? x[i] : x[i + 1024];  // apart-global
}

// The same load at the end of both branches.
__global__ void both_branches(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v;
    if (i % 2) v = x[i] * 3;
    else v = x[i] + 3;  // apart-global
    y[i] = v;
}

// Three ways and a store at the end of each.
__global__ void three_ways(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (i % 3) {
    case 0: y[i] = x[i]; break;
    case 1: y[i] = x[i] * 2; break;  // apart-global
    default: y[i] = 0;  // apart-global
    }
}

// A search of a length of each lane.
__global__ void search(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 0;
    while (k < 16 && x[k * 1024 + i] < 1) k++;
    y[i] = k;
}

// Triangular: lane i reads i elements.
__global__ void triangle(const float* x, float* y) {
    const int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= t; k++) sum += x[k];
    y[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void left_early(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    if (v < 0) {
        y[i] = 0;
        return;
    }
    y[i] = v * x[i + 1024];  // apart-global
}

// A histogram in shared memory, one for each warp, added at the end.
__global__ void histogram(const int* x, int* bins) {
    __shared__ int own[4][64];
    const int t = threadIdx.x;
    for (int k = t; k < 256; k += 128) own[k / 64][k % 64] = 0;
    __syncthreads();
    for (int k = t; k < 1024; k += 128) atomicAdd(&own[t / 32][x[blockIdx.x * 1024 + k]], 1);
    __syncthreads();
    if (t < 64) {
        int sum = 0;
        for (int w = 0; w < 4; w++) sum += own[w][t];
        atomicAdd(bins + t, sum);
    }
}

// Bins of each thread's own, in bytes.
__global__ void bins_of_each_thread(const int* x, int* y) {
    __shared__ unsigned char own[16 * 64];
    const int t = threadIdx.x;
    for (int b = 0; b < 16; b++) own[b * 64 + t] = 0;
    for (int k = 0; k < 16; k++) own[x[k * 64 + t] % 16 * 64 + t]++;
    __syncthreads();
    int sum = 0;
    if (t < 16) {
        for (int k = 0; k < 64; k++) sum += own[t * 64 + k];  // merges-shared
        y[t] = sum;
    }
}

// A branch in a loop that stores in one of its ways.
__global__ void compacted(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = 0;
    for (int k = 0; k < 8; k++) {
        const float v = x[k * 1024 + i];  // apart-global
        if (v > 0) y[at++ * 1024 + i] = v;
    }
}

// A stencil whose edge is another branch.
__global__ void edges(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float left = i ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0;
    y[i] = left + x[i] + right;
}

// Whatever the branch, the element is read.
__global__ void read_in_each_part(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    if (i % 4 == 0) v = x[i];
    if (i % 4 == 1) v = 2 * x[i];  // apart-global
    if (i % 4 >= 2) v = 3 * x[i];  // apart-global
    y[i] = v;
}

// One of two numbers, of the last of three conditions: of those before it, each lane loads what it needs.
__global__ void one_or_nothing(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (x[i] > 0 && x[i + 1024] > 0) || x[i + 2048] > 0 ? 1.0f : 0.0f;
}
