// softmax_mul: y = softmax(x) * w in one pass over x and w, a row of each at a time, in fp32, fp16 and bf16, for any rows, strides and alignment.
//
// Check: onekernel check softmax_mul --record
// Bench: python bench/fusion.py
// Work: row per block
//
// The idea: softmax_tuned with an epilogue. What is new is when w is read: its loads start together with those of x, so that they are
// under way while the row is reduced, and each thread stages the very elements of w that it will multiply. Nobody else needs them: w costs
// its bytes, and neither a barrier nor a shuffle. Only the scope of the reduction changes with the row's length:
//     rows up to 4 KB     a few lanes of a warp keep a row of x and of w in registers
//     up to 32 KB         a block keeps both in registers (fp32) or in shared memory (16 bits, up to 20 KB), and its warps join there
//     up to 900 KB        a cluster of up to 16 blocks shares a row, and its warps send each other what they found (sm_90 and newer)
//     beyond              two launches: one reduces, and the next reads x again
//
// Ledger (lanes): reads 1, writes 1
// Ledger (block): reads 1, writes 1
// Ledger (cluster): reads 1, writes 1
// Ledger (two launches): reads 1.5, writes 1
// But: w takes as much room on the chip as x, so that each scope ends at half the length that it has in softmax_tuned.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

constexpr float kLog2e = 1.4426950408889634f;

template <typename T> struct Rows {
    const T* x;
    const T* w;
    T* y;
    int64_t rows, cols, x_row_stride, w_row_stride, y_row_stride;
    cudaStream_t stream;
};

// ---- Elements ---------------------------------------------------------------------------------------------------------------------------
// Memory is read and written 16 bytes at a time, as four 32-bit words of one fp32 or two 16-bit elements. Arithmetic is in fp32.

template <typename To, typename From>
__device__ __forceinline__ To bits(From from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

template <typename T> struct Word;   // of element type T: its elements as floats and back, and the larger of two words, element by element

template <> struct Word<float> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) { v[0] = bits<float>(w); }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(v[0]); }
    static __device__ __forceinline__ uint32_t larger(uint32_t a, uint32_t b) { return bits<uint32_t>(fmaxf(bits<float>(a), bits<float>(b))); }
};

template <> struct Word<__half> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) {
        v[0] = __low2float(bits<__half2>(w));
        v[1] = __high2float(bits<__half2>(w));
    }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(__floats2half2_rn(v[0], v[1])); }
    static __device__ __forceinline__ uint32_t larger(uint32_t a, uint32_t b) { return bits<uint32_t>(__hmax2(bits<__half2>(a), bits<__half2>(b))); }
};

template <> struct Word<__nv_bfloat16> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) {   // a bf16 is the upper half of a float
        v[0] = bits<float>(w << 16);
        v[1] = bits<float>(w & 0xffff0000u);
    }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(__floats2bfloat162_rn(v[0], v[1])); }
    static __device__ __forceinline__ uint32_t larger(uint32_t a, uint32_t b) {
        return bits<uint32_t>(__hmax2(bits<__nv_bfloat162>(a), bits<__nv_bfloat162>(b)));
    }
};

template <typename T> constexpr int kVector = 16 / sizeof(T);   // elements in 16 bytes
template <typename T> constexpr int kWord = 4 / sizeof(T);      // and in a word

template <typename T> __device__ __forceinline__ T from_float(float v) {
    const float twice[2] = {v, v};
    return bits<T>(Word<T>::pack(twice));
}
template <typename T> __device__ __forceinline__ float to_float(T v) { return static_cast<float>(v); }

template <typename T> __device__ __forceinline__ uint4 all_minus_infinity() {
    const float twice[2] = {-INFINITY, -INFINITY};
    const uint32_t w = Word<T>::pack(twice);
    return make_uint4(w, w, w, w);
}

template <typename T> __device__ __forceinline__ void unpack(uint4 from, float* v) {
    Word<T>::unpack(from.x, v);
    Word<T>::unpack(from.y, v + kWord<T>);
    Word<T>::unpack(from.z, v + kWord<T> * 2);
    Word<T>::unpack(from.w, v + kWord<T> * 3);
}

template <typename T> __device__ __forceinline__ uint4 pack(const float* v) {
    return make_uint4(Word<T>::pack(v), Word<T>::pack(v + kWord<T>), Word<T>::pack(v + kWord<T> * 2), Word<T>::pack(v + kWord<T> * 3));
}

// The largest so far, as a word: the comparisons need no unpacking. fmaxf and __hmax2 pass over a NaN; the sum will find it.
template <typename T> __device__ __forceinline__ uint32_t larger(uint32_t so_far, uint4 v) {
    return Word<T>::larger(so_far, Word<T>::larger(Word<T>::larger(v.x, v.y), Word<T>::larger(v.z, v.w)));
}

template <typename T> __device__ __forceinline__ float largest_of_word(uint32_t w) {
    float v[2] = {-INFINITY, -INFINITY};
    Word<T>::unpack(w, v);
    return fmaxf(v[0], v[1]);
}

// 16 bytes from an address that is no multiple of 16. The single loads meet in L1, so that memory does not see them.
template <typename T> __device__ __forceinline__ uint4 gather(const T* from) {
    T v[kVector<T>];
#pragma unroll
    for (int j = 0; j < kVector<T>; ++j) v[j] = from[j];
    uint4 packed;
    memcpy(&packed, v, 16);
    return packed;
}

__device__ __forceinline__ bool on_16_bytes(const void* p) { return (uintptr_t)p % 16 == 0; }

// How n elements from p on lie in memory: some up to the first multiple of `boundary` bytes, then whole vectors, then fewer than kVector
// that are left over. The first and the last are `singles`: thread i takes single i, wherever it is.
template <typename T> struct Layout {
    int head, vectors, singles;
    __device__ __forceinline__ Layout(const T* p, int n, int boundary) {
        const int to_boundary = (int)((0 - (uintptr_t)p) & (boundary - 1)) / (int)sizeof(T);
        head = min(to_boundary, n);
        vectors = (n - head) / kVector<T>;
        singles = n - vectors * kVector<T>;
    }
    __device__ __forceinline__ int single(int i) const { return i < head ? i : i + vectors * kVector<T>; }
};
template <typename T, int kBoundary> constexpr int kMostSingles = kBoundary / (int)sizeof(T) - 1 + kVector<T> - 1;

// The vector of v * scale * w.
template <typename T> __device__ __forceinline__ uint4 scaled(const float* v, float scale, uint4 w) {
    float factors[kVector<T>], product[kVector<T>];
    unpack<T>(w, factors);
#pragma unroll
    for (int j = 0; j < kVector<T>; ++j) product[j] = v[j] * scale * factors[j];
    return pack<T>(product);
}

// ---- Exponentials, and what a warp tells the others -----------------------------------------------------------------------------------------

__device__ __forceinline__ float power_of_two(float v) {
#if __CUDA_ARCH__ >= 900
    float r;   // one instruction; results below 2^-126 become 0. exp2f keeps those, with three instructions more
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
#else
    return exp2f(v);
#endif
}

// Powers of e over a common origin: exp(v) / exp(origin), up to a factor that is the same for every v and that `over` knows.
template <typename T> struct Exponential {
    float origin, scale, shift;
    __device__ __forceinline__ explicit Exponential(float largest) {
        origin = fmaxf(largest, -FLT_MAX);   // of -inf alone: exp(-inf - origin) is 0, where exp(-inf - -inf) would be NaN
        // Beyond 2^20 neighbouring 16-bit numbers lie 4096 apart or more, so that exp of a difference is 1 or 0 in any base.
        const bool usual = fabsf(origin) < 1048576.0f;
        scale = usual ? kLog2e : 1.0f;
        // A whole number, so that nothing is lost where two shifts are subtracted; and not above, or power_of_two loses results
        // that are normal numbers.
        shift = usual ? floorf(origin * kLog2e) : origin;
    }
    __device__ __forceinline__ float operator()(float v) const {
        if (sizeof(T) == 4) return power_of_two((v - origin) * kLog2e);
        return power_of_two(fmaf(v, scale, -shift));   // an instruction less
    }
    __device__ __forceinline__ float over(const Exponential& other) const {   // what turns sums over this origin into sums over the other
        return power_of_two(sizeof(T) == 4 ? (origin - other.origin) * kLog2e : shift - other.shift);
    }
};

template <int kLanes> __device__ __forceinline__ float lanes_max(float v) {
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    return v;
}

template <int kLanes> __device__ __forceinline__ float lanes_sum(float v) {
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
    return v;
}

struct __align__(8) Part {   // of a row: its largest element, and the sum of the exponentials over that origin
    float max;
    float sum;
};

template <typename T> __device__ __forceinline__ Part join_two(Part a, Part b) {
    const float m = fmaxf(a.max, b.max);
    const Exponential<T> e(m);
    return {m, a.sum * Exponential<T>(a.max).over(e) + b.sum * Exponential<T>(b.max).over(e)};
}

// The parts that a warp's lanes hold, as one that each lane gets.
template <typename T> __device__ __forceinline__ Part join_lanes(Part mine) {
    const float m = lanes_max<32>(mine.max);
    return {m, lanes_sum<32>(mine.sum * Exponential<T>(mine.max).over(Exponential<T>(m)))};
}

// Joins `count` parts in shared memory; each warp does it for itself, and each of its lanes gets the result.
template <typename T> __device__ __forceinline__ Part join(const Part* parts, int count) {
    float m = -INFINITY;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < count; i += 32) m = fmaxf(m, parts[i].max);
    m = lanes_max<32>(m);
    const Exponential<T> e(m);
    float s = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < count; i += 32) s += parts[i].sum * Exponential<T>(parts[i].max).over(e);
    return {m, lanes_sum<32>(s)};
}

// ---- Launches that overlap --------------------------------------------------------------------------------------------------------------
// A launch of few blocks takes little longer than launching. So it may begin before the launch before it has ended (launch(), below):
// its blocks are placed, wait here before they touch global memory, and then let the next launch begin. Among launches that do this a
// call gains up to 0.9 us on an H200; behind a kernel that lets nobody begin early it loses 0.2.

constexpr int kFewBlocks = 256;   // two for each multiprocessor of a large GPU

__device__ __forceinline__ void await_earlier_launches() {
#if __CUDA_ARCH__ >= 900
    if (gridDim.x > kFewBlocks) return;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// ---- Scope: lanes -----------------------------------------------------------------------------------------------------------------------

constexpr int kLaneThreads = 128;

// Vector k of a lane, kLanes vectors apart, as far as the row has vectors; `fill` where it has none.
template <typename T, int kVectors, int kLanes>
__device__ __forceinline__ void load_vectors(uint4 (&to)[kVectors], const T* from, int lane, int vectors, uint4 fill) {
    constexpr int N = kVector<T>;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) to[k] = fill;
    if (on_16_bytes(from)) {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * kLanes < vectors) to[k] = __ldg((const uint4*)(from + k * kLanes * N));
        }
    } else {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * kLanes < vectors) to[k] = gather(from + k * kLanes * N);
        }
    }
}

// kLanes lanes take a row, kVectors vectors each.
template <typename T, int kVectors, int kLanes> __global__ void __launch_bounds__(kLaneThreads) lanes_kernel(const Rows<T> r) {
    constexpr int N = kVector<T>;
    int64_t row = (int64_t)blockIdx.x * (kLaneThreads / kLanes) + threadIdx.x / kLanes;
    int cols = (int)r.cols;
    if (row >= r.rows) {   // these lanes have no row, but the shuffles wait for them
        row = 0;
        cols = 0;
    }
    const int lane = threadIdx.x % kLanes;
    const T* x_row = r.x + row * r.x_row_stride;
    const T* w_row = r.w + row * r.w_row_stride;
    T* y_row = r.y + row * r.y_row_stride;
    constexpr int kBoundary = 8 * sizeof(T);
    constexpr int kSingles = (kMostSingles<T, kBoundary> + kLanes - 1) / kLanes;
    const Layout<T> layout(y_row, cols, kBoundary);   // of the output, where a misaligned access would cost more
    await_earlier_launches();

    // Load x and w. Nothing is computed before all loads are under way.
    uint4 vectors[kVectors], factors[kVectors];
    float singles[kSingles], single_factors[kSingles];
    const int at = layout.head + lane * N;
#pragma unroll
    for (int k = 0; k < kSingles; ++k) {
        const int i = lane + k * kLanes;
        singles[k] = i < layout.singles ? to_float(x_row[layout.single(i)]) : -INFINITY;
        single_factors[k] = i < layout.singles ? to_float(w_row[layout.single(i)]) : 0.0f;
    }
    load_vectors<T, kVectors, kLanes>(vectors, x_row + at, lane, layout.vectors, all_minus_infinity<T>());
    load_vectors<T, kVectors, kLanes>(factors, w_row + at, lane, layout.vectors, make_uint4(0, 0, 0, 0));

    // Reduce.
    uint32_t top = vectors[0].x;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) top = larger<T>(top, vectors[k]);
    float largest = largest_of_word<T>(top);
    float v[kVectors * N];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) unpack<T>(vectors[k], v + k * N);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) largest = fmaxf(largest, singles[k]);
    const Exponential<T> e(lanes_max<kLanes>(largest));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kVectors * N; ++i) sum += v[i] = e(v[i]);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) sum += singles[k] = e(singles[k]);
    const float inverse = __fdividef(1.0f, lanes_sum<kLanes>(sum));   // a row of -inf alone: 0 * (1 / 0) is NaN, as it should be

    // Multiply and store.
    T* to = y_row + at;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
        if (lane + k * kLanes < layout.vectors) __stwb((uint4*)(to + k * kLanes * N), scaled<T>(v + k * N, inverse, factors[k]));
    }
#pragma unroll
    for (int k = 0; k < kSingles; ++k) {
        const int i = lane + k * kLanes;
        if (i < layout.singles) y_row[layout.single(i)] = from_float<T>(singles[k] * inverse * single_factors[k]);
    }
}

// ---- Scope: a block, in registers -----------------------------------------------------------------------------------------------------

constexpr int kRowVectors = 4;

// A block takes a row: kRowVectors vectors of x and of w for each thread, all of them under way at once.
template <typename T, int kThreads> __global__ void __launch_bounds__(kThreads) row_kernel(const Rows<T> r) {
    constexpr int N = kVector<T>;
    __shared__ Part told[kThreads / 32];
    const int t = threadIdx.x;
    const int64_t row = blockIdx.x;
    const T* x_row = r.x + row * r.x_row_stride;
    const T* w_row = r.w + row * r.w_row_stride;
    T* y_row = r.y + row * r.y_row_stride;
    const Layout<T> layout(y_row, (int)r.cols, 128);
    const int at = layout.head + t * N;
    await_earlier_launches();

    uint4 vectors[kRowVectors], factors[kRowVectors];
    const bool has_single = t < layout.singles;
    const float single = has_single ? to_float(x_row[layout.single(t)]) : -INFINITY;
    const float w_single = has_single ? to_float(w_row[layout.single(t)]) : 0.0f;
    load_vectors<T, kRowVectors, kThreads>(vectors, x_row + at, t, layout.vectors, all_minus_infinity<T>());
    load_vectors<T, kRowVectors, kThreads>(factors, w_row + at, t, layout.vectors, make_uint4(0, 0, 0, 0));

    uint32_t top = vectors[0].x;
#pragma unroll
    for (int k = 0; k < kRowVectors; ++k) top = larger<T>(top, vectors[k]);
    const float largest = lanes_max<32>(fmaxf(single, largest_of_word<T>(top)));
    const Exponential<T> mine(largest);   // a warp's own maximum: its exponentials need not wait for the block's
    float v[kRowVectors * N], sum = mine(single);
#pragma unroll
    for (int k = 0; k < kRowVectors; ++k) unpack<T>(vectors[k], v + k * N);
#pragma unroll
    for (int i = 0; i < kRowVectors * N; ++i) sum += v[i] = mine(v[i]);
    sum = lanes_sum<32>(sum);
    if (t % 32 == 0) told[t / 32] = {largest, sum};
    __syncthreads();
    const Part whole = join<T>(told, kThreads / 32);
    // Exponentials over the warp's maximum, and a factor that makes them those over the row's.
    const float scale = mine.over(Exponential<T>(whole.max)) * __fdividef(1.0f, whole.sum);
#pragma unroll
    for (int k = 0; k < kRowVectors; ++k) {
        if (t + k * kThreads < layout.vectors) __stwb((uint4*)(y_row + at + k * kThreads * N), scaled<T>(v + k * N, scale, factors[k]));
    }
    if (has_single) y_row[layout.single(t)] = from_float<T>(mine(single) * scale * w_single);
}

// ---- Messages between the blocks of a cluster -------------------------------------------------------------------------------------------
// A cluster barrier (cluster.sync) would do, but it first waits until all earlier writes are visible to the whole GPU, which takes longer
// than the reduction. An mbarrier counts the bytes that have come and wakes who waits for them; nothing else is waited for.

#if __CUDA_ARCH__ >= 900
struct Mailbox {
    uint64_t barrier;
    __device__ unsigned address() const { return (unsigned)__cvta_generic_to_shared(&barrier); }

    __device__ void open() {   // one thread of each block; then the cluster must meet before anyone sends
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address()) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __device__ void expect(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
    }
    __device__ void send(Part part, const Part* slot, unsigned block) const {   // to the same slot and box in another block
        unsigned to, box;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"((unsigned)__cvta_generic_to_shared(slot)), "r"(block));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(box) : "r"(address()), "r"(block));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(to), "f"(part.max),
                     "f"(part.sum), "r"(box)
                     : "memory");
    }
    __device__ void wait() const {
        unsigned here = 0;
        while (!here) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(here)
                         : "r"(address())
                         : "memory");
        }
    }
};
#endif

// ---- Scopes: block, cluster, two launches -----------------------------------------------------------------------------------------------

enum Scope { kBlock, kCluster, kFirstLaunch, kSecondLaunch };

constexpr int kMostWarps = 32;
constexpr int kMostBlocks = 16;       // of a cluster
constexpr int kSliceBoundary = 128;   // bytes: a cache line. Vectors that start on it fill the sectors that they touch
constexpr int kFewestThreads = 64;    // enough for the singles up to a boundary of 64 bytes

// Copies a vector without waiting, if its address allows that.
template <typename T> __device__ __forceinline__ void copy_vector(uint4* to, const T* from) {
    if (on_16_bytes(from)) {
        __pipeline_memcpy_async(to, from, 16);
    } else if ((uintptr_t)from % 4 == 0) {
#pragma unroll
        for (int j = 0; j < 4; ++j) __pipeline_memcpy_async((uint32_t*)to + j, (const uint32_t*)from + j, 4);
    } else {
        *to = gather(from);
    }
}

// A row is cut into `slices` of `width` elements, a block each. Between two launches there are `parts`, slices of them a row; the second
// one joins the first `known` of them. Both x and w lie in shared memory as the output does, and a thread reads there only what it has
// brought itself: no barrier stands between the copy and its use, however the three tensors are aligned.
template <typename T, Scope kScope>
__global__ void __launch_bounds__(kMostWarps * 32) slice_kernel(const Rows<T> r, int slices, int width, Part* parts, int known) {
    constexpr int N = kVector<T>;
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ Part told[(kScope == kCluster ? kMostBlocks : 1) * kMostWarps];
    const int t = threadIdx.x;
    const int threads = blockDim.x;
    const int warp = t / 32;
    const int lane = t % 32;
    const int warps = threads / 32;
    const int slice = kScope == kBlock ? 0 : blockIdx.x % slices;
    const int64_t row = kScope == kBlock ? blockIdx.x : blockIdx.x / slices;
    const int64_t start = (int64_t)slice * width;
    const int n = (int)max((int64_t)0, min((int64_t)width, r.cols - start));
    const T* from = r.x + row * r.x_row_stride + start;
    const T* factors = r.w + row * r.w_row_stride + start;
    T* to = r.y + row * r.y_row_stride + start;
    Part* row_parts = parts + row * slices;
#if __CUDA_ARCH__ >= 900
    __shared__ Mailbox box;
    if (kScope == kCluster) {
        if (t == 0) box.open();
        __syncwarp();
        __cluster_barrier_arrive_relaxed();   // the cluster meets while the loads are under way
    }
#endif

    // Load: each thread copies its vectors of x and w into shared memory, without waiting and without passing them through registers.
    const int boundary = threads >= kMostSingles<T, kSliceBoundary> ? kSliceBoundary : 64;
    const Layout<T> layout(to, n, boundary);
    uint4* const vectors = (uint4*)shared;
    uint4* const w_vectors = vectors + width / N;
    float single = -INFINITY, w_single = 0.0f;
    if (kScope != kSecondLaunch) await_earlier_launches();   // the second one reads here what the first one reads, too
    if (t < layout.singles) single = to_float(from[layout.single(t)]);
#pragma unroll 4
    for (int i = t; i < layout.vectors; i += threads) copy_vector(vectors + i, from + layout.head + i * N);
    __pipeline_commit();
    if (kScope != kFirstLaunch) {
        if (t < layout.singles) w_single = to_float(factors[layout.single(t)]);
#pragma unroll 4
        for (int i = t; i < layout.vectors; i += threads) copy_vector(w_vectors + i, factors + layout.head + i * N);
        __pipeline_commit();
    }

    // Reduce, as soon as x is there; w may come later.
    Part whole;
    if (kScope != kSecondLaunch) {
        __pipeline_wait_prior(kScope == kFirstLaunch ? 0 : 1);   // for this thread's own copies: no barrier
        uint32_t top = bits<uint32_t>(all_minus_infinity<T>().x);
#pragma unroll 2
        for (int i = t; i < layout.vectors; i += threads) top = larger<T>(top, vectors[i]);
        const float largest = lanes_max<32>(fmaxf(single, largest_of_word<T>(top)));
        const Exponential<T> e(largest);
        float sum = e(single);
#pragma unroll 2
        for (int i = t; i < layout.vectors; i += threads) {
            float v[N];
            unpack<T>(vectors[i], v);
#pragma unroll
            for (int j = 0; j < N; ++j) sum += e(v[j]);
        }
        const Part mine = {largest, lanes_sum<32>(sum)};
        if (kScope == kCluster) {
#if __CUDA_ARCH__ >= 900
            __cluster_barrier_wait();
            if (t == 0) box.expect(slices * warps * sizeof(Part));
            if (lane < slices) box.send(mine, told + slice * warps + warp, lane);   // lane i tells block i
            box.wait();
#endif
        } else {
            if (lane == 0) told[warp] = mine;
            __syncthreads();
        }
        whole = join<T>(told, kScope == kCluster ? slices * warps : warps);
    }
    if (kScope == kFirstLaunch) {
        if (t == 0) row_parts[slice] = whole;
        return;
    }
    if (kScope == kSecondLaunch) {
        await_earlier_launches();   // now the first one has ended
        whole = join<T>(row_parts, known);
    }

    // Multiply and store.
    __pipeline_wait_prior(0);
    const Exponential<T> e(whole.max);
    const float inverse = __fdividef(1.0f, whole.sum);
#pragma unroll 2
    for (int i = t; i < layout.vectors; i += threads) {
        float v[N];
        unpack<T>(vectors[i], v);
#pragma unroll
        for (int j = 0; j < N; ++j) v[j] = e(v[j]);
        __stwb((uint4*)(to + layout.head + i * N), scaled<T>(v, inverse, w_vectors[i]));
    }
    if (t < layout.singles) to[layout.single(t)] = from_float<T>(e(single) * inverse * w_single);
}

// Between two launches, where the parts of a row are many: joins them into the first, so that not every block has to read them all.
constexpr int kManyParts = 1024;
constexpr int kJoinThreads = 256;
template <typename T> __global__ void __launch_bounds__(kJoinThreads) join_kernel(Part* parts, int64_t slices) {
    __shared__ Part told[kJoinThreads / 32];
    Part* row_parts = parts + blockIdx.x * slices;
    await_earlier_launches();
    Part mine = {-INFINITY, 0.0f};
    for (int64_t i = threadIdx.x; i < slices; i += kJoinThreads) mine = join_two<T>(mine, row_parts[i]);
    mine = join_lanes<T>(mine);
    if (threadIdx.x % 32 == 0) told[threadIdx.x / 32] = mine;
    __syncthreads();   // by now all have read what the next line overwrites
    const Part whole = join<T>(told, kJoinThreads / 32);
    if (threadIdx.x == 0) row_parts[0] = whole;
}

// ---- Which scope for which row ----------------------------------------------------------------------------------------------------------

struct Gpu {
    int shared;     // bytes of shared memory that a block may have
    int clusters;   // whether it has them, and launches that overlap, and this code was compiled for them

    template <typename Kernel> cudaError_t ask(Kernel kernel) {
        int device;
        cudaFuncAttributes code;   // PTX for an older GPU neither sends messages nor waits for earlier launches, wherever it runs
        cudaError_t error = cudaFuncGetAttributes(&code, kernel);
        if (error == cudaSuccess) error = cudaGetDevice(&device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
        if (error == cudaSuccess && code.ptxVersion < 90) clusters = 0;
        return error;
    }
};

template <typename Kernel, typename... Arguments>
cudaError_t launch(const Gpu& gpu, cudaStream_t stream, Kernel kernel, int64_t blocks, int threads, size_t bytes, int cluster,
                   Arguments... arguments) {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    }
    if (gpu.clusters && blocks <= kFewBlocks) {   // what has clusters can overlap launches, too
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <typename T, int kVectors, int kLanes> cudaError_t launch_lanes(const Rows<T>& r, const Gpu& gpu) {
    const int64_t rows_of_a_block = kLaneThreads / kLanes;
    const int64_t blocks = (r.rows + rows_of_a_block - 1) / rows_of_a_block;
    return launch(gpu, r.stream, lanes_kernel<T, kVectors, kLanes>, blocks, kLaneThreads, 0, 1, r);
}

template <typename T> int slice_width(int64_t cols, int slices) {   // elements, whole cache lines
    const int64_t line = kSliceBoundary / sizeof(T);
    return (int)(((cols + slices - 1) / slices + line - 1) / line * line);
}

template <typename T, Scope kScope> cudaError_t launch_slices(const Rows<T>& r, const Gpu& gpu, int slices, Part* parts, int known = 0) {
    const int width = slice_width<T>(r.cols, slices);
    const size_t bytes = width * sizeof(T) * (kScope == kFirstLaunch ? 1 : 2);
    const auto kernel = slice_kernel<T, kScope>;
    const size_t allowed = bytes + sizeof(Part) * kMostWarps;   // `told` counts, too, where both together exceed 48 KB
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)allowed);
    if (error != cudaSuccess) return error;
    // Where blocks are few, time is latency, and threads hide it. Where they are many, fewer threads with several loads under way do as
    // well, and other blocks have the issue slots.
    const int64_t blocks = r.rows * slices;
    const int vectors = width / kVector<T>;
    const int wanted = blocks <= kFewBlocks ? min(vectors / 2, 384) : min(max(vectors / 4, min(vectors / 2, 128)), 256);
    const int threads = min(max(wanted, kFewestThreads), kMostWarps * 32);
    return launch(gpu, r.stream, kernel, blocks, (threads + 31) / 32 * 32, bytes, kScope == kCluster ? slices : 1, r, slices, width, parts,
                  known);
}

// Whether clusters of so many blocks can run: on a part of a GPU, or on a small one, 16 neighbours may not be there, nor 8.
template <typename T> bool clusters_fit(const Rows<T>& r, const Gpu& gpu, int slices) {
    if (!gpu.clusters) return false;
    const auto kernel = slice_kernel<T, kCluster>;
    const int bytes = 2 * slice_width<T>(r.cols, slices) * (int)sizeof(T);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = slices;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(slices);
    config.blockDim = dim3(384);
    config.dynamicSmemBytes = bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int count = 0;
    const bool fit = (slices <= 8 || cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess) &&
                     cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess &&
                     cudaOccupancyMaxActiveClusters(&count, kernel, &config) == cudaSuccess && count > 0;
    if (!fit) cudaGetLastError();   // that they do not fit is no error
    return fit;
}

template <typename T> cudaError_t launch_twice(const Rows<T>& r, const Gpu& gpu, int slices) {
    Part* parts = nullptr;   // from the stream's own pool: safe beside other streams and in graphs
    cudaError_t error = cudaMallocAsync((void**)&parts, r.rows * slices * sizeof(Part), r.stream);
    if (error != cudaSuccess) return error;
    error = launch_slices<T, kFirstLaunch>(r, gpu, slices, parts);
    const bool many = slices > kManyParts;
    if (error == cudaSuccess && many) error = launch(gpu, r.stream, join_kernel<T>, r.rows, kJoinThreads, 0, 1, parts, (int64_t)slices);
    if (error == cudaSuccess) error = launch_slices<T, kSecondLaunch>(r, gpu, slices, parts, many ? 1 : slices);
    const cudaError_t freed = cudaFreeAsync(parts, r.stream);
    return error != cudaSuccess ? error : freed;
}

template <typename T> cudaError_t softmax_mul_of(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    static thread_local Gpu gpu;   // asked once: that takes the host longer than a launch
    static thread_local int asked = -1;
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device != asked) error = gpu.ask(slice_kernel<T, kCluster>);
    if (error != cudaSuccess) return error;
    asked = device;

    constexpr bool fp32 = sizeof(T) == 4;
    const int64_t vectors = r.cols / kVector<T>;   // a row that starts off a boundary has one less
    if (vectors <= 2) return launch_lanes<T, 1, 2>(r, gpu);
    if (vectors <= 4) return launch_lanes<T, 1, 4>(r, gpu);
    if (vectors <= 8) return launch_lanes<T, 1, 8>(r, gpu);
    if (vectors <= 16) return launch_lanes<T, 2, 8>(r, gpu);
    if (vectors <= 32) return launch_lanes<T, 2, 16>(r, gpu);
    if (vectors <= 64) return launch_lanes<T, 2, 32>(r, gpu);
    if (vectors <= 128) return launch_lanes<T, 4, 32>(r, gpu);
    if (fp32 && vectors <= 256) return launch_lanes<T, 8, 32>(r, gpu);

    // In fp32 a row of up to 32 KB is kept in registers. In 16 bits, where that takes half the threads, in shared memory.
    if constexpr (fp32) {
        if (vectors <= kRowVectors * 128) return launch(gpu, r.stream, row_kernel<T, 128>, r.rows, 128, 0, 1, r);
        if (vectors <= kRowVectors * 256) return launch(gpu, r.stream, row_kernel<T, 256>, r.rows, 256, 0, 1, r);
        if (vectors <= kRowVectors * 512) return launch(gpu, r.stream, row_kernel<T, 512>, r.rows, 512, 0, 1, r);
    }

    // Slices of 16 KB at most, so that several blocks share a multiprocessor and one computes while another waits for memory; in a cluster
    // more only if the row is longer than 8 blocks can hold.
    const int64_t kb = 1024;
    const int64_t bytes = r.cols * sizeof(T);
    const int64_t most = (gpu.shared - 6 * kb) / 2;   // in a slice; the rest is for `told` and for what lies around the slice
    int64_t slices = bytes <= 20 * kb ? 1 : (bytes + 16 * kb - 1) / (16 * kb);
    if (slices > 8) slices = max((int64_t)8, (bytes + 32 * kb - 1) / (32 * kb));
    slices = min(slices, (int64_t)kMostBlocks);
    const int64_t twice = (bytes + 32 * kb - 1) / (32 * kb);   // slices for two launches
    if (slices > 8 && bytes <= 8 * most && !clusters_fit(r, gpu, (int)slices)) slices = 8;
    if (slices > 1 && bytes <= slices * (most - kb) && clusters_fit(r, gpu, (int)slices)) {
        return launch_slices<T, kCluster>(r, gpu, (int)slices, nullptr);
    }
    if (bytes <= most - kb) return launch_slices<T, kBlock>(r, gpu, 1, nullptr);
    return launch_twice(r, gpu, (int)twice);
}

extern "C" cudaError_t softmax_mul(const float* x, const float* w, float* y, int64_t rows, int64_t cols,
                                   int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax_mul_of<float>({x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_mul_f16(const __half* x, const __half* w, __half* y, int64_t rows, int64_t cols,
                                       int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax_mul_of<__half>({x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_mul_bf16(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                        int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax_mul_of<__nv_bfloat16>({x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream});
}
