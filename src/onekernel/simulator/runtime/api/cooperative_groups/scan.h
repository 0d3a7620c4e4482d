// cooperative_groups::inclusive_scan and exclusive_scan over a tile or coalesced group.
#pragma once
#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
OK_ALWAYS T inclusive_scan(const Group& group, T value, Operation operation, OK_AT) {
    for (unsigned step = 1; step < group.size(); step *= 2) {
        const T before = group.shfl_up(value, step, at);
        if (group.thread_rank() >= step) value = operation(before, value);
    }
    return value;
}
template <class Group, class T>
OK_ALWAYS T inclusive_scan(const Group& group, T value, OK_AT) {
    return inclusive_scan(group, value, plus<T>(), at);
}

// The first rank receives T(): meant for sums, as in CUDA.
template <class Group, class T, class Operation>
OK_ALWAYS T exclusive_scan(const Group& group, T value, Operation operation, OK_AT) {
    const T before = group.shfl_up(inclusive_scan(group, value, operation, at), 1, at);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
OK_ALWAYS T exclusive_scan(const Group& group, T value, OK_AT) {
    return exclusive_scan(group, value, plus<T>(), at);
}

}  // namespace cooperative_groups
