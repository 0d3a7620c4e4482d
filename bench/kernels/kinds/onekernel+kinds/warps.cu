// Warps with roles, and rows of a warp, for audits/agreement/others_run.py.

constexpr int kStage = 128;

// Four warps load the next stage while four sum up the last one; two buffers, a barrier a stage.
__global__ void roles(const float* x, float* y, int stages) {
    __shared__ float buffer[2][kStage];
    const int t = threadIdx.x, warp = t / 32;
    const float* mine = x + blockIdx.x * stages * kStage;
    float sum = 0;
    if (warp < 4) buffer[0][t] = mine[t];
    __syncthreads();
    for (int s = 0; s < stages; s++) {
        if (warp < 4) {
            if (s + 1 < stages) buffer[(s + 1) % 2][t] = mine[(s + 1) * kStage + t];
        } else {
            const int c = t - kStage;
            sum += buffer[s % 2][c] * buffer[s % 2][kStage - 1 - c];
        }
        __syncthreads();
    }
    if (warp >= 4) y[blockIdx.x * kStage + t - kStage] = sum;
}

// A warp a row, four floats a load.
__global__ void matvec_by_warps(const float* __restrict__ a, const float* __restrict__ v, float* __restrict__ y, int cols) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float4* mine = reinterpret_cast<const float4*>(a + row * cols);
    const float4* other = reinterpret_cast<const float4*>(v);
    float sum = 0;
    for (int k = lane; k < cols / 4; k += 32) {
        const float4 p = mine[k], q = other[k];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

// Lanes that leave a loop one after the other.
__global__ void ragged_rows(const int* lengths, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < lengths[i]; k++) sum += x[k * 1024 + i];
    y[i] = sum;
}

// A gather by an index that is itself loaded.
__global__ void gather(const float* x, const int* index, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[index[i] * 33 + i % 32];
}
