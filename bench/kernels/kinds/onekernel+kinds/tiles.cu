// Tiles and stencils, for audits/agreement/others_run.py: which loads and stores nvcc makes of them.

constexpr int kReach = 4, kSide = 16, kHalo = 2, kWide = kSide + 2 * kHalo;

// A block's 128 elements with four neighbours on each side, in shared memory; nine products a thread.
__global__ void conv1d_tiled(const float* x, const float* weights, float* y, int n) {
    __shared__ float tile[128 + 2 * kReach];
    const int i = blockIdx.x * 128 + threadIdx.x;
    for (int t = threadIdx.x; t < 128 + 2 * kReach; t += 128) {
        const int from = blockIdx.x * 128 + t - kReach;
        tile[t] = from >= 0 && from < n ? x[from] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * kReach; k++) sum += weights[k] * tile[threadIdx.x + k];
    if (i < n) y[i] = sum;
}

// 16 x 16 outputs of a block, 20 x 20 inputs.
__global__ void conv2d_tiled(const float* __restrict__ x, const float* __restrict__ weights, float* __restrict__ y,
                             int rows, int cols) {
    __shared__ float tile[kWide][kWide];
    const int first_row = blockIdx.y * kSide - kHalo, first_col = blockIdx.x * kSide - kHalo;
    for (int t = threadIdx.y * kSide + threadIdx.x; t < kWide * kWide; t += kSide * kSide) {
        const int row = first_row + t / kWide, col = first_col + t % kWide;
        tile[t / kWide][t % kWide] = row >= 0 && row < rows && col >= 0 && col < cols ? x[row * cols + col] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int r = 0; r <= 2 * kHalo; r++)
        for (int c = 0; c <= 2 * kHalo; c++)
            sum += weights[r * (2 * kHalo + 1) + c] * tile[threadIdx.y + r][threadIdx.x + c];
    y[(first_row + kHalo + threadIdx.y) * cols + first_col + kHalo + threadIdx.x] = sum;
}

// 32 x 32 elements, 32 x 8 threads; a column's words lie in 32 banks because each row is shuffled by its number.
__global__ void transpose_swizzled(const float* x, float* y, int rows, int cols) {
    __shared__ float tile[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int r = ty; r < 32; r += 8) tile[r][tx ^ r] = x[(blockIdx.y * 32 + r) * cols + blockIdx.x * 32 + tx];
    __syncthreads();
    for (int r = ty; r < 32; r += 8) y[(blockIdx.x * 32 + r) * rows + blockIdx.y * 32 + tx] = tile[tx][r ^ tx];
}

// Seven points in three dimensions: a block walks through the planes, the column's neighbours in registers.
__global__ void stencil_planes(const float* x, float* y, int depth, int rows, int cols) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row == 0 || row >= rows - 1 || col == 0 || col >= cols - 1) return;
    const int plane = rows * cols, here = row * cols + col;
    float below = x[here], middle = x[here + plane];
    for (int z = 1; z < depth - 1; z++) {
        const float above = x[here + (z + 1) * plane];
        const int at = here + z * plane;
        y[at] = below + above + x[at - 1] + x[at + 1] + x[at - cols] + x[at + cols] - 6 * middle;
        below = middle;
        middle = above;
    }
}

// Four neighbouring outputs a thread: what two of them read is loaded once where nothing forbids it.
__global__ void stencil_four(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + k < n - 1) y[first + k] = x[first + k - 1] - 2 * x[first + k] + x[first + k + 1];
}

// The same, and a store may change what is read next.
__global__ void stencil_four_aliased(const float* x, float* y, int n) {
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + k < n - 1) y[first + k] = x[first + k - 1] - 2 * x[first + k] + x[first + k + 1];
}
