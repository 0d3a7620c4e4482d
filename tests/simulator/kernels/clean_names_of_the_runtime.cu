// A learner's names at global scope, and macros, that the simulator uses itself: they are the learner's own.
// n: 96
// Result: x + 3
#include <cooperative_groups.h>

#define launch(kernel, grid, block, stream, ...) kernel<<<grid, block, 0, stream>>>(__VA_ARGS__)

int ok = 1;
float core = 1;
__device__ float worker = 1;
__constant__ int memory[2] = {1, 1};
struct Thread { float value; };
struct Worker { Thread thread; };
struct Config { dim3 grid, block; };
struct Site { int line; };
enum Vote { None, All };
namespace onekernel { __device__ inline float one() { return 1; } }

__device__ float report(Thread t) { return t.value; }
__device__ float shuffle(float v) { return v; }
int fail(cudaError_t error) { return error != cudaSuccess; }
int copy(int n) { return n; }
void trap() {}
void yield() {}

template <class Word>
__device__ Word from_bits(Word word) { return word; }

__global__ void k(const float* in, float* out, int64_t n) {
    int at = blockIdx.x * blockDim.x + threadIdx.x, lane = at % 32, race = 0;
    __shared__ float arena[32];
    arena[lane] = at < n ? in[at] : 0;
    __syncthreads();
    Worker w{{arena[lane] + worker}};
    if (at < n) out[at] = shuffle(report(w.thread)) + from_bits(memory[0]) + onekernel::one() + race;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    Config config{dim3(copy(3)), dim3(32 * ok)};
    Site site{None};
    trap();
    yield();
    launch(k, config.grid, config.block, stream, x, y, n);
    return fail(cudaPeekAtLastError()) || core != 1 || site.line ? cudaErrorUnknown : cudaGetLastError();
}
