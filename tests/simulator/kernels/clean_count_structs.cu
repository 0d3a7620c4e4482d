// Three floats a point, read one member at a time: each request spans 384 bytes = 12 sectors.
// n: 96
// Result: np.repeat(x.reshape(32, 3)[:, 0] + x.reshape(32, 3)[:, 2], 3).astype(np.float32)
struct Point { float x, y, z; };
__global__ void k(const float* in, float* out) {
    const Point* points = reinterpret_cast<const Point*>(in);
    int t = threadIdx.x;
    float first = points[t].x;  // = load_requests 1, load_sectors 12
    float v = first + points[t].z;  // = load_requests 1, load_sectors 12
    for (int i = 0; i < 3; i++) out[t + 32 * i] = 0.0f;  // = store_requests 3, store_sectors 12
    __syncwarp();
    for (int i = 0; i < 3; i++) out[3 * t + i] = v;  // = store_requests 3, store_sectors 36
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
