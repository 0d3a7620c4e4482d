// Loops: what is unrolled, kept in registers and left out, for audits/agreement/others_run.py.

constexpr int kLength = 64;

// A dot product a thread, unrolled by four: neighbouring words of a row, b for all threads alike.
__global__ void rows_unrolled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < kLength; k++) sum += a[i * kLength + k] * b[k];
    y[i] = sum;
}

// The sum is kept in memory, which a and b may be part of.
__global__ void sum_in_memory(const float* a, const float* b, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < kLength; k++) y[i] += a[k * blockDim.x + threadIdx.x] * b[k];
}

// The same, and nothing else points to y.
__global__ void sum_in_memory_restrict(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < kLength; k++) y[i] += a[k * blockDim.x + threadIdx.x] * b[k];
}

// One scale for all turns of a loop that stores.
__global__ void scale_each_turn(const float* x, const float* scale, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * scale[0];
}

__global__ void scale_once(const float* __restrict__ x, const float* __restrict__ scale, float* __restrict__ y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * scale[0];
}

// Eight coefficients in shared memory, at fixed places.
__global__ void polynomial(const float* x, const float* coefficients, float* y) {
    __shared__ float c[8];
    if (threadIdx.x < 8) c[threadIdx.x] = coefficients[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i];
    y[i] = ((((((c[7] * v + c[6]) * v + c[5]) * v + c[4]) * v + c[3]) * v + c[2]) * v + c[1]) * v + c[0];
}

// The same element read before and behind a branch.
__global__ void read_again(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    if (v > 0) v += x[i ^ 1];
    if (i % 32 < 4) v += x[i];
    y[i] = v;
}
