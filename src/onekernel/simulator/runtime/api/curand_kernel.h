// cuRAND's device API: states, and the numbers that they give (CUDA 13.0, cuRAND documentation, "Device API Overview").
// A state is read and written as the kernel's own variables are: threads that share one race.
#pragma once
#include "cuda_runtime.h"
#include "ok/random_engines.h"
#ifdef OK_PROGRAM
#include "curand.h"
#endif

// As large as cuRAND's. What would be a gap has a name, so that a copied state holds nothing that nobody wrote.
#define OK_RANDOM_EXTRA(gap)   \
    int boxmuller_flag;        \
    int boxmuller_flag_double; \
    float boxmuller_extra;     \
    gap                        \
    double boxmuller_extra_double;

struct curandStateXORWOW {
    unsigned d, v[5];
    OK_RANDOM_EXTRA(int ok_gap;)
};
struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    OK_RANDOM_EXTRA(int ok_gap;)
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    OK_RANDOM_EXTRA()
};
#undef OK_RANDOM_EXTRA
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// --- bits -----------------------------------------------------------------------------------------------------------
OK_ALWAYS unsigned curand(curandStateXORWOW* state) { return __ok::xorwow_next(state); }
OK_ALWAYS unsigned curand(curandStateMRG32k3a* state) {
    return static_cast<unsigned>(__ok::mrg_next(state) * 1.000000048662);
}
OK_ALWAYS uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
    const __ok::Words4 w = __ok::philox({counter.x, counter.y, counter.z, counter.w}, key.x, key.y);
    return make_uint4(w.x, w.y, w.z, w.w);
}
namespace __ok {
// A counter of 128 bits: offsets in its lower half, which carries into the upper one, subsequences in that.
OK_ALWAYS void philox_advance(curandStatePhilox4_32_10* state, unsigned long long blocks, unsigned long long subsequences) {
    const uint4 c = state->ctr;
    const unsigned long long low = (static_cast<unsigned long long>(c.y) << 32 | c.x) + blocks;
    const unsigned long long high = (static_cast<unsigned long long>(c.w) << 32 | c.z) + subsequences + (low < blocks);
    state->ctr = make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                            static_cast<unsigned>(high >> 32));
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
}  // namespace __ok
OK_ALWAYS unsigned curand(curandStatePhilox4_32_10* state) {
    const unsigned at = state->STATE;
    const uint4 words = state->output;
    const unsigned value = at == 0 ? words.x : at == 1 ? words.y : at == 2 ? words.z : words.w;
    state->STATE = (at + 1) % 4;
    if (at == 3) __ok::philox_advance(state, 1, 0);
    return value;
}
OK_ALWAYS uint4 curand4(curandStatePhilox4_32_10* state) {
    const uint4 a = state->output;
    __ok::philox_advance(state, 1, 0);
    const uint4 b = state->output;
    switch (state->STATE) {
        case 0: return a;
        case 1: return make_uint4(a.y, a.z, a.w, b.x);
        case 2: return make_uint4(a.z, a.w, b.x, b.y);
        default: return make_uint4(a.w, b.x, b.y, b.z);
    }
}

// --- places in a sequence -------------------------------------------------------------------------------------------
OK_ALWAYS void skipahead(unsigned long long n, curandStateXORWOW* state) {
    unsigned v[5] = {state->v[0], state->v[1], state->v[2], state->v[3], state->v[4]};
    __ok::ok_xorwow_skip(v, n, 0);
    for (int i = 0; i < 5; ++i) state->v[i] = v[i];
    state->d += static_cast<unsigned>(n) * 362437u;
}
OK_ALWAYS void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    unsigned v[5] = {state->v[0], state->v[1], state->v[2], state->v[3], state->v[4]};
    __ok::ok_xorwow_skip(v, 0, n);
    for (int i = 0; i < 5; ++i) state->v[i] = v[i];
}
namespace __ok {
OK_ALWAYS void mrg_skip(unsigned long long steps, unsigned long long sequences, curandStateMRG32k3a* state) {
    unsigned s1[3] = {state->s1[0], state->s1[1], state->s1[2]}, s2[3] = {state->s2[0], state->s2[1], state->s2[2]};
    ok_mrg_skip(s1, s2, steps, sequences);
    for (int i = 0; i < 3; ++i) state->s1[i] = s1[i], state->s2[i] = s2[i];
}
}  // namespace __ok
OK_ALWAYS void skipahead(unsigned long long n, curandStateMRG32k3a* state) { __ok::mrg_skip(n, 0, state); }
OK_ALWAYS void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) { __ok::mrg_skip(0, n, state); }
OK_ALWAYS void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    const unsigned long long at = state->STATE + n % 4;
    state->STATE = static_cast<unsigned>(at % 4);
    __ok::philox_advance(state, n / 4 + at / 4, 0);
}
OK_ALWAYS void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) { __ok::philox_advance(state, 0, n); }

namespace __ok {
template <class State>
OK_ALWAYS void no_extra(State* state) {
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    if constexpr (!std::is_same_v<State, curandStatePhilox4_32_10>) state->ok_gap = 0;
}
}  // namespace __ok
OK_ALWAYS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW* state) {
    __ok::Xorwow start = __ok::xorwow_start(seed);
    __ok::ok_xorwow_skip(start.v, offset, subsequence);
    state->d = start.d + static_cast<unsigned>(offset) * 362437u;
    for (int i = 0; i < 5; ++i) state->v[i] = start.v[i];
    __ok::no_extra(state);
}
OK_ALWAYS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a* state) {
    unsigned s1[3], s2[3];
    for (int i = 0; i < 3; ++i) s1[i] = s2[i] = 12345u + static_cast<unsigned>(seed % 1000000007u);
    __ok::ok_mrg_skip(s1, s2, offset, subsequence);
    for (int i = 0; i < 3; ++i) state->s1[i] = s1[i], state->s2[i] = s2[i];
    __ok::no_extra(state);
}
OK_ALWAYS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStatePhilox4_32_10* state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
    state->STATE = static_cast<unsigned>(offset % 4);
    __ok::no_extra(state);
    __ok::philox_advance(state, offset / 4, subsequence);
}

// --- distributions --------------------------------------------------------------------------------------------------
namespace __ok {
template <class State>
OK_ALWAYS float next_uniform(State* state) {
    return uniform_of(::curand(state));
}
OK_ALWAYS float next_uniform(curandStateMRG32k3a* state) { return static_cast<float>(mrg_next(state) * MRG_NORM); }
template <class State>
OK_ALWAYS double next_uniform_double(State* state) {
    const unsigned x = ::curand(state), y = ::curand(state);
    return uniform_of(x, y);
}
OK_ALWAYS double next_uniform_double(curandStateMRG32k3a* state) { return mrg_next(state) * MRG_NORM; }
template <class State>
OK_ALWAYS float2 next_normal2(State* state) {
    const float u = next_uniform(state), v = next_uniform(state);
    const Two<float> two = normals_of(u, v);
    return make_float2(two.x, two.y);
}
template <class State>
OK_ALWAYS double2 next_normal2_double(State* state) {
    const double u = next_uniform_double(state), v = next_uniform_double(state);
    const Two<double> two = normals_of(u, v);
    return make_double2(two.x, two.y);
}
template <class State>
OK_ALWAYS float next_normal(State* state) {
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 two = next_normal2(state);
    state->boxmuller_extra = two.y;
    state->boxmuller_flag = 1;
    return two.x;
}
template <class State>
OK_ALWAYS double next_normal_double(State* state) {
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 two = next_normal2_double(state);
    state->boxmuller_extra_double = two.y;
    state->boxmuller_flag_double = 1;
    return two.x;
}
}  // namespace __ok

#define OK_DISTRIBUTIONS(State)                                                                                              \
    OK_ALWAYS float curand_uniform(State* state) { return __ok::next_uniform(state); }                                       \
    OK_ALWAYS double curand_uniform_double(State* state) { return __ok::next_uniform_double(state); }                        \
    OK_ALWAYS float curand_normal(State* state) { return __ok::next_normal(state); }                                         \
    OK_ALWAYS float2 curand_normal2(State* state) { return __ok::next_normal2(state); }                                      \
    OK_ALWAYS double curand_normal_double(State* state) { return __ok::next_normal_double(state); }                          \
    OK_ALWAYS double2 curand_normal2_double(State* state) { return __ok::next_normal2_double(state); }                       \
    OK_ALWAYS float curand_log_normal(State* state, float mean, float stddev) {                                              \
        return ::expf(mean + stddev * __ok::next_normal(state));                                                             \
    }                                                                                                                        \
    OK_ALWAYS double curand_log_normal_double(State* state, double mean, double stddev) {                                    \
        return ::exp(mean + stddev * __ok::next_normal_double(state));                                                       \
    }                                                                                                                        \
    OK_ALWAYS unsigned curand_poisson(State* state, double lambda) {                                                         \
        return __ok::poisson_of(lambda, [state] { return static_cast<double>(__ok::next_uniform(state)); });                 \
    }
OK_DISTRIBUTIONS(curandStateXORWOW)
OK_DISTRIBUTIONS(curandStateMRG32k3a)
OK_DISTRIBUTIONS(curandStatePhilox4_32_10)
#undef OK_DISTRIBUTIONS

OK_ALWAYS float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    const uint4 w = curand4(state);
    return make_float4(__ok::uniform_of(w.x), __ok::uniform_of(w.y), __ok::uniform_of(w.z), __ok::uniform_of(w.w));
}
OK_ALWAYS double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
    const uint4 w = curand4(state);
    return make_double2(__ok::uniform_of(w.x, w.y), __ok::uniform_of(w.z, w.w));
}
OK_ALWAYS float4 curand_normal4(curandStatePhilox4_32_10* state) {
    const float4 u = curand_uniform4(state);
    const __ok::Two<float> a = __ok::normals_of(u.x, u.y), b = __ok::normals_of(u.z, u.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
