// softmax_tuned: row softmax at the speed of a copy, in fp32, fp16 and bf16, for any rows, columns, row strides and alignment.
//
// Check: onekernel check softmax_tuned --record
// Bench: onekernel bench softmax_tuned
// Work: row per block
//
// The idea: one load, one reduction, one store. A row is read once, kept on the chip, and written once. From the shortest row to the
// longest, only the scope of the reduction changes:
//     rows up to 4 KB     a few lanes of a warp keep a row in registers and join by shuffles; a warp takes several short rows.
//                         Up to 32 KB all lanes of a block do, while the rows are few enough to be on the chip at once
//     up to 32 KB         a block keeps a row in shared memory, and its warps join there
//     up to 1.8 MB        a cluster of up to 16 blocks shares a row, and its warps send each other what they found (sm_90 and newer)
//     up to 40 MB         a team: as many blocks as it takes keep a row between them and meet at words in global memory
//     beyond              as many blocks as it takes, which meet where one launch ends and the next begins: the row is read twice
// (On an H200; a smaller GPU keeps less.) In every scope a warp computes its exponentials against its own maximum. All that it has to tell the others is one Part, that maximum
// and the sum of its exponentials; so the threads that share a row meet only once.
//
// Ledger (lanes): reads 1, writes 1
// Ledger (block): reads 1, writes 1
// Ledger (cluster): reads 1, writes 1
// Ledger (team): reads 1, writes 1
// Ledger (two launches): reads 2, writes 1
// But: memory is its limit, as it is a copy's. To go further, fuse it with the operator before or after it, and the row need not move.

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

constexpr float kLog2e = 1.4426950408889634f;

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

constexpr int kFewBlocks = 256;     // two for each multiprocessor of a large GPU
constexpr int kLaneBlocks = 2112;   // sixteen: blocks of whole rows are small
constexpr int kAnyBlocks = INT_MAX;

template <int kMost> __device__ __forceinline__ void await_earlier_launches() {   // in launches of up to kMost blocks
#if __CUDA_ARCH__ >= 900
    if (gridDim.x > kMost) return;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// ---- Scope: lanes -----------------------------------------------------------------------------------------------------------------------

constexpr int kMostWarps = 32;      // of a block
constexpr int kLaneThreads = 128;
constexpr int kAllLanes = 1024;     // of a block, however many threads it has

// kLanes lanes take a row, kVectors vectors each: some of a warp's, or all of a block's, which meet once in shared memory.
template <typename T, int kVectors, int kLanes>
__global__ void __launch_bounds__(kLanes == kAllLanes ? kAllLanes : kLaneThreads)
lanes_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int cols, int64_t x_row_stride, int64_t y_row_stride) {
    constexpr int N = kVector<T>;
    constexpr bool kAll = kLanes == kAllLanes;
    constexpr int kOfWarp = kAll ? 32 : kLanes;
    const int lanes = kAll ? blockDim.x : kLanes;
    int64_t row = kAll ? blockIdx.x : (int64_t)blockIdx.x * (kLaneThreads / kLanes) + threadIdx.x / kLanes;
    if (row >= rows) {   // these lanes have no row, but the shuffles wait for them
        row = 0;
        cols = 0;
    }
    const int lane = kAll ? threadIdx.x : threadIdx.x % kLanes;
    const T* x_row = x + row * x_row_stride;
    T* y_row = y + row * y_row_stride;
    constexpr int kBoundary = 8 * sizeof(T);
    constexpr int kSingles = (kMostSingles<T, kBoundary> + kOfWarp - 1) / kOfWarp;
    const Layout<T> layout(y_row, cols, kBoundary);   // of the output, where a misaligned access would cost more
    await_earlier_launches<kAll ? kAnyBlocks : kLaneBlocks>();

    // Load. Nothing is computed before all loads are under way.
    uint4 vectors[kVectors];
    T raw_singles[kSingles];
    const T* from = x_row + layout.head + lane * N;
    const bool aligned = on_16_bytes(x_row + layout.head);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) {
        const int i = lane + k * lanes;
        raw_singles[k] = from_float<T>(-INFINITY);
        if (i < layout.singles) raw_singles[k] = x_row[layout.single(i)];
    }
#pragma unroll
    for (int k = 0; k < kVectors; ++k) vectors[k] = all_minus_infinity<T>();
    if (aligned) {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * lanes < layout.vectors) vectors[k] = __ldg((const uint4*)(from + k * lanes * N));
        }
    } else {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * lanes < layout.vectors) vectors[k] = gather(from + k * lanes * N);
        }
    }

    // Reduce.
    uint32_t top = vectors[0].x;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) top = larger<T>(top, vectors[k]);
    float largest = largest_of_word<T>(top);
    float v[kVectors * N], singles[kSingles];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) unpack<T>(vectors[k], v + k * N);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) largest = fmaxf(largest, singles[k] = to_float(raw_singles[k]));
    largest = lanes_max<kOfWarp>(largest);
    const Exponential<T> e(largest);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kVectors * N; ++i) sum += v[i] = e(v[i]);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) sum += singles[k] = e(singles[k]);
    sum = lanes_sum<kOfWarp>(sum);
    float factor = __fdividef(1.0f, sum);   // a row of -inf alone: 0 * (1 / 0) is NaN, as it should be
    if (kAll) {
        __shared__ Part told[kMostWarps];
        if (threadIdx.x % 32 == 0) told[threadIdx.x / 32] = {largest, sum};
        __syncthreads();
        const Part whole = join_lanes<T>(threadIdx.x % 32 < blockDim.x / 32 ? told[threadIdx.x % 32] : Part{-INFINITY, 0.0f});
        factor = e.over(Exponential<T>(whole.max)) * __fdividef(1.0f, whole.sum);
    }

    // Store.
    T* to = y_row + layout.head + lane * N;
#pragma unroll
    for (int i = 0; i < kVectors * N; ++i) v[i] *= factor;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
        if (lane + k * lanes < layout.vectors) __stwb((uint4*)(to + k * lanes * N), pack<T>(v + k * N));
    }
#pragma unroll
    for (int k = 0; k < kSingles; ++k) {
        const int i = lane + k * lanes;
        if (i < layout.singles) y_row[layout.single(i)] = from_float<T>(singles[k] * factor);
    }
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

constexpr int kMostBlocks = 16;       // of a cluster
constexpr int kSliceBoundary = 128;   // bytes: a cache line. Vectors that start on it fill the sectors that they touch
constexpr int kFewestThreads = 64;    // enough for the singles up to a boundary of 64 bytes

// A row is cut into `slices` of `width` elements, a block each. Between two launches there are `parts`, slices of them a row; the second
// one joins the first `known` of them.
template <typename T, Scope kScope>
__global__ void __launch_bounds__(kMostWarps * 32)
slice_kernel(const T* x, T* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, int slices, int width,
             Part* parts, int known) {
    constexpr int N = kVector<T>;
    extern __shared__ __align__(kSliceBoundary) unsigned char shared[];
    __shared__ Part told[(kScope == kCluster ? kMostBlocks : 1) * kMostWarps];
    const int t = threadIdx.x;
    const int threads = blockDim.x;
    const int warp = t / 32;
    const int lane = t % 32;
    const int warps = threads / 32;
    const int slice = kScope == kBlock ? 0 : blockIdx.x % slices;
    const int64_t row = kScope == kBlock ? blockIdx.x : blockIdx.x / slices;
    const int64_t start = (int64_t)slice * width;
    const int n = (int)max((int64_t)0, min((int64_t)width, cols - start));
    const T* from = x + row * x_row_stride + start;
    T* to = y + row * y_row_stride + start;
    Part* row_parts = parts + row * slices;
#if __CUDA_ARCH__ >= 900
    __shared__ Mailbox box;
    if (kScope == kCluster) {
        if (t == 0) box.open();
        __syncwarp();
        __cluster_barrier_arrive_relaxed();   // the cluster meets while the loads are under way
    }
#endif

    // Load: each thread copies its vectors into shared memory, without waiting and without passing them through registers.
    const int boundary = threads >= kMostSingles<T, kSliceBoundary> ? kSliceBoundary : 64;
    const Layout<T> in(from, n, boundary);
    const Layout<T> out(to, n, boundary);
    T* copy = (T*)(shared + kSliceBoundary) - in.head;   // so that the vectors start on a boundary here, too
    uint4* vectors = (uint4*)(copy + in.head);
    T single = from_float<T>(-INFINITY);
    if (kScope != kSecondLaunch) await_earlier_launches<kFewBlocks>();   // the second one reads here what the first one reads, too
    if (t < in.singles) single = from[in.single(t)];
#pragma unroll 4
    for (int i = t; i < in.vectors; i += threads) __pipeline_memcpy_async(vectors + i, from + in.head + i * N, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);   // for this thread's own copies, and it reads no others: no barrier

    // Reduce.
    Part whole;
    if (kScope != kSecondLaunch) {
        uint32_t top = bits<uint32_t>(all_minus_infinity<T>().x);
#pragma unroll 2
        for (int i = t; i < in.vectors; i += threads) top = larger<T>(top, vectors[i]);
        const float largest = lanes_max<32>(fmaxf(to_float(single), largest_of_word<T>(top)));
        const Exponential<T> e(largest);
        float sum = e(to_float(single));
#pragma unroll 2
        for (int i = t; i < in.vectors; i += threads) {
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
        await_earlier_launches<kFewBlocks>();   // now the first one has ended
        whole = join<T>(row_parts, known);
    }

    // Store. Where input and output lie alike, a thread writes what it has loaded; otherwise it takes its output's elements from the copy.
    const Exponential<T> e(whole.max);
    const float inverse = __fdividef(1.0f, whole.sum);
    const bool alike = in.head == out.head;
    if (!alike) {
        if (t < in.singles) copy[in.single(t)] = single;
        __syncthreads();
        if (t < out.singles) single = copy[out.single(t)];
    }
    const T* source = copy + out.head;
    const bool aligned = on_16_bytes(source);
#pragma unroll 2
    for (int i = t; i < out.vectors; i += threads) {
        float v[N];
        unpack<T>(aligned ? *(const uint4*)(source + i * N) : gather(source + i * N), v);
#pragma unroll
        for (int j = 0; j < N; ++j) v[j] = e(v[j]) * inverse;
        __stwb((uint4*)(to + out.head + i * N), pack<T>(v));
    }
    if (t < out.singles) to[out.single(t)] = from_float<T>(e(to_float(single)) * inverse);
}

// Between two launches, where the parts of a row are many: joins them into the first, so that not every block has to read them all.
constexpr int kManyParts = 1024;
constexpr int kJoinThreads = 256;
template <typename T> __global__ void __launch_bounds__(kJoinThreads) join_kernel(Part* parts, int64_t slices) {
    __shared__ Part told[kJoinThreads / 32];
    Part* row_parts = parts + blockIdx.x * slices;
    await_earlier_launches<kFewBlocks>();
    Part mine = {-INFINITY, 0.0f};
    for (int64_t i = threadIdx.x; i < slices; i += kJoinThreads) mine = join_two<T>(mine, row_parts[i]);
    mine = join_lanes<T>(mine);
    if (threadIdx.x % 32 == 0) told[threadIdx.x / 32] = mine;
    __syncthreads();   // by now all have read what the next line overwrites
    const Part whole = join<T>(told, kJoinThreads / 32);
    if (threadIdx.x == 0) row_parts[0] = whole;
}

// ---- Scope: team ------------------------------------------------------------------------------------------------------------------------
// Rows too long for a cluster, as long as the chip can hold one. A row is cut into parts, one for each block of a team. A block keeps its
// part in registers and shared memory, tells the others what it found by a word in global memory, waits until it knows the row's, and
// writes. Blocks wait for each other, so all of them must run at the same time: a cooperative launch promises that. Each takes the next
// part of the next row as soon as it is free, so that no slow multiprocessor holds up the rest; whoever takes a part has all parts before
// it taken, so that the oldest row can always be completed.

constexpr int kTeamThreads = 256;
constexpr int kGroup = 2;       // vectors of a thread that are loaded and reduced together
constexpr int kUnderWay = 3;    // groups that are under way to shared memory at a time
constexpr int kFewParts = 64;   // up to here each block reads what all parts have found; of more, the first part's block joins them for all

template <typename T> struct TeamPlan {
    const T* x;
    T* y;
    int64_t rows, cols, x_row_stride, y_row_stride;
    unsigned long long* words;   // the next part to take; then for each row a word for the row and one for each part, 0 until it is known
    int parts, vectors;          // of a row, of a part (a multiple of 8)
};

// Maximum and sum travel in one word: whoever sees it sees both. It is never 0, since a sum of 0 goes with a maximum of -inf.
__device__ __forceinline__ void tell(unsigned long long* word, Part p) {
    atomicExch(word, (unsigned long long)bits<uint32_t>(p.max) << 32 | bits<uint32_t>(p.sum));
}
__device__ __forceinline__ Part await(unsigned long long* word) {
    unsigned long long w;
    while ((w = atomicAdd(word, 0ull)) == 0) {   // adding 0 reads the word where all blocks meet, in L2
    }
    return {bits<float>((uint32_t)(w >> 32)), bits<float>((uint32_t)w)};
}
template <typename T> __device__ __forceinline__ Part await_all(unsigned long long* words, int count) {   // by a warp
    Part joined = {-INFINITY, 0.0f};
    for (int i = threadIdx.x % 32; i < count; i += 32) joined = join_two<T>(joined, await(words + i));
    return join_lanes<T>(joined);
}

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

template <typename T> __device__ __forceinline__ void store_powers(T* to, uint4 raw, const Exponential<T>& e, float inverse) {
    float v[kVector<T>];
    unpack<T>(raw, v);
#pragma unroll
    for (int j = 0; j < kVector<T>; ++j) v[j] = e(v[j]) * inverse;
    __stwb((uint4*)to, pack<T>(v));
}

// A thread's largest element so far, and the sum of exponentials over an origin that need not be it: exp(8) times more does no harm.
template <typename T> struct Running {
    float top = -INFINITY, sum = 0.0f;
    Exponential<T> e = Exponential<T>(-INFINITY);

    template <int kCount> __device__ __forceinline__ void add(const uint4 (&raw)[kCount]) {
        uint32_t word = raw[0].x;
#pragma unroll
        for (int k = 0; k < kCount; ++k) word = larger<T>(word, raw[k]);
        raise(largest_of_word<T>(word));
#pragma unroll
        for (int k = 0; k < kCount; ++k) {
            float v[kVector<T>];
            unpack<T>(raw[k], v);
#pragma unroll
            for (int j = 0; j < kVector<T>; ++j) sum += e(v[j]);
        }
    }
    __device__ __forceinline__ void raise(float largest) {
        if (largest <= top + 8.0f) return;   // nearly always
        const Exponential<T> higher(largest);
        sum *= e.over(higher);
        e = higher;
        top = largest;
    }
};

// kKept: vectors that a thread keeps in registers; the rest of the part is in shared memory. kBlocks: of a multiprocessor.
template <typename T, int kKept, int kBlocks>
__global__ void __launch_bounds__(kTeamThreads, kBlocks) team_kernel(const TeamPlan<T> plan) {
    constexpr int N = kVector<T>;
    constexpr int kWarps = kTeamThreads / 32;
    extern __shared__ __align__(kSliceBoundary) unsigned char shared[];
    __shared__ Part told[kWarps];
    __shared__ Part row_part;
    __shared__ int64_t taken;
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int warp = t / 32;
    uint4* const mine = (uint4*)shared + t;   // each thread reads only what it has copied itself
    const int in_shared = plan.vectors - kKept * kTeamThreads;
    const int groups = max(0, (in_shared + kGroup * kTeamThreads - 1) / (kGroup * kTeamThreads));
    bool first = true;
    for (int64_t item = blockIdx.x; item < plan.rows * plan.parts; item = taken) {
        const int64_t row = item / plan.parts;
        const int part = (int)(item % plan.parts);
        unsigned long long* const words = plan.words + 1 + row * (plan.parts + 1);
        const T* x_row = plan.x + row * plan.x_row_stride;
        T* y_row = plan.y + row * plan.y_row_stride;
        // A part is whole vectors, from a cache line of the output on. What the row has before and after them is the first part's.
        const int head = (int)min((int64_t)((0 - (uintptr_t)y_row) & (kSliceBoundary - 1)) / (int64_t)sizeof(T), plan.cols);
        const int64_t vectors = (plan.cols - head) / N;
        const int64_t begin = (int64_t)part * plan.vectors;
        const int n = (int)max((int64_t)0, min((int64_t)plan.vectors, vectors - begin)) - t;   // vectors from this thread's first one on
        const int singles = part == 0 ? (int)(plan.cols - vectors * N) : 0;
        const int64_t single_at = t < head ? t : t + vectors * N;
        const T* from = x_row + head + (begin + t) * N;
        T* to = y_row + head + (begin + t) * N;

        // Load.
        uint4 kept[kKept];
#pragma unroll
        for (int k = 0; k < kKept; ++k) {
            kept[k] = all_minus_infinity<T>();
            const T* vector = from + k * kTeamThreads * N;
            if (k * kTeamThreads < n) kept[k] = on_16_bytes(vector) ? *(const uint4*)vector : gather(vector);
        }
        const auto load = [&](int group) {
#pragma unroll
            for (int k = 0; k < kGroup; ++k) {
                const int i = (group * kGroup + k) * kTeamThreads;
                if (i + kKept * kTeamThreads < n) copy_vector(mine + i, from + (int64_t)(i + kKept * kTeamThreads) * N);
            }
            __pipeline_commit();
        };
#pragma unroll
        for (int group = 0; group < kUnderWay; ++group) load(group);
        const float single = t < singles ? to_float(x_row[single_at]) : -INFINITY;
        if (first) {   // nobody tells anything before all words are 0
            const int64_t count = plan.rows * (plan.parts + 1);
            for (int64_t i = (int64_t)blockIdx.x * kTeamThreads + t; i < count; i += (int64_t)gridDim.x * kTeamThreads) plan.words[1 + i] = 0;
            if (blockIdx.x == 0 && t == 0) plan.words[0] = gridDim.x;
            cooperative_groups::this_grid().sync();
            first = false;
        }

        // Reduce.
        Running<T> running;
        running.raise(single);
        running.sum = t < singles ? running.e(single) : 0.0f;
        running.add(kept);
        for (int group = 0; group < groups; ++group) {
            __pipeline_wait_prior(kUnderWay - 1);   // for this thread's own copies: no barrier
            load(group + kUnderWay);
            uint4 raw[kGroup];
#pragma unroll
            for (int k = 0; k < kGroup; ++k) {
                const int i = (group * kGroup + k) * kTeamThreads;
                raw[k] = i + kKept * kTeamThreads < n ? mine[i] : all_minus_infinity<T>();
            }
            running.add(raw);
        }
        const Part of_warp = join_lanes<T>({running.top, running.sum});
        if (lane == 0) told[warp] = of_warp;
        __syncthreads();
        if (warp == 0) {
            const Part of_block = join_lanes<T>(lane < kWarps ? told[lane] : Part{-INFINITY, 0.0f});
            if (lane == 0) tell(words + 1 + part, of_block);
            if (plan.parts <= kFewParts || part == 0) {
                const Part joined = await_all<T>(words + 1, plan.parts);
                if (lane == 0) row_part = joined;
                if (lane == 0 && plan.parts > kFewParts) tell(words, joined);
            } else if (lane == 0) {
                row_part = await(words);
            }
        }
        __syncthreads();

        // Store. All parts of this row are taken, so that the next part is another row's.
        if (t == 0) taken = (int64_t)atomicAdd(plan.words, 1ull);
        const Exponential<T> e(row_part.max);
        const float inverse = __fdividef(1.0f, row_part.sum);
#pragma unroll
        for (int k = 0; k < kKept; ++k) {
            if (k * kTeamThreads < n) store_powers(to + k * kTeamThreads * N, kept[k], e, inverse);
        }
#pragma unroll 2
        for (int i = kKept * kTeamThreads; i < n; i += kTeamThreads) store_powers(to + (int64_t)i * N, mine[i - kKept * kTeamThreads], e, inverse);
        if (t < singles) y_row[single_at] = from_float<T>(e(single) * inverse);
        __syncthreads();
    }
}

// ---- Which scope for which row ----------------------------------------------------------------------------------------------------------

struct Gpu {
    int multiprocessors, threads;                 // and threads of a multiprocessor
    int shared_in_all, shared;                    // bytes of shared memory: of a multiprocessor, of a block at most
    int clusters;                                 // whether it has them, and launches that overlap, and this code was compiled for them

    template <typename Kernel> cudaError_t ask(Kernel kernel) {
        int device;
        cudaFuncAttributes code;   // PTX for an older GPU neither sends messages nor waits for earlier launches, wherever it runs
        cudaError_t error = cudaFuncGetAttributes(&code, kernel);
        if (error == cudaSuccess) error = cudaGetDevice(&device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared_in_all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
        if (error == cudaSuccess && code.ptxVersion < 90) clusters = 0;
        return error;
    }
};

template <typename T> struct Rows {
    const T* x;
    T* y;
    int64_t rows, cols, x_row_stride, y_row_stride;
    cudaStream_t stream;
    Gpu gpu;
};

// Memory for what blocks and launches tell each other is the stream's own: safe beside other streams, and in graphs. Its pool gives all
// of it back to the system at each synchronization, and gets it again in up to a millisecond; so it may keep some. The pool reserves 32 MB
// at once: allowed less than that, it keeps nothing.
constexpr uint64_t kPoolKeeps = 64 << 20;

bool captured(cudaStream_t stream) {   // into a graph, for which nothing may be asked of the pool
    cudaStreamCaptureStatus status;
    return cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

cudaError_t let_the_pool_keep(uint64_t bytes) {
    int device;
    cudaMemPool_t pool;
    uint64_t keeps = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetMemPool(&pool, device);
    if (error == cudaSuccess) error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps);
    return error == cudaSuccess && keeps < bytes ? cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes) : error;
}

template <typename T> cudaError_t allocate(T** memory, int64_t count, cudaStream_t stream) {
    const cudaError_t error = captured(stream) ? cudaSuccess : let_the_pool_keep(kPoolKeeps);
    return error == cudaSuccess ? cudaMallocAsync((void**)memory, count * sizeof(T), stream) : error;
}

struct Launch {   // a configuration and what it points to: not to be copied
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};

    Launch(int64_t blocks, int threads, size_t bytes, cudaStream_t stream = nullptr) {
        config.gridDim = dim3((unsigned)blocks);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = bytes;
        config.stream = stream;
        config.attrs = attributes;
    }
    Launch(const Launch&) = delete;

    cudaLaunchAttributeValue& with(cudaLaunchAttributeID id) {
        attributes[config.numAttrs].id = id;
        return attributes[config.numAttrs++].val;
    }
    void in_clusters_of(int blocks) {
        cudaLaunchAttributeValue& value = with(cudaLaunchAttributeClusterDimension);
        value.clusterDim.x = blocks;
        value.clusterDim.y = value.clusterDim.z = 1;
    }
};

template <typename T, typename Kernel, typename... Arguments>
cudaError_t launch(const Rows<T>& r, Kernel kernel, int most, int64_t blocks, int threads, size_t bytes, int cluster,
                   Arguments... arguments) {   // up to `most` blocks overlap with the launch before them
    Launch launch(blocks, threads, bytes, r.stream);
    if (cluster > 1) launch.in_clusters_of(cluster);
    if (r.gpu.clusters && blocks <= most) {   // what has clusters can overlap launches, too
        launch.with(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&launch.config, kernel, arguments...);
}

template <typename T, int kVectors, int kLanes> cudaError_t launch_lanes(const Rows<T>& r) {
    const bool all = kLanes == kAllLanes;
    const int threads = all ? (int)(r.cols / kVector<T> + kVectors * 32 - 1) / (kVectors * 32) * 32 : kLaneThreads;
    const int64_t rows_of_a_block = all ? 1 : kLaneThreads / kLanes;
    const int64_t blocks = (r.rows + rows_of_a_block - 1) / rows_of_a_block;
    return launch(r, lanes_kernel<T, kVectors, kLanes>, all ? kAnyBlocks : kLaneBlocks, blocks, threads, 0, 1, r.x, r.y, r.rows,
                  (int)r.cols, r.x_row_stride, r.y_row_stride);
}

template <typename T> int slice_width(int64_t cols, int slices) {   // elements, whole cache lines
    const int64_t line = kSliceBoundary / sizeof(T);
    return (int)(((cols + slices - 1) / slices + line - 1) / line * line);
}
template <typename T> size_t slice_bytes(int width) { return width * sizeof(T) + 2 * kSliceBoundary; }

template <typename T, Scope kScope> cudaError_t launch_slices(const Rows<T>& r, int slices, Part* parts, int known = 0) {
    const int width = slice_width<T>(r.cols, slices);
    const size_t bytes = slice_bytes<T>(width);
    const auto kernel = slice_kernel<T, kScope>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) return error;
    // Where blocks are few, time is latency, and threads hide it. Where they are many, fewer threads with 6 loads or more under way do as
    // well, and other blocks have the issue slots. Measured on an H200, as all numbers here: tuning_log.md.
    const int64_t blocks = r.rows * slices;
    const int vectors = width / kVector<T>;
    const int most = sizeof(T) == 4 ? 352 : blocks <= 4 * kFewBlocks ? 256 : 192;
    const int wanted = blocks <= kFewBlocks ? min(vectors / 2, 384) : min(vectors / 6, max(most, vectors / 12));
    const int threads = min(max(wanted, kFewestThreads), kMostWarps * 32);
    return launch(r, kernel, kFewBlocks, blocks, (threads + 31) / 32 * 32, bytes, kScope == kCluster ? slices : 1, r.x, r.y, r.cols,
                  r.x_row_stride, r.y_row_stride, slices, width, parts, known);
}

// Whether clusters of so many blocks can run: on a part of a GPU, or on a small one, 16 neighbours may not be there, nor 8.
template <typename T> bool clusters_fit(const Rows<T>& r, int slices) {
    if (!r.gpu.clusters) return false;
    const auto kernel = slice_kernel<T, kCluster>;
    const int bytes = (int)slice_bytes<T>(slice_width<T>(r.cols, slices));
    Launch launch(slices, 384, bytes);
    launch.in_clusters_of(slices);
    int count = 0;
    const bool fit = (slices <= 8 || cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess) &&
                     cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess &&
                     cudaOccupancyMaxActiveClusters(&count, kernel, &launch.config) == cudaSuccess && count > 0;
    if (!fit) cudaGetLastError();   // that they do not fit is no error
    return fit;
}

// Sets `fits` and launches, if a row fits on the chip.
template <typename T, int kKept, int kBlocks> cudaError_t launch_team(const Rows<T>& r, bool* fits) {
    const auto kernel = team_kernel<T, kKept, kBlocks>;
    const int bytes = (r.gpu.shared_in_all / kBlocks - 1280) / 128 * 128;   // 1 KB is the system's; the rest for `told` and what is beside it
    const int64_t most = kKept * kTeamThreads + bytes / 128 * 8;           // vectors of a part
    const int64_t vectors = max(r.cols / kVector<T>, (int64_t)1);
    const int64_t parts = (vectors + most - 1) / most;
    int together = 0;   // blocks that a multiprocessor has room for: fewer than kBlocks where shared memory is not all for this kernel
    cudaError_t error = bytes > 0 ? cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) : cudaSuccess;
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, kTeamThreads, max(bytes, 0));
    const int64_t blocks = (int64_t)r.gpu.multiprocessors * together;
    *fits = error == cudaSuccess && bytes > 0 && parts <= blocks;
    if (error != cudaSuccess) cudaGetLastError();   // that it does not fit is no error
    if (!*fits) return cudaSuccess;
    TeamPlan<T> plan = {r.x, r.y, r.rows, r.cols, r.x_row_stride, r.y_row_stride, nullptr, (int)parts, 0};
    plan.vectors = (int)(((vectors + parts - 1) / parts + 7) / 8 * 8);
    error = allocate(&plan.words, 1 + r.rows * (parts + 1), r.stream);
    if (error != cudaSuccess) return error;
    Launch launch(min(r.rows * parts, blocks), kTeamThreads, bytes, r.stream);
    launch.with(cudaLaunchAttributeCooperative).cooperative = 1;
    error = cudaLaunchKernelEx(&launch.config, kernel, plan);
    const cudaError_t freed = cudaFreeAsync(plan.words, r.stream);
    return error != cudaSuccess ? error : freed;
}

template <typename T> cudaError_t launch_twice(const Rows<T>& r, int slices) {
    Part* parts = nullptr;
    cudaError_t error = allocate(&parts, r.rows * slices, r.stream);
    if (error != cudaSuccess) return error;
    // In a graph the first launch comes after memory, and a launch can overlap with nothing but another one.
    Rows<T> first = r;
    if (captured(r.stream)) first.gpu.clusters = 0;
    error = launch_slices<T, kFirstLaunch>(first, slices, parts);
    const bool many = slices > kManyParts;
    if (error == cudaSuccess && many) error = launch(r, join_kernel<T>, kFewBlocks, r.rows, kJoinThreads, 0, 1, parts, (int64_t)slices);
    if (error == cudaSuccess) error = launch_slices<T, kSecondLaunch>(r, slices, parts, many ? 1 : slices);
    const cudaError_t freed = cudaFreeAsync(parts, r.stream);
    return error != cudaSuccess ? error : freed;
}

template <typename T> cudaError_t softmax(Rows<T> r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    const cudaError_t error = r.gpu.ask(slice_kernel<T, kCluster>);
    if (error != cudaSuccess) return error;

    constexpr bool fp32 = sizeof(T) == 4;
    const int64_t vectors = r.cols / kVector<T>;   // a row that starts off a boundary has one less
    // Where the rows are on the chip at once, or 16-bit ones in two turns, time is latency: a block a row, two vectors a thread.
    const int64_t threads = (vectors + 63) / 64 * 32 * r.rows, at_once = (int64_t)r.gpu.multiprocessors * r.gpu.threads;
    const bool soon = vectors > 256 ? threads <= (fp32 ? 1 : 2) * at_once : vectors > 128 && r.rows <= 2 * r.gpu.multiprocessors;
    if (soon && vectors <= 2 * kAllLanes) return launch_lanes<T, 2, kAllLanes>(r);
    if (vectors <= 2) return launch_lanes<T, 1, 2>(r);
    if (vectors <= 4) return launch_lanes<T, 1, 4>(r);
    if (vectors <= 8) return launch_lanes<T, 1, 8>(r);
    if (vectors <= 16) return launch_lanes<T, 2, 8>(r);
    if (vectors <= 32) return launch_lanes<T, 2, 16>(r);
    if (vectors <= 64) return launch_lanes<T, 2, 32>(r);
    if (vectors <= 128) return launch_lanes<T, fp32 ? 8 : 4, fp32 ? 16 : 32>(r);
    if (vectors <= (fp32 ? 256 : 255)) return launch_lanes<T, 8, 32>(r);

    // Short slices, so that several blocks share a multiprocessor and one computes while another waits for memory; but no shorter than
    // pays for a block and, in the 16-bit types, for twice the arithmetic a byte.
    const int64_t kb = 1024;
    const int64_t bytes = r.cols * sizeof(T);
    const int64_t most = r.gpu.shared - 6 * kb;   // in a slice; the rest is for `told` and for what lies around the slice
    int64_t slices = bytes < 32 * kb ? 1 : fp32 ? (bytes + 6 * kb) / (12 * kb) : bytes / (16 * kb);
    if (slices > 8) slices = max((int64_t)8, fp32 ? bytes / (16 * kb) : (bytes + 32 * kb - 1) / (32 * kb));   // more only if longer
    slices = min(slices, (int64_t)kMostBlocks);
    const int64_t twice = (bytes + 64 * kb - 1) / (64 * kb);   // slices for two launches
    const bool few = r.rows * twice <= kFewBlocks;
    const int64_t beside = few ? most : r.gpu.shared_in_all / 2 - 6 * kb;   // of many blocks two should fit on a multiprocessor
    if (slices > 8 && bytes <= 8 * beside && !clusters_fit(r, (int)slices)) slices = 8;
    if (slices > 1 && bytes <= slices * beside && clusters_fit(r, (int)slices)) return launch_slices<T, kCluster>(r, (int)slices, nullptr);
    if (bytes <= most) return launch_slices<T, kBlock>(r, 1, nullptr);
    bool fits = false;
    cudaError_t launched = cudaSuccess;
    if (!few && bytes <= 10240 * kb) launched = launch_team<T, 4, 4>(r, &fits);
    if (!few && launched == cudaSuccess && !fits) launched = launch_team<T, 8, 3>(r, &fits);   // keeps more, and hides less
    return launched != cudaSuccess || fits ? launched : launch_twice(r, (int)twice);
}

extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<float>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols,
                                         int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<__half>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                          int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<__nv_bfloat16>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}
