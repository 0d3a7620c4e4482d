// cub::BlockDiscontinuity: flags where an item differs from its neighbour, as an operation says.
// Source: CUB 3 (CUDA 13.0), cub/block/block_discontinuity.cuh, for the members.
#pragma once
#include "../../ok/cub_tile.h"

namespace cub {

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockDiscontinuity {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    using TempStorage = __ok::Edges<T, THREADS>;
    OK_ALWAYS_MEMBER explicit BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}
    OK_ALWAYS_MEMBER BlockDiscontinuity() : BlockDiscontinuity(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    template <int items, class Flag, class Differs>
    OK_ALWAYS_MEMBER void FlagHeads(Flag (&head_flags)[items], T (&input)[items], Differs flag_op, OK_AT) {
        flag(head_flags, static_cast<Flag*>(nullptr), input, flag_op, nullptr, nullptr, at);
    }
    template <int items, class Flag, class Differs>
    OK_ALWAYS_MEMBER void FlagHeads(Flag (&head_flags)[items], T (&input)[items], Differs flag_op, T tile_predecessor_item, OK_AT) {
        flag(head_flags, static_cast<Flag*>(nullptr), input, flag_op, &tile_predecessor_item, nullptr, at);
    }
    template <int items, class Flag, class Differs>
    OK_ALWAYS_MEMBER void FlagTails(Flag (&tail_flags)[items], T (&input)[items], Differs flag_op, OK_AT) {
        flag(static_cast<Flag*>(nullptr), tail_flags, input, flag_op, nullptr, nullptr, at);
    }
    template <int items, class Flag, class Differs>
    OK_ALWAYS_MEMBER void FlagTails(Flag (&tail_flags)[items], T (&input)[items], Differs flag_op, T tile_successor_item, OK_AT) {
        flag(static_cast<Flag*>(nullptr), tail_flags, input, flag_op, nullptr, &tile_successor_item, at);
    }
    template <int items, class Flag, class Differs>
    OK_ALWAYS_MEMBER void FlagHeadsAndTails(Flag (&head_flags)[items], Flag (&tail_flags)[items], T (&input)[items], Differs flag_op, OK_AT) {
        flag(head_flags, tail_flags, input, flag_op, nullptr, nullptr, at);
    }

private:
    template <int items, class Flag, class Differs>
    OK_ALWAYS_MEMBER void flag(Flag* heads, Flag* tails, T (&input)[items], Differs& differs, const T* predecessor, const T* successor, __ok::Site at) {
        const __ok::Neighbours<T, THREADS> near(storage_, input, at);
        const int start = static_cast<int>(__ok::ok_thread_rank()) * items;
        const T *before = near.has_before ? &near.before : predecessor, *behind = near.has_behind ? &near.behind : successor;
        for (int i = 0; heads && i < items; ++i) {
            const T* other = i > 0 ? &input[i - 1] : before;
            heads[i] = static_cast<Flag>(!other || differ(differs, *other, input[i], start + i));
        }
        for (int i = 0; tails && i < items; ++i) {
            const T* other = i + 1 < items ? &input[i + 1] : behind;
            tails[i] = static_cast<Flag>(!other || differ(differs, input[i], *other, start + i + 1));
        }
    }
    // The second item's index may be asked for, too.
    template <class Differs>
    OK_ALWAYS_MEMBER static bool differ(Differs& differs, const T& a, const T& b, int index_of_b) {
        if constexpr (std::is_invocable_v<Differs&, const T&, const T&, int>) return differs(a, b, index_of_b);
        else return differs(a, b);
    }
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockDiscontinuity", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    TempStorage& storage_;
};

}  // namespace cub
