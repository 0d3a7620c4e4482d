// Members, short vectors, halves.
#include <cuda_fp16.h>

struct alignas(16) Four {
    float v[4];
};
struct Pair {
    float x, y;
};
struct alignas(8) Mixed {
    short a, b;
    float c;
};
struct Body {
    float4 place;
    float2 speed;
    float mass, charge;
};

// An aligned struct of an array, member by member in a loop.
__global__ void aligned_array(const Four* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += x[i].v[k] * k;
    y[i] = sum;
}

extern "C" cudaError_t aligned_array_of_floats(const float* x, float* y) {
    aligned_array<<<8, 128>>>(reinterpret_cast<const Four*>(x), y);
    return cudaGetLastError();
}

// The same, stored in a loop.
__global__ void aligned_array_stored(const float* x, Four* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++) y[i].v[k] = x[k * 1024 + i];
}

extern "C" cudaError_t aligned_array_stored_to_floats(const float* x, float* y) {
    aligned_array_stored<<<8, 128>>>(x, reinterpret_cast<Four*>(y));
    return cudaGetLastError();
}

// Pairs that are aligned as floats are.
__global__ void pairs(const Pair* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i].x + x[i].y;  // merges-global
}

extern "C" cudaError_t pairs_of_floats(const float* x, float* y) {
    pairs<<<8, 128>>>(reinterpret_cast<const Pair*>(x), y);
    return cudaGetLastError();
}

__global__ void pairs_in_shared(const float* x, float* y) {
    __shared__ Pair s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t].x = x[i];
    s[t].y = x[i + 1024];  // merges-shared
    __syncthreads();
    y[i] = s[127 - t].x + s[127 - t].y;  // merges-shared
}

// Members of several sizes, all of them read.
__global__ void mixed_members(const int* raw, float* y) {
    __shared__ Mixed s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t].a = (short)raw[i];
    s[t].b = (short)(raw[i] + 1);  // merges-shared, narrows-global, repeats-global
    s[t].c = raw[i] * 0.5f;  // repeats-global
    __syncthreads();
    const Mixed& m = s[t ^ 3];
    y[i] = m.a + m.b * m.c;  // merges-shared
}

__global__ void bodies_step(Body* b, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = b[i].place.x * b[i].mass + b[i].speed.x * b[i].charge + b[i].place.w + b[i].speed.y;  // merges-global
    b[i].speed.x = 1;
    b[i].speed.y = 2;  // merges-global
}

extern "C" cudaError_t bodies_step_of_floats(float* b, float* y) {
    bodies_step<<<8, 128>>>(reinterpret_cast<Body*>(b), y);
    return cudaGetLastError();
}

// Eight halves a thread, one by one, in shared memory.
__global__ void eight_halves(const __half* x, float* y) {
    __shared__ __half s[1024];
    const int t = threadIdx.x;
    for (int k = t; k < 1024; k += 128) s[k] = x[k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += __half2float(s[8 * t + k]);  // merges-shared
    y[t] = sum;
}

// half2 as it is, and a row of four of them.
__global__ void halves_by_two(const __half* x, __half* y) {
    const __half2* from = reinterpret_cast<const __half2*>(x);
    __half2* to = reinterpret_cast<__half2*>(y);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = __hadd2(from[i], from[i]);  // repeats-global?
}

__global__ void halves_of_a_row(const __half* x, float* y) {
    __shared__ __half2 s[512];
    const int t = threadIdx.x;
    for (int k = t; k < 512; k += 128) s[k] = reinterpret_cast<const __half2*>(x)[k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += __low2float(s[4 * t + k]) + __high2float(s[4 * t + k]);  // merges-shared, repeats-shared?
    y[t] = sum;
}

// A float4 made of four loads, and one taken apart.
__global__ void taken_apart(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    y[4 * i] = v.x;
    y[4 * i + 1] = v.y;  // merges-global
    y[4 * i + 2] = v.z;
    y[4 * i + 3] = v.w;  // merges-global
}

__global__ void one_component(const float* x, float* y) {
    const float4* v = reinterpret_cast<const float4*>(x);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = v[i].x + v[i].z;
}

// A vector indexed as an array.
__global__ void vector_as_array(const float* x, float* y) {
    const float4* v = reinterpret_cast<const float4*>(x);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += (&v[i].x)[k];
    y[i] = sum;
}

// Twelve bytes in shared memory, whole and by member.
__global__ void threes_in_shared(const float* x, float* y) {
    __shared__ float3 s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = make_float3(x[i], x[i + 1024], x[i + 2048]);
    __syncthreads();
    const float3 v = s[127 - t];
    y[i] = v.x + v.y * v.z;
}

// Bytes of a tile, sixteen a thread.
__global__ void bytes_of_a_tile(const unsigned char* x, float* y) {
    __shared__ unsigned char s[2048];
    const int t = threadIdx.x;
    for (int k = t; k < 2048; k += 128) s[k] = x[k];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 16; k++) sum += s[16 * t + k];  // merges-shared
    y[t] = sum;
}

// Doubles, two a thread.
__global__ void doubles_by_two(const double* x, double* y) {
    __shared__ double s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    s[t + 128] = x[t + 128];
    __syncthreads();
    y[t] = s[2 * t] + s[2 * t + 1];  // merges-shared
}
