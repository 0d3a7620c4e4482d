// Scans, loads, stores and sorts of CUB as its examples use them, on a block of 100 threads; each counts what is wrong.
// n: 290
// Result: np.arange(289, -1, -1)
#include <cub/cub.cuh>
struct Running {
    int total;
    __device__ int operator()(int of_block) {
        const int before = total;
        total += of_block;
        return before;
    }
};
__global__ void k(float* out, int n) {
    using Scan = cub::BlockScan<int, 100>;
    using Load = cub::BlockLoad<float, 100, 3, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<float, 100, 3, cub::BLOCK_STORE_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<float, 100, 3, int>;
    __shared__ union {
        Scan::TempStorage scan;
        Load::TempStorage load;
        Store::TempStorage store;
        Sort::TempStorage sort;
    } storage;
    const int t = threadIdx.x;
    int wrong = 0, one, all;
    Scan(storage.scan).ExclusiveSum(t, one, all);
    wrong += one != t * (t - 1) / 2 || all != 4950;
    __syncthreads();
    Scan(storage.scan).InclusiveScan(t ^ 1, one, cuda::maximum<>());
    wrong += one != (t & ~1) + 1;
    __syncthreads();
    Running running{7};
    Scan(storage.scan).ExclusiveSum(1, one, running);
    wrong += one != 7 + t;
    __syncthreads();
    int pair[2] = {t, 1}, sums[2];
    Scan(storage.scan).InclusiveSum(pair, sums);
    wrong += sums[0] != t * (t + 1) / 2 + t || sums[1] != sums[0] + 1;
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(pair, sums);
    wrong += sums[0] != t * (t - 1) / 2 + t || sums[1] != sums[0] + t;
    if (t < 32) {
        cub::WarpScan<int, 8>::TempStorage none;
        cub::WarpScan<int, 8>(none).ExclusiveSum(t, one, all);
        const int first = t / 8 * 8, lane = t % 8;
        wrong += one != first * lane + lane * (lane - 1) / 2 || all != 8 * first + 28;
    }
    for (int i = t; i < n; i += 100) out[i] = i * 7 % n;
    __syncthreads();
    float items[3];
    int places[3];
    Load(storage.load).Load(out, items, n, -1.0f);
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        places[i] = t * 3 + i;
        wrong += items[i] != (places[i] < n ? places[i] * 7 % n : -1);
    }
    Sort(storage.sort).SortDescending(items, places);
    __syncthreads();
    for (int i = 0; i < 3; ++i) wrong += items[i] != (places[i] < n ? places[i] * 7 % n : -1);
    Store(storage.store).Store(out, items, n);
    if (wrong) out[0] = -1;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 100, 0, stream>>>(y, static_cast<int>(n));
    return cudaGetLastError();
}
