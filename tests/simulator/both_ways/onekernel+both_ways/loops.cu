// Loops that NVIDIA's compiler unrolls, merges or empties.

constexpr int kEach = 16;

// A tile of four floats a thread, read in a loop: one access of 16 bytes.
__global__ void four_of_a_tile(const float* x, float* y) {
    __shared__ float tile[512];
    const int t = threadIdx.x;
    for (int k = t; k < 512; k += 128) tile[k] = x[blockIdx.x * 512 + k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += tile[4 * t + k] * (k + 1);  // merges-shared
    y[blockIdx.x * 128 + t] = sum;
}

// Two loops of a fixed length over the same elements: the second needs no load.
__global__ void maximum_then_sum(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = x[i], sum = 0;
    for (int k = 1; k < kEach; k++) most = fmaxf(most, x[k * 1024 + i]);
    for (int k = 0; k < kEach; k++) sum += x[k * 1024 + i] - most;  // repeats-global
    y[i] = sum;
}

// The same in shared memory.
__global__ void shared_maximum_then_sum(const float* x, float* y) {
    __shared__ float s[kEach][129];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = 0; k < kEach; k++) s[k][t] = x[k * 1024 + i];
    __syncthreads();
    float most = s[0][t], sum = 0;
    for (int k = 1; k < kEach; k++) most = fmaxf(most, s[k][t ^ 1]);
    for (int k = 0; k < kEach; k++) sum += s[k][t ^ 1] - most;  // repeats-shared
    y[i] = sum;
}

// A register tile of 8 x 8: of each operand neighbours lie a whole inner loop apart.
__global__ void register_tile(const float* a, const float* b, float* c) {
    __shared__ float as[64][8], bs[8][64];
    const int t = threadIdx.x, row = t / 8 * 8, col = t % 8 * 8;
    for (int k = t; k < 512; k += 64) {
        as[k / 8][k % 8] = a[k];
        bs[k / 64][k % 64] = b[k];
    }
    __syncthreads();
    float sum[8][8] = {};
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) sum[i][j] += as[row + i][k] * bs[k][col + j];  // merges-shared, repeats-shared
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) c[(row + i) * 64 + col + j] = sum[i][j];
}

// A tile in registers whose operands are read into registers first.
__global__ void register_tile_kept(const float* a, const float* b, float* c) {
    __shared__ float as[64 * 8], bs[8 * 64];
    const int t = threadIdx.x, row = t / 8 * 8, col = t % 8 * 8;
    for (int k = t; k < 512; k += 64) {
        as[k] = a[k];
        bs[k] = b[k];
    }
    __syncthreads();
    float sum[8][8] = {}, left[8], right[8];
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < 8; i++) left[i] = as[(row + i) * 8 + k];  // merges-shared
        for (int j = 0; j < 8; j++) right[j] = bs[k * 64 + col + j];  // merges-shared
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) sum[i][j] += left[i] * right[j];
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) c[(row + i) * 64 + col + j] = sum[i][j];
}

// A loop whose length is an argument: what is left over is done apart.
__global__ void unknown_length(const float* x, float* y, int n) {
    __shared__ float s[1024];
    const int t = threadIdx.x;
    for (int k = t; k < 1024; k += 128) s[k] = x[k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < n; k++) sum += s[8 * (t % 32) + k];  // merges-shared
    y[t] = sum;
}

// Where a row begins in shared memory no vector may begin.
__global__ void uneven_rows_of_a_tile(const float* x, float* y) {
    __shared__ float s[32][33];
    const int t = threadIdx.x;
    for (int k = 0; k < 32; k++) s[k][t] = x[k * 32 + t];
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += s[t][k];
    y[t] = sum;
}

// A row's elements read by loops of a runtime length, twice.
__global__ void two_walks(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1e30f, sum = 0;
    for (int k = 0; k < n; k++) most = fmaxf(most, x[k * 1024 + i]);
    for (int k = 0; k < n; k++) sum += x[k * 1024 + i] - most;
    y[i] = sum;
}

// A loop in a loop, and one factor for each outer turn behind more loads than are compared.
__global__ void factor_of_each_turn(const float* __restrict__ x, const float* __restrict__ f, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int turn = 0; turn < 8; turn++) {
        sum *= f[0];
        for (int k = 0; k < 70; k++) sum += x[(turn * 70 + k) * 128 + threadIdx.x];
    }
    y[i] = sum;
}
