// cub::WarpReduce: the reduction of a warp, or of equal parts of it, by shuffles; the first lane of each receives it.
// Source: CUB 3 (CUDA 13.0), cub/warp/warp_reduce.cuh, for the members and for which lanes are combined first.
#pragma once
#include "../../ok/cub_operations.h"

#include "../../cuda_runtime.h"
#include "../../ok/groups_warp.h"

namespace __ok {
// Lanes one apart first, then two, four ...: of `lanes` from the first that `mask` names, `valid` take part.
template <class T, class Operation>
OK_ALWAYS T reduce_down(T value, Operation operation, unsigned mask, unsigned lane, unsigned lanes, int valid, Site at) {
    for (unsigned step = 1; step < lanes; step *= 2) {
        const T other = shuffle_any(SHFL_DOWN, mask, value, static_cast<int>(lane + step < lanes ? step : 0), WARP, at);
        if (static_cast<int>(lane + step) < valid && lane + step < lanes) value = operation(value, other);
    }
    return value;
}
}  // namespace __ok

namespace cub {

template <class T, int LOGICAL_WARP_THREADS = 32>
class WarpReduce {
    static_assert(LOGICAL_WARP_THREADS > 0 && LOGICAL_WARP_THREADS <= 32 && 32 % LOGICAL_WARP_THREADS == 0,
                  "the simulator has cub::WarpReduce of 1, 2, 4, 8, 16 and 32 threads");

public:
    struct TempStorage {};  // as CUB's own for these sizes: shuffles need none
    OK_ALWAYS_MEMBER explicit WarpReduce(TempStorage&) {}

    OK_ALWAYS_MEMBER T Sum(T input, OK_AT) { return Reduce(input, __ok::Plus(), LOGICAL_WARP_THREADS, at); }
    OK_ALWAYS_MEMBER T Sum(T input, int valid_items, OK_AT) { return Reduce(input, __ok::Plus(), valid_items, at); }
    template <class Operation>
    OK_ALWAYS_MEMBER T Reduce(T input, Operation operation, OK_AT) {
        return Reduce(input, operation, LOGICAL_WARP_THREADS, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER T Reduce(T input, Operation operation, int valid_items, OK_AT) {
        const unsigned lane = __ok::lane_index(), first = lane / LOGICAL_WARP_THREADS * LOGICAL_WARP_THREADS;
        const unsigned mask = (0xffffffffu >> (32 - LOGICAL_WARP_THREADS)) << first;
        return __ok::reduce_down(input, operation, mask, lane - first, LOGICAL_WARP_THREADS, valid_items, at);
    }
};

}  // namespace cub
