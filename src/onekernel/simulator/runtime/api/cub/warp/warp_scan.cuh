// cub::WarpScan: running combinations over the lanes of a warp, or of equal parts of it, by shuffles.
// Source: CUB 3 (CUDA 13.0), cub/warp/warp_scan.cuh, for the members and what they return.
#pragma once
#include "../../ok/cub_operations.h"

#include "../../cuda_runtime.h"
#include "../../ok/groups_warp.h"

namespace __ok {
// Each lane's combination of its own value and those of the lanes before it, among the `lanes` from the first of `mask`.
template <class T, class Operation>
OK_ALWAYS T scan_up(T value, Operation operation, unsigned mask, unsigned lane, unsigned lanes, Site at) {
    for (unsigned step = 1; step < lanes; step *= 2) {
        const T other = shuffle_any(SHFL_UP, mask, value, static_cast<int>(lane >= step ? step : 0), WARP, at);
        if (lane >= step) value = operation(other, value);
    }
    return value;
}
}  // namespace __ok

namespace cub {

template <class T, int LOGICAL_WARP_THREADS = 32>
class WarpScan {
    static_assert(LOGICAL_WARP_THREADS > 0 && LOGICAL_WARP_THREADS <= 32 && 32 % LOGICAL_WARP_THREADS == 0,
                  "the simulator has cub::WarpScan of 1, 2, 4, 8, 16 and 32 threads");

public:
    struct TempStorage {};
    OK_ALWAYS_MEMBER explicit WarpScan(TempStorage&) : lane_(__ok::lane_index() % LOGICAL_WARP_THREADS) {
        mask_ = (0xffffffffu >> (32 - LOGICAL_WARP_THREADS)) << (__ok::lane_index() - lane_);
    }

    OK_ALWAYS_MEMBER void InclusiveSum(T input, T& output, OK_AT) { InclusiveScan(input, output, __ok::Plus(), at); }
    OK_ALWAYS_MEMBER void InclusiveSum(T input, T& output, T& warp_aggregate, OK_AT) {
        InclusiveScan(input, output, __ok::Plus(), warp_aggregate, at);
    }
    OK_ALWAYS_MEMBER void ExclusiveSum(T input, T& output, OK_AT) { ExclusiveScan(input, output, T(), __ok::Plus(), at); }
    OK_ALWAYS_MEMBER void ExclusiveSum(T input, T& output, T& warp_aggregate, OK_AT) {
        ExclusiveScan(input, output, T(), __ok::Plus(), warp_aggregate, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void InclusiveScan(T input, T& output, Operation operation, OK_AT) {
        output = __ok::scan_up(input, operation, mask_, lane_, LOGICAL_WARP_THREADS, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void InclusiveScan(T input, T& output, Operation operation, T& warp_aggregate, OK_AT) {
        output = __ok::scan_up(input, operation, mask_, lane_, LOGICAL_WARP_THREADS, at);
        warp_aggregate = last(output, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void ExclusiveScan(T input, T& output, T initial_value, Operation operation, OK_AT) {
        T aggregate;
        ExclusiveScan(input, output, initial_value, operation, aggregate, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void ExclusiveScan(T input, T& output, T initial_value, Operation operation, T& warp_aggregate, OK_AT) {
        const T inclusive = __ok::scan_up(input, operation, mask_, lane_, LOGICAL_WARP_THREADS, at);
        const T before = __ok::shuffle_any(__ok::SHFL_UP, mask_, inclusive, lane_ ? 1 : 0, __ok::WARP, at);
        output = lane_ ? operation(initial_value, before) : initial_value;
        warp_aggregate = last(inclusive, at);
    }
    OK_ALWAYS_MEMBER T Broadcast(T input, unsigned src_lane, OK_AT) {
        const int source = static_cast<int>(__ok::lane_index() - lane_ + src_lane);
        return __ok::shuffle_any(__ok::SHFL_IDX, mask_, input, source, __ok::WARP, at);
    }

private:
    OK_ALWAYS_MEMBER T last(T value, __ok::Site at) { return Broadcast(value, LOGICAL_WARP_THREADS - 1, at); }
    unsigned lane_, mask_;
};

}  // namespace cub
