// Wrong: no guard.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void mandel(unsigned char* img, int w, int h, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    
    float cx = -2 + 3.f * x / w, cy = -1.2f + 2.4f * y / h, a = 0, b = 0; int k = 0;
    while (a * a + b * b < 4 && k < most) { float t = a * a - b * b + cx; b = 2 * a * b + cy; a = t; k++; }
    img[y * w + x] = k == most ? '#' : '.';  // <- out-of-bounds-write
}
int main() {
    const int w = 60, h = 24; unsigned char *d, img[w * h];
    CHECK(cudaMalloc((void**)&d, w * h));
    dim3 b(16, 16), g((w + b.x - 1) / b.x, (h + b.y - 1) / b.y);
    mandel<<<g, b>>>(d, w, h, 100);
    CHECK(cudaMemcpy(img, d, w * h, cudaMemcpyDeviceToHost));
    int in = 0; for (unsigned char c : img) in += c == '#';
    printf("inside %s\n", in > 200 && in < 500 ? "plausible" : "no");
    cudaFree(d);
}
