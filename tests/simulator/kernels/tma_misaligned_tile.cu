// A tile that begins 64 bytes past a multiple of 128.
// n: 1536
// arch: sm_90a
// status: cudaErrorMisalignedAddress
#include <cuda.h>
#include <cuda_bf16.h>
#include <stdint.h>
__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* barrier) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(barrier)) : "memory"); }
__device__ void expect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}
__device__ void wait(uint64_t* barrier, int parity) {
    uint32_t over;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(over) : "r"(at(barrier)), "r"(parity) : "memory");
    } while (!over);
}

__global__ void k(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, const float* plain, int turns) {
    __shared__ alignas(1024) float tile[16][32], back[16][32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) init(&full);
    __syncthreads();
    for (int turn = 0; turn < turns; turn++) {
        if (threadIdx.x == 0) {
            expect(&full, sizeof tile);
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"  // <- bad-bulk-copy
                         ::"r"(at(tile) + 64), "l"(&in), "r"(0), "r"(16 * turn), "r"(at(&full)) : "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        wait(&full, turn % 2);
        __syncthreads();
        for (int i = 0; i < 16; i++) back[i][threadIdx.x] = tile[i][31 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out), "r"(0), "r"(16 * turn), "r"(at(back)) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    void* found;
    cudaDriverEntryPointQueryResult how;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how);
    auto encode = (decltype(&cuTensorMapEncodeTiled))found;
    CUtensorMap in, out;
    const cuuint64_t sizes[2] = {32, 48}, strides[1] = {128};
    const cuuint32_t box[2] = {32, 16}, every[2] = {1, 1};
    const auto swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    for (int i = 0; i < 2; i++)
        if (encode(i ? &out : &in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, i ? y : (void*)x, sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return cudaErrorInvalidValue;
    k<<<1, 32, 0, stream>>>(in, out, x, 3);
    return cudaGetLastError();
}
