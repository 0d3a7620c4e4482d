// softmax_tuned: row softmax at the speed of a copy, in fp32, fp16 and bf16, for any rows, columns, row strides and alignment.
//
// Check: onekernel check softmax_tuned
// Bench: onekernel bench softmax_tuned
// <gap>
//| //
//| // Yours to design. Begin with what softmax_block does, make it right for the three element types, then make it faster one step at a time:
//| // predict, change, measure, explain, and write each step down in tuning_log.md. solutions/ladder/ holds a technique a file.
//| //
//| // The idea: ...
//| // Ledger: reads ?, writes ?
//| // But: ...
//|
//| #include <cuda_bf16.h>
//| #include <cuda_fp16.h>
//| #include <cuda_runtime.h>
//| #include <math.h>
//| #include <stdint.h>
//|
//| template <typename T>
//| __global__ void softmax_kernel(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
//|     // TODO: compute in float, whatever T is: float v = (float)x[...], and y[...] = (T)v.
//|     (void)x; (void)y; (void)rows; (void)cols; (void)x_row_stride; (void)y_row_stride;
//| }
//|
//| template <typename T> struct Rows {
//|     const T* x;
//|     T* y;
//|     int64_t rows, cols, x_row_stride, y_row_stride;
//|     cudaStream_t stream;
//| };
//|
//| template <typename T> cudaError_t softmax(const Rows<T>& r) {
//|     if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
//|     // TODO: how many blocks of how many threads? Need it be the same for 100 columns and for 100000?
//|     softmax_kernel<T><<<1, 256, 0, r.stream>>>(r.x, r.y, r.rows, r.cols, r.x_row_stride, r.y_row_stride);
//|     return cudaGetLastError();
//| }
//
// The idea: one load, one reduction, one store. A row is read once, kept on the chip, and written once. From the shortest row to the
// longest, only the scope of the reduction changes:
//     rows up to 4 KB     a few lanes of a warp keep a row in registers and join by shuffles; a warp takes several short rows
//     up to 32 KB         a block keeps a row in shared memory, and its warps join there
//     up to 3.5 MB        a cluster of up to 16 blocks shares a row, and its warps send each other what they found (sm_90 and newer)
//     beyond              as many blocks as it takes, which meet where one launch ends and the next begins: the row is read twice
// In every scope a warp computes its exponentials against its own maximum. All that it has to tell the others is one Part, that maximum
// and the sum of its exponentials; so the threads that share a row meet only once.
//
// Ledger (lanes): reads 1, writes 1
// Ledger (block): reads 1, writes 1
// Ledger (cluster): reads 1, writes 1
// Ledger (two launches): reads 2, writes 1
// But: memory is its limit, as it is a copy's. To go further, fuse it with the operator before or after it, and the row need not move.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
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

// exp(v - origin), times a constant near 1 for the 16-bit types.
template <typename T> struct Exponential {
    float origin, scale, shift;
    __device__ __forceinline__ explicit Exponential(float largest) {
        origin = largest == -INFINITY ? 0.0f : largest;   // of -inf alone: exp(-inf - 0) is 0, where exp(-inf - -inf) would be NaN
        // Beyond 2^20 neighbouring 16-bit numbers lie 4096 apart or more, so that exp of a difference is 1 or 0 in any base.
        scale = fabsf(origin) < 1048576.0f ? kLog2e : 1.0f;
        shift = origin * scale;
    }
    __device__ __forceinline__ float operator()(float v) const {
        if (sizeof(T) == 4) return power_of_two((v - origin) * kLog2e);
        return power_of_two(fmaf(v, scale, -shift));   // an instruction less, but `shift` is rounded: the same factor for every v
    }
    __device__ __forceinline__ float at_origin() const { return sizeof(T) == 4 ? 1.0f : power_of_two(fmaf(origin, scale, -shift)); }
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

struct __align__(8) Part {   // of a row: its largest element, and the sum of exp(x - max) over it
    float max;
    float sum;
};

// Joins `count` parts in shared or global memory; each warp does it for itself, and each of its lanes gets the result.
__device__ __forceinline__ Part join(const Part* parts, int count) {
    float m = -INFINITY;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < count; i += 32) m = fmaxf(m, parts[i].max);
    m = lanes_max<32>(m);
    const Exponential<float> e(m);
    float s = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < count; i += 32) s += parts[i].sum * e(parts[i].max);
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

// kLanes lanes take a row, kVectors vectors each.
template <typename T, int kVectors, int kLanes>
__global__ void __launch_bounds__(kLaneThreads)
lanes_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int cols, int64_t x_row_stride, int64_t y_row_stride) {
    constexpr int N = kVector<T>;
    int64_t row = (int64_t)blockIdx.x * (kLaneThreads / kLanes) + threadIdx.x / kLanes;
    if (row >= rows) {   // these lanes have no row, but the shuffles wait for them
        row = 0;
        cols = 0;
    }
    const int lane = threadIdx.x % kLanes;
    const T* x_row = x + row * x_row_stride;
    T* y_row = y + row * y_row_stride;
    constexpr int kBoundary = 8 * sizeof(T);
    constexpr int kSingles = (kMostSingles<T, kBoundary> + kLanes - 1) / kLanes;
    const Layout<T> layout(y_row, cols, kBoundary);   // of the output, where a misaligned access would cost more
    await_earlier_launches();

    // Load. Nothing is computed before all loads are under way.
    uint4 vectors[kVectors];
    T raw_singles[kSingles];
    const T* from = x_row + layout.head + lane * N;
    const bool aligned = on_16_bytes(x_row + layout.head);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) {
        const int i = lane + k * kLanes;
        raw_singles[k] = from_float<T>(-INFINITY);
        if (i < layout.singles) raw_singles[k] = x_row[layout.single(i)];
    }
#pragma unroll
    for (int k = 0; k < kVectors; ++k) vectors[k] = all_minus_infinity<T>();
    if (aligned) {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * kLanes < layout.vectors) vectors[k] = __ldg((const uint4*)(from + k * kLanes * N));
        }
    } else {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * kLanes < layout.vectors) vectors[k] = gather(from + k * kLanes * N);
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
    const Exponential<T> e(lanes_max<kLanes>(largest));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kVectors * N; ++i) sum += v[i] = e(v[i]);
#pragma unroll
    for (int k = 0; k < kSingles; ++k) sum += singles[k] = e(singles[k]);
    const float inverse = __fdividef(1.0f, lanes_sum<kLanes>(sum));   // a row of -inf alone: 0 * (1 / 0) is NaN, as it should be

    // Store.
    T* to = y_row + layout.head + lane * N;
#pragma unroll
    for (int i = 0; i < kVectors * N; ++i) v[i] *= inverse;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
        if (lane + k * kLanes < layout.vectors) __stwb((uint4*)(to + k * kLanes * N), pack<T>(v + k * N));
    }
#pragma unroll
    for (int k = 0; k < kSingles; ++k) {
        const int i = lane + k * kLanes;
        if (i < layout.singles) y_row[layout.single(i)] = from_float<T>(singles[k] * inverse);
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

constexpr int kMostWarps = 32;
constexpr int kMostBlocks = 16;       // of a cluster
constexpr int kSliceBoundary = 128;   // bytes: a cache line. Vectors that start on it fill the sectors that they touch
constexpr int kFewestThreads = 64;    // enough for the singles up to a boundary of 64 bytes

// A row is cut into `slices` of `width` elements, a block each. `parts` is used between two launches.
template <typename T, Scope kScope>
__global__ void __launch_bounds__(kMostWarps * 32)
slice_kernel(const T* x, T* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, int slices, int width,
             Part* parts) {
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
    if (kScope != kSecondLaunch) await_earlier_launches();   // the second one reads here what the first one reads, too
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
        const Part mine = {largest, __fdividef(lanes_sum<32>(sum), e.at_origin())};
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
        whole = join(told, kScope == kCluster ? slices * warps : warps);
    }
    if (kScope == kFirstLaunch) {
        if (t == 0) row_parts[slice] = whole;
        return;
    }
    if (kScope == kSecondLaunch) {
        await_earlier_launches();   // now the first one has ended
        whole = join(row_parts, slices);
    }

    // Store. Where input and output lie alike, a thread writes what it has loaded; otherwise it takes its output's elements from the copy.
    const Exponential<T> e(whole.max);
    const float inverse = __fdividef(1.0f, whole.sum * e.at_origin());
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

// ---- Which scope for which row ----------------------------------------------------------------------------------------------------------

template <typename T> struct Rows {
    const T* x;
    T* y;
    int64_t rows, cols, x_row_stride, y_row_stride;
    cudaStream_t stream;
    int clusters, shared;   // of the GPU: whether it has clusters, and how many bytes of shared memory a block may have
};

template <typename T, typename Kernel, typename... Arguments>
cudaError_t launch(const Rows<T>& r, Kernel kernel, int64_t blocks, int threads, size_t bytes, int cluster, Arguments... arguments) {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.stream = r.stream;
    config.attrs = attributes;
    if (cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    }
    if (r.clusters && blocks <= kFewBlocks) {   // what has clusters can overlap launches, too
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <typename T, int kVectors, int kLanes> cudaError_t launch_lanes(const Rows<T>& r) {
    const int64_t rows_of_a_block = kLaneThreads / kLanes;
    const int64_t blocks = (r.rows + rows_of_a_block - 1) / rows_of_a_block;
    return launch(r, lanes_kernel<T, kVectors, kLanes>, blocks, kLaneThreads, 0, 1, r.x, r.y, r.rows, (int)r.cols, r.x_row_stride,
                  r.y_row_stride);
}

template <typename T, Scope kScope> cudaError_t launch_slices(const Rows<T>& r, int slices, Part* parts) {
    const int64_t line = kSliceBoundary / sizeof(T);
    const int width = (int)(((r.cols + slices - 1) / slices + line - 1) / line * line);
    const size_t bytes = width * sizeof(T) + 2 * kSliceBoundary;
    const auto kernel = slice_kernel<T, kScope>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error == cudaSuccess && kScope == kCluster && slices > 8) {
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    if (error != cudaSuccess) return error;
    // Where blocks are few, time is latency, and threads hide it. Where they are many, fewer threads with 6 loads or more under way do as
    // well, and other blocks have the issue slots. Measured on an H200, as all numbers here: tuning_log.md.
    const int64_t blocks = r.rows * slices;
    const int vectors = width / kVector<T>;
    const int most = sizeof(T) == 4 ? 352 : blocks <= 4 * kFewBlocks ? 256 : 192;
    const int wanted = blocks <= kFewBlocks ? min(vectors / 2, 384) : min(vectors / 6, max(most, vectors / 12));
    const int threads = min(max(wanted, kFewestThreads), kMostWarps * 32);
    return launch(r, kernel, blocks, (threads + 31) / 32 * 32, bytes, kScope == kCluster ? slices : 1, r.x, r.y, r.cols, r.x_row_stride,
                  r.y_row_stride, slices, width, parts);
}

template <typename T> cudaError_t launch_twice(const Rows<T>& r, int slices) {
    Part* parts = nullptr;   // from the stream's own pool: safe beside other streams and in graphs
    cudaError_t error = cudaMallocAsync((void**)&parts, r.rows * slices * sizeof(Part), r.stream);
    if (error != cudaSuccess) return error;
    error = launch_slices<T, kFirstLaunch>(r, slices, parts);
    if (error == cudaSuccess) error = launch_slices<T, kSecondLaunch>(r, slices, parts);
    const cudaError_t freed = cudaFreeAsync(parts, r.stream);
    return error != cudaSuccess ? error : freed;
}

template <typename T> cudaError_t softmax(Rows<T> r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&r.clusters, cudaDevAttrClusterLaunch, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&r.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return error;

    constexpr bool fp32 = sizeof(T) == 4;
    const int64_t vectors = r.cols / kVector<T>;   // a row that starts off a boundary has one less
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
    const int64_t most = r.shared - 6 * kb;   // in a slice; the rest is for `told` and for what lies around the slice
    int64_t slices = bytes < 32 * kb ? 1 : fp32 ? (bytes + 6 * kb) / (12 * kb) : bytes / (16 * kb);
    if (slices > 8) slices = max((int64_t)8, fp32 ? bytes / (16 * kb) : (bytes + 32 * kb - 1) / (32 * kb));   // more only if longer
    if (r.clusters && slices > 1 && bytes <= kMostBlocks * most) {
        return launch_slices<T, kCluster>(r, (int)min(slices, (int64_t)kMostBlocks), nullptr);
    }
    if (bytes <= most) return launch_slices<T, kBlock>(r, 1, nullptr);
    return launch_twice(r, (int)((bytes + 64 * kb - 1) / (64 * kb)));
}
// </gap>

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
