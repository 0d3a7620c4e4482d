// cuRAND's host API (CUDA 13.0, cuRAND documentation, "Host API Overview"). The numbers of XORWOW are CUDA's in its older order,
// those of the other generators have CUDA's distribution.
#pragma once
#include "cuda_runtime.h"
#include "library_types.h"
#include "ok/libraries.h"
#include "ok/random.h"

#define CURAND_H_  // files that serve several libraries ask for it
#define CURAND_VERSION 10400

typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
typedef enum curandRngType {
    CURAND_RNG_TEST = 0,
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
    CURAND_RNG_QUASI_SOBOL64 = 203,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;
typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103,
    CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
    CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;

struct curandGenerator_st {
    int type;
    bool on_host;
    cudaStream_t stream;
    unsigned long long seed, offset;
    ::__ok::RandomStream* numbers;  // null: to be made anew
};
typedef curandGenerator_st* curandGenerator_t;

#define OK_CURAND(name) OK_LIBRARY_HOST_ONLY OK_INLINE curandStatus_t curand##name
namespace __ok {
OK_INLINE curandStatus_t create_generator(curandGenerator_t* generator, curandRngType_t type, bool on_host, const char* what, Site at) {
    const LibraryCall call{what, nullptr, at};
    const int ours = type <= CURAND_RNG_PSEUDO_XORWOW ? RANDOM_XORWOW : type == CURAND_RNG_PSEUDO_MRG32K3A ? RANDOM_MRG32K3A : RANDOM_PHILOX;
    if (type < CURAND_RNG_PSEUDO_DEFAULT || type >= CURAND_RNG_QUASI_DEFAULT) {
        ok_library_refused(&call, "CURAND_STATUS_TYPE_ERROR", "generator", "rng_type", type, 0);
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = new curandGenerator_st{ours, on_host, nullptr, 0, 0, nullptr};
    return CURAND_STATUS_SUCCESS;
}
OK_INLINE curandStatus_t generate(curandGenerator_t generator, int what, void* out, size_t n, int type, const char* function, Site at,
                                  double a = 0, double b = 1) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    const LibraryCall call{function, generator->stream, at};
    const int numbers = what & ~RANDOM_DOUBLE;
    if ((numbers == RANDOM_NORMAL || numbers == RANDOM_LOG_NORMAL) && n % 2) {
        ok_library_refused(&call, "CURAND_STATUS_LENGTH_NOT_MULTIPLE", "even", "n", static_cast<long long>(n), 2);
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    }
    const Operand operand{"outputPtr", out, 1, static_cast<long long>(n), 1, type, false, true};
    if (!generator->on_host && !ok_library_operands(&call, &operand, 1)) return CURAND_STATUS_LAUNCH_FAILURE;
    if (generator->numbers == nullptr) generator->numbers = ok_random_create(generator->type, generator->seed, generator->offset);
    ok_random_fill(generator->numbers, what, out, n, a, b);
    return CURAND_STATUS_SUCCESS;
}
OK_INLINE curandStatus_t restart(curandGenerator_t generator) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->numbers != nullptr) ok_random_destroy(generator->numbers);
    generator->numbers = nullptr;
    return CURAND_STATUS_SUCCESS;
}
}  // namespace __ok

OK_CURAND(CreateGenerator)(curandGenerator_t* generator, curandRngType_t rng_type, OK_AT) {
    return __ok::create_generator(generator, rng_type, false, "curandCreateGenerator", at);
}
OK_CURAND(CreateGeneratorHost)(curandGenerator_t* generator, curandRngType_t rng_type, OK_AT) {
    return __ok::create_generator(generator, rng_type, true, "curandCreateGeneratorHost", at);
}
OK_CURAND(DestroyGenerator)(curandGenerator_t generator) {
    const curandStatus_t status = __ok::restart(generator);
    delete generator;
    return status;
}
OK_CURAND(SetPseudoRandomGeneratorSeed)(curandGenerator_t generator, unsigned long long seed) {
    const curandStatus_t status = __ok::restart(generator);
    if (status == CURAND_STATUS_SUCCESS) generator->seed = seed;
    return status;
}
OK_CURAND(SetGeneratorOffset)(curandGenerator_t generator, unsigned long long offset) {
    const curandStatus_t status = __ok::restart(generator);
    if (status == CURAND_STATUS_SUCCESS) generator->offset = offset;
    return status;
}
OK_CURAND(SetGeneratorOrdering)(curandGenerator_t generator, curandOrdering_t) { return __ok::restart(generator); }
OK_CURAND(SetStream)(curandGenerator_t generator, cudaStream_t stream) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
OK_CURAND(GenerateSeeds)(curandGenerator_t generator) { return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS; }
OK_CURAND(GetVersion)(int* version) {
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
OK_CURAND(Generate)(curandGenerator_t generator, unsigned* outputPtr, size_t num, OK_AT) {
    return __ok::generate(generator, __ok::RANDOM_BITS, outputPtr, num, __ok::INT32, "curandGenerate", at);
}
OK_CURAND(GeneratePoisson)(curandGenerator_t generator, unsigned* outputPtr, size_t n, double lambda, OK_AT) {
    if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    return __ok::generate(generator, __ok::RANDOM_POISSON, outputPtr, n, __ok::INT32, "curandGeneratePoisson", at, lambda);
}
#define OK_GENERATE(suffix, T, E, flag)                                                                                                    \
    OK_CURAND(GenerateUniform##suffix)(curandGenerator_t generator, T * outputPtr, size_t num, OK_AT) {                                    \
        return __ok::generate(generator, __ok::RANDOM_UNIFORM | (flag), outputPtr, num, E, "curandGenerateUniform" #suffix, at);           \
    }                                                                                                                                      \
    OK_CURAND(GenerateNormal##suffix)(curandGenerator_t generator, T * outputPtr, size_t n, T mean, T stddev, OK_AT) {                     \
        return __ok::generate(generator, __ok::RANDOM_NORMAL | (flag), outputPtr, n, E, "curandGenerateNormal" #suffix, at, mean, stddev); \
    }                                                                                                                                      \
    OK_CURAND(GenerateLogNormal##suffix)(curandGenerator_t generator, T * outputPtr, size_t n, T mean, T stddev, OK_AT) {                  \
        return __ok::generate(generator, __ok::RANDOM_LOG_NORMAL | (flag), outputPtr, n, E, "curandGenerateLogNormal" #suffix, at, mean,   \
                              stddev);                                                                                                     \
    }
OK_GENERATE(, float, __ok::FLOAT32, 0)
OK_GENERATE(Double, double, __ok::FLOAT64, __ok::RANDOM_DOUBLE)
#undef OK_GENERATE
