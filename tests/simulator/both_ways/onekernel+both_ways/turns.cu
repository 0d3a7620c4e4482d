// One turn of a loop, or the turn before, has loaded the same: unrolled, a loop loads it once.

// The first turn loads what the maximum begins with.
__global__ void first_again(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = x[i];
    for (int k = 0; k < 16; k++) most = fmaxf(most, x[k * 1024 + i]);  // repeats-global
    y[i] = most;
}

__global__ void first_again_of_runtime_length(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = x[i];
    for (int k = 0; k < n; k++) most = fmaxf(most, x[k * 1024 + i]);
    y[i] = most;
}

// One of the turns, the last or the first, has twice the same factor.
__global__ void down_by_do_while(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 8;
    float sum = 0;
    do {
        sum += x[--k * 1024 + i] * x[i];  // repeats-global
    } while (k);
    y[i] = sum;
}

__global__ void up_by_do_while(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 0;
    float sum = 0;
    do {
        sum += x[k * 1024 + i] * x[i];  // repeats-global
        k++;
    } while (k < 8);
    y[i] = sum;
}

__global__ void do_while_of_runtime_length(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 0;
    float sum = 0;
    do {
        sum += x[k * 1024 + i] * x[i];
        k++;
    } while (k < n);
    y[i] = sum;
}

__global__ void left_as_it_is(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) sum += x[k * 1024 + i] * x[i];
    y[i] = sum;
}

template <int N, typename F>
__device__ float folded(const float* x, int i, F f) {
    float out = 0;
    for (int k = 0; k < N; k++) out = f(out, x[k * 1024 + i]);  // repeats-global
    return out;
}

__global__ void folded_with_its_first(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float first = x[i];
    y[i] = folded<6>(x, i, [=](float sum, float v) { return sum + v * first; });
}

__global__ void window_with_its_second(const float* x, float* y) {
    __shared__ float s[136];
    const int t = threadIdx.x;
    s[t] = x[t];
    if (t < 8) s[128 + t] = x[128 + t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += s[t + k] * s[t + 1];  // repeats-shared
    y[t] = sum;
}

// Four turns of a loop of any length are unrolled, too. What is stored may change what is loaded, or is promised not to.
__global__ void rows_apart(const float* x, float* y, int n) {
    const int t = threadIdx.x;
    for (int k = 1; k < n; k++) y[k * 128 + t] = x[k * 128 + t] - x[(k - 1) * 128 + t];
}

__global__ void rows_apart_restrict(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int t = threadIdx.x;
    for (int k = 1; k < n; k++) y[k * 128 + t] = x[k * 128 + t] - x[(k - 1) * 128 + t];  // repeats-global
}
