// Wrong: the output is half as long as the input.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/copy.h>
__global__ void twice(int* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }
int main() {
    thrust::device_vector<int> v(100, 1), w(50);
    thrust::copy(v.begin(), v.end(), w.begin());  // <- library-extent
    twice<<<1, 64>>>(thrust::raw_pointer_cast(w.data()), 50);
    cudaDeviceSynchronize();
    printf("%d\n", (int)w[0]);
}
