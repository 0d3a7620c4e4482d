// Prints: momentum kept
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct Body { float4 p; float3 v; };
__global__ void forces(const float4* p, float3* a, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
    float3 s = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = t + threadIdx.x < n ? p[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float3 r = make_float3(tile[k].x - me.x, tile[k].y - me.y, tile[k].z - me.z);
            float d = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + 1e-3f), f = tile[k].w * d * d * d;
            s.x += f * r.x; s.y += f * r.y; s.z += f * r.z;
        }
        __syncthreads();
    }
    if (i < n) a[i] = s;
}
int main() {
    const int n = 200; float4 h[n]; float3 r[n];
    for (int i = 0; i < n; i++) h[i] = make_float4(cosf(i), sinf(i), i * 0.01f, 1);
    float4* p; float3* a;
    CHECK(cudaMalloc(&p, sizeof h)); CHECK(cudaMalloc(&a, sizeof r));
    CHECK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    forces<<<(n + 63) / 64, 64, 64 * sizeof(float4)>>>(p, a, n);
    CHECK(cudaMemcpy(r, a, sizeof r, cudaMemcpyDeviceToHost));
    double s = 0; for (auto& v : r) s += v.x + v.y + v.z;
    printf("momentum %s\n", fabs(s) < 1 ? "kept" : "lost");
    cudaFree(p); cudaFree(a);
}
