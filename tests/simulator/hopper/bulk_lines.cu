// Plain bulk copies: a line of bytes to shared memory and back, by two blocks, with a ring of two stages that are filled again and again.
#include "common.h"

constexpr int LINE = 240, STAGES = 2, LINES = 7;   // elements of a line

__global__ void rotate(const int* in, int* out) {
    __shared__ alignas(16) int ring[STAGES][LINE], done[STAGES][LINE];
    __shared__ uint64_t full[STAGES];
    in += blockIdx.x * LINES * LINE, out += blockIdx.x * LINES * LINE;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) barrier_init(&full[s], 1);
    __syncthreads();
    auto fetch = [&](int line) {
        const int s = line % STAGES;
        barrier_expect(&full[s], sizeof ring[s]);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(at(ring[s])), "l"(in + line * LINE), "r"((int)sizeof ring[s]), "r"(at(&full[s])) : "memory");
    };
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) fetch(i);
    for (int i = 0; i < LINES; ++i) {
        const int s = i % STAGES;
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STAGES - 1) : "memory");
        __syncthreads();
        barrier_wait(&full[s], i / STAGES % 2);
        for (int c = threadIdx.x; c < LINE; c += blockDim.x) done[s][c] = ring[s][(c + 1) % LINE] + i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;"
                         ::"l"(out + i * LINE), "r"(at(done[s])), "r"((int)sizeof done[s]) : "memory");
            if (i + STAGES < LINES) fetch(i + STAGES);
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

int main() {
    std::vector<int> host(2 * LINES * LINE);
    for (size_t i = 0; i < host.size(); ++i) host[i] = (int)i * 3 + 1;
    int *in = on_device(host), *out = on_device(std::vector<int>(host.size(), 0));
    rotate<<<2, 96>>>(in, out);
    const std::vector<int> got = on_host(out, host.size());
    long wrong = 0;
    for (size_t i = 0; i < host.size(); ++i) wrong += got[i] != host[i / LINE * LINE + (i + 1) % LINE] + (int)(i / LINE % LINES);
    DO(cudaFree(in));
    DO(cudaFree(out));
    verdict("lines", wrong);
    puts(wrong ? "wrong" : "right");
    return wrong != 0;
}
