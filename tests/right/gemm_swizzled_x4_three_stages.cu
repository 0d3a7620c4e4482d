// exercise: gemm_tensorcore
// unusual: three stages of cp.async.cg with the zero fill of its size operand, pieces of 16 bytes swizzled by XOR, ldmatrix.x4 for both, .trans by if constexpr
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>

constexpr int kM = 64, kN = 64, kK = 64, kStages = 3;   // rows of 64 elements: eight pieces of 16 bytes
template <typename T> struct Problem { const T *a, *b; T* c; int64_t m, n, k, lda, ldb, ldc; float alpha, beta; bool wide_a, wide_b; };

__device__ __forceinline__ int place(int row, int piece) { return row * 64 + (piece ^ (row & 7)) * 8; }
__device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// 64 rows of 64 elements each.
template <typename T> __device__ void bring(T* to, const T* from, int64_t ld, int64_t row0, int64_t col0, int64_t rows, int64_t cols, bool wide) {
    for (int v = threadIdx.x; v < 64 * 8; v += 128) {
        const int i = v / 8, piece = v % 8;
        const int64_t r = row0 + i, c = col0 + piece * 8;
        T* const slot = to + place(i, piece);
        int64_t count = r < rows ? cols - c : 0;
        count = count < 0 ? 0 : count > 8 ? 8 : count;
        if (wide) {
            const T* source = count > 0 ? from + r * ld + c : from;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(slot)), "l"(source), "r"((int)count * 2) : "memory");
        } else {
#pragma unroll
            for (int e = 0; e < 8; ++e) slot[e] = e < count ? from[r * ld + c + e] : T(0.0f);
        }
    }
}
template <bool kTrans> __device__ void ldmatrix4(unsigned (&r)[4], unsigned at) {
    if constexpr (kTrans) asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
    else asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
template <typename T> __device__ void mma(float* d, const unsigned (&a)[4], unsigned b0, unsigned b1) {
#define INSTRUCTION(type) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
    if constexpr (std::is_same<T, __half>::value) INSTRUCTION("f16");
    else INSTRUCTION("bf16");
#undef INSTRUCTION
}
template <typename T, bool kTurned> __global__ void __launch_bounds__(128) product(const Problem<T> g) {
    extern __shared__ __align__(128) unsigned char room[];
    T* const tiles = reinterpret_cast<T*>(room);   // stage by stage: A, then B
    const int64_t across = (g.n + kN - 1) / kN, row0 = blockIdx.x / across * kM, col0 = blockIdx.x % across * kN;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wm = warp / 2 * 32, wn = warp % 2 * 32;
    const auto ask = [&](int64_t p0, int stage) {
        if (p0 < g.k) {
            bring(tiles + stage * 2 * 4096, g.a, g.lda, row0, p0, g.m, g.k, g.wide_a);
            if (kTurned) bring(tiles + stage * 2 * 4096 + 4096, g.b, g.ldb, col0, p0, g.n, g.k, g.wide_b);
            else bring(tiles + stage * 2 * 4096 + 4096, g.b, g.ldb, p0, col0, g.k, g.n, g.wide_b);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float d[2][4][4] = {};
    ask(0, 0);
    ask(kK, 1);
    int stage = 0;
    for (int64_t p0 = 0; p0 < g.k; p0 += kK) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        ask(p0 + 2 * kK, (stage + 2) % kStages);
        const T* const as = tiles + stage * 2 * 4096;
        const T* const bs = as + 4096;
#pragma unroll
        for (int q = 0; q < kK / 16; ++q) {
            unsigned fa[2][4], fb[2][4];   // fb: two neighbouring tiles of eight columns each
#pragma unroll
            for (int i = 0; i < 2; ++i) ldmatrix4<false>(fa[i], shared_address(as + place(wm + i * 16 + lane % 16, 2 * q + lane / 16)));
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                if constexpr (kTurned) ldmatrix4<false>(fb[j], shared_address(bs + place(wn + j * 16 + lane / 16 * 8 + lane % 8, 2 * q + lane / 8 % 2)));
                else ldmatrix4<true>(fb[j], shared_address(bs + place(q * 16 + lane % 16, wn / 8 + 2 * j + lane / 16)));
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) mma<T>(d[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
        stage = (stage + 1) % kStages;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int64_t r = row0 + wm + i * 16 + lane / 4 + e / 2 * 8, c = col0 + wn + j * 8 + lane % 4 * 2 + e % 2;
                if (r < g.m && c < g.n) {
                    T* const out = g.c + r * g.ldc + c;
                    *out = T(g.beta == 0.0f ? g.alpha * d[i][j][e] : g.alpha * d[i][j][e] + g.beta * (float)*out);
                }
            }
}
template <typename T> cudaError_t launch(Problem<T> g, int64_t turned, cudaStream_t stream) {
    if (g.m <= 0 || g.n <= 0) return cudaSuccess;
    constexpr int kBytes = kStages * 2 * 4096 * 2;
    g.wide_a = (uintptr_t)g.a % 16 == 0 && g.lda % 8 == 0;
    g.wide_b = (uintptr_t)g.b % 16 == 0 && g.ldb % 8 == 0;
    const auto kernel = turned ? product<T, true> : product<T, false>;
    if (cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes)) return e;
    kernel<<<(unsigned)((g.m + kM - 1) / kM * ((g.n + kN - 1) / kN)), 128, kBytes, stream>>>(g);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t s) { return launch<T>({a, b, c, m, n, k, lda, ldb, ldc, alpha, beta, false, false}, turned, s); }
LAUNCHER(gemm_tensorcore_f16, __half)
LAUNCHER(gemm_tensorcore_bf16, __nv_bfloat16)
