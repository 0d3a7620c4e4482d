// A product is added to an accumulator that nobody has set: what its registers held before is part of the sum.
// n: 256
#include <mma.h>
using namespace nvcuda;
__global__ void k(const float* x, float* y) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c, set;
    wmma::load_matrix_sync(a, x, 8);
    wmma::load_matrix_sync(b, x, 16);
    for (int i = 0; i < set.num_elements; i++) set.x[i] = 0.0f;
    wmma::mma_sync(set, a, b, set);
    wmma::mma_sync(c, a, b, c);  // <- unset-fragment
    wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y);
    return cudaGetLastError();
}
