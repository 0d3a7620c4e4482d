// What the programs of this folder share: the few instructions that they try around the one that each is about, numbers that products give
// exactly, and a verdict.
#pragma once
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

#include <vector>

#define DO(call)                                                                        \
    do {                                                                                \
        const cudaError_t error = (call);                                               \
        if (error != cudaSuccess) {                                                     \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));       \
            exit(2);                                                                    \
        }                                                                               \
    } while (0)

__device__ inline uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ inline void barrier_init(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void barrier_expect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}
__device__ inline void barrier_wait(uint64_t* barrier, uint32_t parity) {
    uint32_t over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(barrier)), "r"(parity) : "memory");
    } while (!over);
}
__device__ inline void load_box(uint32_t to, const CUtensorMap* map, int x, int y, uint64_t* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(at(barrier)) : "memory");
}

using Encode = decltype(&cuTensorMapEncodeTiled);
inline Encode encoder() {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult how;
    DO(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how));
    if (!found) {
        printf("the driver has no cuTensorMapEncodeTiled\n");
        exit(2);
    }
    return (Encode)found;
}

// A tensor of rows of `pitch` bytes: `sizes` and `box` with the innermost dimension first.
inline CUtensorMap tensor(CUtensorMapDataType type, int rank, void* base, const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                          CUtensorMapSwizzle swizzle) {
    const cuuint32_t every[5] = {1, 1, 1, 1, 1};
    CUtensorMap map;
    const CUresult error = encoder()(&map, type, rank, base, sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS) {
        printf("cuTensorMapEncodeTiled: %d\n", (int)error);
        exit(2);
    }
    return map;
}

// Where a byte of shared memory comes to lie by a swizzle of 2^bits pieces of 16 bytes: none, 32, 64 or 128 bytes for 0 to 3.
__host__ __device__ inline uint32_t swizzled(uint32_t address, int bits) { return address ^ (address >> 7 & ((1u << bits) - 1)) << 4; }

template <class T>
T* on_device(const std::vector<T>& host) {
    T* p;
    DO(cudaMalloc(&p, host.size() * sizeof(T)));
    DO(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T>
std::vector<T> on_host(const T* p, size_t count) {
    std::vector<T> host(count);
    DO(cudaMemcpy(host.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// Small whole numbers, of which products and sums are exact in any order.
inline int small(size_t i, int kind) { return (int)((i * (kind ? 37 : 23) + i / 7 * 11 + kind) % 9) - 4; }

inline int verdict(const char* what, long wrong) {
    if (wrong) printf("%s: %ld wrong\n", what, wrong);
    return wrong != 0;
}
