// A struct of 16 bytes whose address 8 must divide: it lies behind one double, and nvcc moves it by two accesses.
// n: 64
// Result: 2 * x
struct Pair {
    double u, v;
};
struct Row {
    double before;
    Pair pair;
};
__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ Row rows[32];
    const int t = threadIdx.x;
    for (int64_t i = 2 * t; i + 1 < n; i += 64) {
        rows[t].before = 0;
        rows[t].pair = Pair{in[i], in[i + 1]};
        Pair mine = rows[t].pair;
        const Pair* there = &rows[t].pair;
        mine.u += there->u;
        mine.v += there->v;
        out[i] = (float)mine.u;
        out[i + 1] = (float)mine.v;
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 32>>>(x, y, n);
    return cudaGetLastError();
}
