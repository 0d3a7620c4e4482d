// Arrays of a thread's own, and of members, whose end an index passes: one case by the number that is given; from 101 on,
// right ones that look like them.
#include <cstdio>
#include <cstdlib>

constexpr int kEach = 4;
constexpr int kHigh = 2;
__constant__ float weight[2][3] = {{1, 1, 1}, {1, 1, 1}};
struct Best {
    float value[4];
    float sum;
};
union Four {
    float4 whole;
    float each[4];
};

__global__ void overrun(const float* in, float* out, int n) {
    float kept[8];
    for (int i = 0; i < n; i++) kept[i] = in[i];  // <- 1:array-bounds
    out[threadIdx.x] = kept[threadIdx.x % 8];
}

__global__ void one_past(const float* in, float* out) {
    float kept[kEach];
#pragma unroll
    for (int i = 0; i <= kEach; i++) kept[i] = in[(threadIdx.x + i) % 64];  // <- 2:array-bounds
    out[threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3];
}

__global__ void in_struct(const float* in, float* out, int n) {
    Best best{};
    for (int i = 0; i < n; i++) best.value[i] = in[i];  // <- 3:array-bounds
    out[threadIdx.x] = best.value[0] + best.sum;
}

template <int N>
__device__ float sum(const float (&v)[N], int n) {
    float total = 0;
    for (int i = 0; i < n; i++) total += v[i];  // <- 4:array-bounds
    return total;
}
__global__ void by_reference(const float* in, float* out, int n) {
    float own[3] = {in[0], in[1], in[2]};
    out[threadIdx.x] = sum(own, n);
}

// Shared arrays of as many elements as the thread's own one, in the same line.
__global__ void beside_shared(const float* in, float* out, int n) {
    __shared__ float tile[8][4];
    __shared__ float row[4];
    float sums[4] = {};
    if (threadIdx.x < 32) tile[threadIdx.x / 4][threadIdx.x % 4] = in[threadIdx.x];
    if (threadIdx.x < 4) row[threadIdx.x] = 1;
    __syncthreads();
    for (int i = 0; i < 4; i++) sums[i] += tile[threadIdx.x / 8][i] * row[i];
    out[threadIdx.x] = sums[n] + tile[n + 1][2] + sums[1];  // <- 5:array-bounds
}

// The loop keeps r within the rows and j within no row.
__global__ void transposed(const float* in, float* out) {
    float sums[kHigh][kEach] = {};
    for (int r = 0; r < kEach; r++)
        for (int j = 0; j < kHigh; j++) sums[r][j] += in[r];  // <- 6:array-bounds
    out[threadIdx.x] = sums[0][0];
}

// A variable that its loop changes, and an offset that the extent has not.
__global__ void changed(const float* in, float* out) {
    float kept[kEach] = {};
    for (int i = 0; i < kEach; i++) {
        i += 2;
        kept[i] = in[i];  // <- 7:array-bounds
    }
    out[threadIdx.x] = kept[0];
}
__global__ void offset(const float* in, float* out) {
    float kept[kHigh * kEach] = {};
    for (int r = 0; r < kHigh; r++)
        for (int j = 0; j < kEach; j++) kept[r * kEach + j + 1] = in[j];  // <- 8:array-bounds
    out[threadIdx.x] = kept[0];
}

// By a pointer, which tells no extent, over the way back out of the kernel.
__global__ void by_pointer(const float* in, float* out) {
    float kept[8], *to = kept;
    for (int i = 0; i < 24; i++) to[i] = in[i];
    out[threadIdx.x] = kept[threadIdx.x % 8];
}  // <- 9:crash

// In a template, where the line has another subscript, of an array that is as long.
template <int N>
__global__ void scaled(const float* in, float* out, int n) {
    float v[N] = {}, factor[N] = {};
    for (int i = 0; i < n; i++) v[i] += factor[i % N] * in[i];  // <- 10:array-bounds
    out[threadIdx.x] = v[0];
}

// Arrays of arrays that are walked as one, from their first row on; the address behind an array's last element; a union
// whose array is as long as the other member; extern shared memory.
__device__ float total(const float* from, const float* to) {
    float sum = 0;
    for (; from != to; ++from) sum += *from;
    return sum;
}
__global__ void flat_rows(const float* in, float* out) {
    extern __shared__ float dynamic[];
    __shared__ float tile[4][16];
    float own[2][4], last[8];
    Four four;
    tile[0][threadIdx.x] = in[threadIdx.x];
    dynamic[threadIdx.x] = 1.0f;
    for (int i = 0; i < 8; i++) own[0][i] = last[i] = 1.0f;
    for (int i = 0; i < 4; i++) four.each[i] = 0.0f;
    __syncthreads();
    float factor = 0.0f;
    for (int i = 0; i < 6; i++) factor += weight[0][i];
    out[threadIdx.x] = tile[threadIdx.x / 16][threadIdx.x % 16] * factor * dynamic[63 - threadIdx.x] +
                       total(last, &last[8]) - own[0][threadIdx.x % 8] * 8 + four.whole.x;
}
// What loops prove: several dimensions, sums of products, a test beside the end, a step of two, vectors and pointers.
__global__ void proven(const float* in, float* out, int n) {
    float sums[kHigh][kEach] = {}, flat[kHigh * kEach], pair[2 * kHigh];
    float4 fours[kHigh];
    const float* rows[kHigh];
    for (int r = 0; r < kHigh; r++) {
        rows[r] = in + r * kEach;
        fours[r] = make_float4(1, 2, 3, 4);
#pragma unroll
        for (int j = 0; j < kEach && j < n; ++j) sums[r][j] += rows[r][j] * fours[r].y, flat[r * kEach + j] = sums[r][j];
    }
    for (int i = 0; i < 2 * kHigh; i += 2) pair[i] = flat[i], pair[i + 1 < 2 * kHigh ? i + 1 : i] = 0;
    out[threadIdx.x] = pair[0] + flat[7];
}

int main(int argc, char** argv) {
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    float h[64], *x, *y;
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    if (which == 1) overrun<<<1, 64>>>(x, y, 64);
    if (which == 2) one_past<<<1, 64>>>(x, y);
    if (which == 3) in_struct<<<1, 64>>>(x, y, 5);
    if (which == 4) by_reference<<<1, 64>>>(x, y, 4);
    if (which == 5) beside_shared<<<1, 64>>>(x, y, -1);
    if (which == 6) transposed<<<1, 64>>>(x, y);
    if (which == 7) changed<<<1, 64>>>(x, y);
    if (which == 8) offset<<<1, 64>>>(x, y);
    if (which == 9) by_pointer<<<1, 64>>>(x, y);
    if (which == 10) scaled<4><<<1, 64>>>(x, y, 5);
    if (which == 101) flat_rows<<<1, 64, sizeof h>>>(x, y);
    if (which == 102) proven<<<1, 64>>>(x, y, 4);
    cudaDeviceSynchronize();
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", which > 100 ? h[3] : 0.0f);
    cudaFree(x);
    cudaFree(y);
}
