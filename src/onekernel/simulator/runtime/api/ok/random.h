// What curand.h asks of the runtime.
#pragma once
#include "runtime.h"

namespace __ok {
enum RandomType : int { RANDOM_XORWOW, RANDOM_PHILOX, RANDOM_MRG32K3A };
enum RandomNumbers : int { RANDOM_BITS, RANDOM_UNIFORM, RANDOM_NORMAL, RANDOM_LOG_NORMAL, RANDOM_POISSON, RANDOM_DOUBLE = 16 };
struct RandomStream;
extern "C" RandomStream* ok_random_create(int type, uint64_t seed, uint64_t offset);
extern "C" void ok_random_destroy(RandomStream* stream);
// `n` numbers to `out`, of the host or the device: `a` and `b` are mean and deviation, or Poisson's mean.
extern "C" void ok_random_fill(RandomStream* stream, int what, void* out, uint64_t n, double a, double b);
}  // namespace __ok
