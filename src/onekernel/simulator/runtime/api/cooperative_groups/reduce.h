// cooperative_groups::reduce: every lane of a tile or coalesced group receives the combination of all.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

#define OK_OPERATOR(name, expression)                                                      \
    template <class T = void>                                                              \
    struct name {                                                                          \
        OK_ALWAYS_MEMBER T operator()(const T& a, const T& b) const { return expression; } \
    };
OK_OPERATOR(plus, a + b)
OK_OPERATOR(less, b < a ? b : a)
OK_OPERATOR(greater, a < b ? b : a)
OK_OPERATOR(bit_and, a& b)
OK_OPERATOR(bit_or, a | b)
OK_OPERATOR(bit_xor, a ^ b)
#undef OK_OPERATOR

// A butterfly of exchanges: each step's operands are swapped between partners, so that all lanes get the same bits from
// a commutative operation.
template <unsigned tile_size, class Parent, class T, class Operation>
OK_ALWAYS T reduce(const thread_block_tile<tile_size, Parent>& tile, T value, Operation operation, OK_AT) {
    for (unsigned step = tile_size / 2; step > 0; step /= 2) {
        const T other = tile.shfl_xor(value, step, at);
        value = tile.thread_rank() & step ? operation(other, value) : operation(value, other);
    }
    return value;
}
// Any number of lanes: in order of rank.
template <class T, class Operation>
OK_ALWAYS T reduce(const coalesced_group& group, T value, Operation operation, OK_AT) {
    T sum = group.shfl(value, 0, at);
    for (unsigned rank = 1; rank < group.size(); ++rank) sum = operation(sum, group.shfl(value, rank, at));
    return sum;
}

}  // namespace cooperative_groups
