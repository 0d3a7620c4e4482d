// Prints: 0 9801 328350
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/functional.h>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
int main() {
    thrust::device_vector<int> v(100);
    for (int i = 0; i < 100; i++) v[i] = 99 - i;
    thrust::sort(v.begin(), v.end());
    thrust::transform(v.begin(), v.end(), v.begin(), Square());
    printf("%d %d %d\n", (int)v[0], (int)v[99], thrust::reduce(v.begin(), v.end(), 0, thrust::plus<int>()));
}
