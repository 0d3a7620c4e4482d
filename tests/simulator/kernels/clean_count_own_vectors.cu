// A learner's own vectors of 16 bytes: one that is aligned to 16 moves in one access, one that is aligned to 4 word by word.
// n: 256
// compiler: g++
// Result: np.concatenate([x[:128] + 1, x[128:] + 1])
struct alignas(16) Pack {
    float v[4];
};
struct Loose {
    float x, y, z, w;
};
__global__ void k(const Pack* in, Pack* out) {
    Pack p = in[threadIdx.x];  // = load_requests 1, load_sectors 16
    for (float& v : p.v) v += 1;
    out[threadIdx.x] = p;  // = store_requests 1, store_sectors 16
}
__global__ void l(const Loose* in, Loose* out) {
    Loose q = in[threadIdx.x];
    q.x += 1, q.y += 1, q.z += 1, q.w += 1;
    out[threadIdx.x] = q;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>((const Pack*)x, (Pack*)y);
    l<<<1, 32, 0, stream>>>((const Loose*)(x + 128), (Loose*)(y + 128));
    return cudaGetLastError();
}
