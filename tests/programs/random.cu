// cuRAND on the host and in kernels; `expect` counts what is wrong. With an argument: the mistake of that number.
#include <curand.h>
#include <curand_kernel.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong = 0;
static void expect(bool holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++wrong;
}

__global__ void vectors(uint4* out, double* mrg) {
    curandStatePhilox4_32_10_t state;
    curand_init(0, 0, 0, &state);
    out[0] = curand4(&state);
    out[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
    out[2] = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0));
    // The same place by an offset, by steps and by a jump; a subsequence is 2^64 blocks.
    curandStatePhilox4_32_10_t far, near;
    curand_init(7, 3, 9, &far);
    curand_init(7, 2, 4, &near);
    for (int i = 0; i < 3; ++i) curand(&near);
    skipahead(2, &near), skipahead_sequence(1, &near);
    out[3] = curand4(&far), out[4] = curand4(&near);
    curandStateMRG32k3a_t m, jumped;
    curand_init(0, 0, 0, &m);
    for (int i = 0; i < 3; ++i) mrg[i] = curand_uniform_double(&m);
    curand_init(0, 0, 2, &jumped);
    mrg[3] = curand_uniform_double(&jumped);
}

// What element n of the host's sequence is: place n / 4096 of sequence n % 4096.
__global__ void places(float* out, unsigned long long seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandState state;
    curand_init(seed, i % 4096, i / 4096, &state);
    out[i] = curand_uniform(&state);
}

template <class State>
__global__ void start(State* states, unsigned long long seed) {
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &states[blockIdx.x * blockDim.x + threadIdx.x]);
}
template <class State>
__global__ void moments(State* states, double* sums, int draws) {
    State state = states[blockIdx.x * blockDim.x + threadIdx.x];
    double u = 0, n = 0, n2 = 0, p = 0, d = 0;
    for (int i = 0; i < draws; ++i) {
        u += curand_uniform(&state);
        const float normal = curand_normal(&state);
        n += normal, n2 += normal * normal, p += curand_poisson(&state, 3.0), d += curand_uniform_double(&state);
    }
    states[blockIdx.x * blockDim.x + threadIdx.x] = state;
    atomicAdd(&sums[0], u), atomicAdd(&sums[1], n), atomicAdd(&sums[2], n2), atomicAdd(&sums[3], p), atomicAdd(&sums[4], d);
}
__global__ void shared_state(curandState* state, float* out) {
    out[threadIdx.x] = curand_uniform(state);  // <- 1:race-global
}

template <class State>
static void distributions(const char* name) {
    State* states;
    double *sums, got[5];
    const int threads = 128, draws = 64;
    cudaMalloc(&states, threads * sizeof *states), cudaMalloc(&sums, sizeof got), cudaMemset(sums, 0, sizeof got);
    start<<<2, threads / 2>>>(states, 42);
    moments<<<2, threads / 2>>>(states, sums, draws);
    cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost);
    const double all = threads * draws;  // five standard deviations each
    expect(std::fabs(got[0] / all - 0.5) < 5 * 0.2887 / std::sqrt(all) && std::fabs(got[4] / all - 0.5) < 5 * 0.2887 / std::sqrt(all), name);
    expect(std::fabs(got[1] / all) < 5 / std::sqrt(all) && std::fabs(got[2] / all - 1) < 5 * 1.4142 / std::sqrt(all), name);
    expect(std::fabs(got[3] / all - 3) < 5 * 1.7321 / std::sqrt(all), name);
    cudaFree(states), cudaFree(sums);
}

static void numbers() {
    uint4 *words, got[5];
    double *mrg, of_mrg[4];
    cudaMalloc(&words, sizeof got), cudaMalloc(&mrg, sizeof of_mrg);
    vectors<<<1, 1>>>(words, mrg);
    cudaMemcpy(got, words, sizeof got, cudaMemcpyDeviceToHost), cudaMemcpy(of_mrg, mrg, sizeof of_mrg, cudaMemcpyDeviceToHost);
    // Random123's known answers.
    const unsigned known[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                  {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; ++i)
        expect(got[i].x == known[i][0] && got[i].y == known[i][1] && got[i].z == known[i][2] && got[i].w == known[i][3], "Philox");
    expect(got[3].x == got[4].x && got[3].w == got[4].w && got[3].x != got[0].x, "Philox's places");
    expect(std::fabs(of_mrg[0] - 0.127011122046577) < 1e-14 && of_mrg[3] == of_mrg[2], "MRG32k3a");
    cudaFree(words), cudaFree(mrg);

    const int n = 4096 + 10;
    float* device;
    std::vector<float> host(n), kernel(n), later(6);
    cudaMalloc(&device, n * sizeof(float));
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    expect(curandGenerateUniform(generator, device, n) == CURAND_STATUS_SUCCESS, "status");
    cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
    // What the example of cuRAND's manual prints.
    const float printed[] = {0.1455f, 0.8202f, 0.5504f, 0.2948f, 0.9147f, 0.8690f, 0.3219f, 0.7829f, 0.0113f, 0.2855f};
    for (int i = 0; i < 10; ++i) expect(std::fabs(host[i] - printed[i]) < 0.00005f, "XORWOW");
    places<<<(n + 255) / 256, 256>>>(device, 1234, n);
    cudaMemcpy(kernel.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
    expect(host == kernel, "XORWOW's places");
    curandDestroyGenerator(generator);
    curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW);
    curandSetPseudoRandomGeneratorSeed(generator, 1234), curandSetGeneratorOffset(generator, 4100);
    curandGenerateUniform(generator, later.data(), 6);
    expect(std::vector<float>(host.begin() + 4100, host.end()) == later, "an offset");
    curandDestroyGenerator(generator);

    for (curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MRG32K3A}) {
        double sum = 0, squares = 0;
        curandCreateGenerator(&generator, type);
        curandGenerateNormal(generator, device, 4096, 2.0f, 0.5f);
        cudaMemcpy(host.data(), device, 4096 * sizeof(float), cudaMemcpyDeviceToHost);
        for (int i = 0; i < 4096; ++i) sum += host[i], squares += (host[i] - 2) * (host[i] - 2);
        expect(std::fabs(sum / 4096 - 2) < 0.04 && std::fabs(squares / 4096 - 0.25) < 0.03, "normal");
        curandDestroyGenerator(generator);
    }
    cudaFree(device);
    distributions<curandState>("XORWOW's distributions");
    distributions<curandStatePhilox4_32_10_t>("Philox's distributions");
    distributions<curandStateMRG32k3a>("MRG32k3a's distributions");
}

static void mistake(int number) {
    curandGenerator_t generator;
    curandCreateGenerator(&generator, number == 4 ? CURAND_RNG_QUASI_SOBOL32 : CURAND_RNG_PSEUDO_DEFAULT);  // <- 4:library-refused
    if (number == 4) return;
    float* device;
    std::vector<float> host(64);
    cudaMalloc(&device, 64 * sizeof(float));
    curandState* state;
    cudaMalloc(&state, sizeof *state);
    if (number == 1) start<<<1, 1>>>(state, 1), shared_state<<<1, 64>>>(state, device);
    if (number == 2) curandGenerateUniform(generator, host.data(), 64);  // <- 2:library-pointer
    if (number == 3) curandGenerateNormal(generator, device, 63, 0.0f, 1.0f);  // <- 3:library-refused
    if (number == 5) curandGenerateUniform(generator, device, 64 * sizeof(float));  // <- 5:library-extent
    curandDestroyGenerator(generator);
    cudaFree(device), cudaFree(state);
}

int main(int count, char** words) {
    if (count > 1) mistake(atoi(words[1]));
    else numbers();
    return wrong;
}
