// Wrong: grid.sync() in an ordinary launch.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void dot(const float* a, const float* b, float* part, float* out, int n) {
    cg::grid_group grid = cg::this_grid(); cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ float s[32];
    float v = 0;
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) v += a[i] * b[i];
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? s[warp.thread_rank()] : 0;
        v = cg::reduce(warp, v, cg::plus<float>());
        if (block.thread_rank() == 0) part[blockIdx.x] = v;
    }
    grid.sync();  // <- bad-launch
    if (grid.thread_rank() == 0) { float t = 0; for (int i = 0; i < gridDim.x; i++) t += part[i]; *out = t; }
}
int main() {
    int n = 5000; float *a, *b, *p, *o, *h = (float*)malloc(n * 4), r;
    for (int i = 0; i < n; i++) h[i] = 1;
    CHECK(cudaMalloc(&a, n * 4)); CHECK(cudaMalloc(&b, n * 4)); CHECK(cudaMalloc(&p, 8 * 4)); CHECK(cudaMalloc(&o, 4));
    CHECK(cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(b, h, n * 4, cudaMemcpyHostToDevice));
    void* args[] = {&a, &b, &p, &o, &n};
    (void)args; dot<<<8, 128>>>(a, b, p, o, n);
    CHECK(cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost));
    printf("%g\n", r);
    cudaFree(a); cudaFree(b); cudaFree(p); cudaFree(o); free(h);
}
