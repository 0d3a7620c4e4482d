// Structs of twelve bytes, copied and set by the last thread beyond the end.
// n: 96
struct Point { float x, y, z; };
__global__ void k(const Point* in, Point* out) {
    int t = threadIdx.x;
    __shared__ Point tile[32];
    memcpy(&tile[t], in + t + 1, sizeof(Point));  // <- out-of-bounds-read x
    memcpy(out + t + 1, &tile[t], sizeof(Point));  // <- out-of-bounds-write y
    __syncwarp();
    memset(tile + t + 1, 0, sizeof(Point));  // <- out-of-bounds-shared-write tile
    __syncwarp();
    memset(out + t + 1, 0, 4 * sizeof(Point));  // <- out-of-bounds-write y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(reinterpret_cast<const Point*>(x), reinterpret_cast<Point*>(y));
    return cudaGetLastError();
}
