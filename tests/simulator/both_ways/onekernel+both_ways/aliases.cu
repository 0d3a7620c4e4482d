// What __restrict__, volatile and stores in between leave to the compiler.

__global__ void twice_with_store(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
    y[i + 1024] = x[i] + 1;
}

__global__ void twice_with_store_restrict(const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
    y[i + 1024] = x[i] + 1;
}

__global__ void twice_volatile(const volatile float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + x[i];
}

// Volatile shared memory, as older reductions use it.
__global__ void volatile_tail(const float* x, float* y) {
    __shared__ volatile float s[64];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    for (int half = 32; half; half /= 2) {
        float sum = 0;
        if (t < half) sum = s[t] + s[t + half];
        __syncthreads();
        if (t < half) s[t] = sum;
        __syncthreads();
    }
    if (!t) y[blockIdx.x] = s[0];
}

// A sum kept in memory in a loop of 40 turns.
__global__ void sum_in_place(const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;  // repeats-global
    for (int k = 0; k < 40; k++) y[i] += x[k * 1024 + i];  // repeats-global
}

// Stored before it is known, and again when it is.
__global__ void stored_then_corrected(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    float sum = 0;
    for (int k = 0; k < 12; k++) sum += x[k * 1024 + i];
    y[i] = sum;  // repeats-global
}

// What was stored is loaded again.
__global__ void loaded_back(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * 2;
    y[i + 1024] = y[i] + 1;
}

__global__ void loaded_back_from_shared(const float* x, float* y) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = x[i];
    y[i + 1024] = s[t] * 2;
    __syncthreads();
    y[i] = s[127 - t];
}

// Lanes that each fill an array of their own from the same words.
__global__ void weights_of_all(const float* __restrict__ w, const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 0; row < 4; row++) {
        float sum = 0;
        for (int k = 0; k < 9; k++) sum += w[k] * x[(row + k) * 1024 + i];  // repeats-global
        y[row * 1024 + i] = sum;
    }
}
