// 2_mbarrier: two warps hand over a value per lane, round after round, through one slot and two barriers.
//
// Run: nvcc -arch=compute_90a -code=sm_90a -o mbarrier solutions/reading/hopper/2_mbarrier.cu && ./mbarrier
//
// The idea: arriving and waiting are two instructions. Who has written arrives at `full` and goes on; who wants to read waits
// for it. A barrier counts phases, and a wait names the parity of the phase that must be over: 0, 1, 0, 1, ...
//
// But: with a single slot the two warps still take turns. A ring of slots lets the writer run ahead (4_producer.cu).

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

#include <vector>

__device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void init(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(uint64_t* barrier) {   // what this thread wrote before is seen by who waits for this phase
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void wait_for(uint64_t* barrier, uint32_t parity) {   // until the phase of this parity is over
    uint32_t over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!over);
}

__host__ __device__ uint32_t value(uint32_t round, uint32_t lane) { return (round * 32 + lane) * 2654435761u; }

__global__ void hand_over(uint32_t* out, int rounds) {
    __shared__ uint32_t slot[32];
    __shared__ uint64_t full, empty;
    const uint32_t lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&full, 32);    // a phase is over when 32 threads have arrived
        init(&empty, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {   // the writer
        for (int round = 0; round < rounds; ++round) {
            wait_for(&empty, (round & 1) ^ 1);   // round 0 asks for a phase before the first: it counts as over
            slot[lane] = value(round, lane);
            arrive(&full);
        }
    } else {   // the reader
        uint32_t seen = 0;
        for (int round = 0; round < rounds; ++round) {
            wait_for(&full, round & 1);
            seen = seen * 31 + slot[lane];   // depends on the order: a value that is read twice or never changes it
            arrive(&empty);
        }
        out[lane] = seen;
    }
}

extern "C" cudaError_t mbarrier(uint32_t* out, int64_t rounds, cudaStream_t stream) {
    hand_over<<<1, 64, 0, stream>>>(out, (int)rounds);
    return cudaGetLastError();
}

int main() {
    const int rounds = 1001;
    std::vector<uint32_t> out(32);
    uint32_t* out_d;
    cudaMalloc(&out_d, out.size() * sizeof(uint32_t));
    cudaError_t error = mbarrier(out_d, rounds, 0);
    if (error == cudaSuccess) error = cudaMemcpy(out.data(), out_d, out.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int lane = 0; lane < 32; ++lane) {
        uint32_t seen = 0;
        for (int round = 0; round < rounds; ++round) seen = seen * 31 + value(round, lane);
        wrong += out[lane] != seen;
    }
    printf("2_mbarrier: %s, %d of 32 lanes wrong\n", cudaGetErrorString(error), wrong);
    cudaFree(out_d);
    return error != cudaSuccess || wrong != 0;
}
