// __mbarrier_t and its functions: cuda::barrier from C (CUDA C++ Programming Guide, "Memory Barrier Primitives Interface").
#pragma once
#include "cuda_pipeline.h"

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

OK_ALWAYS uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
OK_ALWAYS void __mbarrier_init(__mbarrier_t* object, uint32_t expected, OK_AT) { __ok::ok_mbarrier_init(object, expected, at); }
OK_ALWAYS void __mbarrier_inval(__mbarrier_t* object, OK_AT) { __ok::ok_mbarrier_inval(object, at); }
OK_ALWAYS __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* object, OK_AT) {
    return __ok::ok_mbarrier_arrive(object, 1, 0, false, at);
}
OK_ALWAYS __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* object, OK_AT) {
    return __ok::ok_mbarrier_arrive(object, 1, 0, true, at);
}
OK_ALWAYS bool __mbarrier_test_wait(__mbarrier_t* object, __mbarrier_token_t token, OK_AT) {
    return __ok::ok_mbarrier_wait(object, token, false, false, at);
}
OK_ALWAYS bool __mbarrier_test_wait_parity(__mbarrier_t* object, bool parity, OK_AT) {
    return __ok::ok_mbarrier_wait(object, parity, true, false, at);
}
OK_ALWAYS bool __mbarrier_try_wait(__mbarrier_t* object, __mbarrier_token_t token, uint32_t, OK_AT) {
    return __ok::ok_mbarrier_wait(object, token, false, true, at);
}
OK_ALWAYS bool __mbarrier_try_wait_parity(__mbarrier_t* object, bool parity, uint32_t, OK_AT) {
    return __ok::ok_mbarrier_wait(object, parity, true, true, at);
}
// The copies so far of the calling thread arrive when they have come.
OK_ALWAYS void __pipeline_arrive_on(__mbarrier_t* object, OK_AT) { __ok::ok_copies_arrive(object, false, at); }
