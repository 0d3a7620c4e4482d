// The generators of cuRAND as arithmetic alone, for kernels and for the host.
//   Philox4x32-10   Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011; checked with Random123's vectors
//   XORWOW          Marsaglia, "Xorshift RNGs", J. Stat. Soft. 8(14), 2003, page 5
//   MRG32k3a        L'Ecuyer, "Good Parameters and Implementations for Combined MRGs", Oper. Res. 47(1), 1999
#pragma once
#include <math.h>
#include <stdint.h>

#include "bits.h"

namespace __ok {

// Steps and sequences (of 2^67 and of 2^76 steps) ahead: runtime/libraries/random.cpp.
extern "C" void ok_xorwow_skip(uint32_t* v, uint64_t steps, uint64_t sequences);
extern "C" void ok_mrg_skip(uint32_t* s1, uint32_t* s2, uint64_t steps, uint64_t sequences);

struct Xorwow {
    uint32_t d, v[5];
};
// A seed spread over the state: found equal to cuRAND's by the numbers that its documented example prints for seed 1234.
OK_ALWAYS Xorwow xorwow_start(uint64_t seed) {
    const uint32_t low = static_cast<uint32_t>(seed) ^ 0xaad26b49u, high = static_cast<uint32_t>(seed >> 32) ^ 0xf7dcefddu;
    const uint32_t a = 1099087573u * low, b = 2591861531u * high;
    return {6615241u + a + b, {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a}};
}
template <class State>
OK_ALWAYS uint32_t xorwow_next(State* state) {
    const uint32_t first = state->v[0], last = state->v[4], t = first ^ first >> 2;
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = last;
    const uint32_t next = last ^ last << 4 ^ t ^ t << 1, d = state->d + 362437u;
    state->v[4] = next;
    state->d = d;
    return next + d;
}

struct Words4 {
    uint32_t x, y, z, w;
};
OK_ALWAYS Words4 philox(Words4 counter, uint32_t key, uint32_t key2) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
        counter = {static_cast<uint32_t>(b >> 32) ^ counter.y ^ key, static_cast<uint32_t>(b),
                   static_cast<uint32_t>(a >> 32) ^ counter.w ^ key2, static_cast<uint32_t>(a)};
        key += 0x9E3779B9u;
        key2 += 0xBB67AE85u;
    }
    return counter;
}

constexpr uint64_t MRG_1 = 4294967087u, MRG_2 = 4294944443u;
// A number from 1 to MRG_1.
template <class State>
OK_ALWAYS uint32_t mrg_next(State* state) {
    const uint64_t p1 = (1403580 * uint64_t(state->s1[1]) + (MRG_1 - 810728) * state->s1[0]) % MRG_1;
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = static_cast<uint32_t>(p1);
    const uint64_t p2 = (527612 * uint64_t(state->s2[2]) + (MRG_2 - 1370589) * state->s2[0] % MRG_2) % MRG_2;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = static_cast<uint32_t>(p2);
    return static_cast<uint32_t>(p1 > p2 ? p1 - p2 : p1 + MRG_1 - p2);
}
constexpr double MRG_NORM = 2.328306549295728e-10;  // 1 / (MRG_1 + 1)

// --- distributions: bits to numbers. 0 is left out of the uniform ones, 1 is not ------------------------------------
OK_ALWAYS float uniform_of(uint32_t x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; }
OK_ALWAYS double uniform_of(uint32_t x, uint32_t y) {
    return static_cast<double>(uint64_t(x) ^ uint64_t(y) << 21) * 0x1p-53 + 0x1p-54;
}
template <class T>
struct Two {
    T x, y;
};
// Box and Muller's two normal numbers of two uniform ones.
OK_ALWAYS Two<float> normals_of(float u, float v) {
    const float size = ::sqrtf(-2.0f * ::logf(u)), angle = v * 6.2831855f;
    return {size * ::sinf(angle), size * ::cosf(angle)};
}
OK_ALWAYS Two<double> normals_of(double u, double v) {
    const double size = ::sqrt(-2.0 * ::log(u)), angle = v * 6.283185307179586;
    return {size * ::sin(angle), size * ::cos(angle)};
}
// As many uniform numbers as their product stays above e^-lambda (Knuth), in parts of 16 so that it stays a float's.
template <class Uniform>
OK_ALWAYS uint32_t poisson_of(double lambda, Uniform uniform) {
    uint32_t count = 0;
    while (lambda > 0) {
        const double part = lambda < 16 ? lambda : 16, least = ::exp(-part);
        for (double product = uniform(); product > least; product *= uniform()) ++count;
        lambda -= part;
    }
    return count;
}

}  // namespace __ok
