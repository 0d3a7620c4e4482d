// cub::BlockAdjacentDifference: each item and its neighbour, the edges of the threads' items by way of shared memory.
// Source: CUB 3 (CUDA 13.0), cub/block/block_adjacent_difference.cuh, for the members.
#pragma once
#include "../../ok/cub_tile.h"

namespace cub {

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockAdjacentDifference {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    using TempStorage = __ok::Edges<T, THREADS>;
    OK_ALWAYS_MEMBER explicit BlockAdjacentDifference(TempStorage& storage) : storage_(storage) {}
    OK_ALWAYS_MEMBER BlockAdjacentDifference() : BlockAdjacentDifference(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractLeft(T (&input)[items], Output (&output)[items], Difference difference, OK_AT) {
        left(input, output, difference, THREADS * items, nullptr, at);
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractLeft(T (&input)[items], Output (&output)[items], Difference difference, T tile_predecessor_item, OK_AT) {
        left(input, output, difference, THREADS * items, &tile_predecessor_item, at);
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractLeftPartialTile(T (&input)[items], Output (&output)[items], Difference difference, int valid_items, OK_AT) {
        left(input, output, difference, valid_items, nullptr, at);
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractLeftPartialTile(T (&input)[items], Output (&output)[items], Difference difference, int valid_items,
                                                  T tile_predecessor_item, OK_AT) {
        left(input, output, difference, valid_items, &tile_predecessor_item, at);
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractRight(T (&input)[items], Output (&output)[items], Difference difference, OK_AT) {
        right(input, output, difference, THREADS * items, nullptr, at);
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractRight(T (&input)[items], Output (&output)[items], Difference difference, T tile_successor_item, OK_AT) {
        right(input, output, difference, THREADS * items, &tile_successor_item, at);
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void SubtractRightPartialTile(T (&input)[items], Output (&output)[items], Difference difference, int valid_items, OK_AT) {
        right(input, output, difference, valid_items, nullptr, at);
    }

private:
    // From the last item on: output may be input.
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void left(T (&input)[items], Output (&output)[items], Difference difference, int valid, const T* predecessor, __ok::Site at) {
        const __ok::Neighbours<T, THREADS> near(storage_, input, at);
        const int start = static_cast<int>(__ok::ok_thread_rank()) * items;
        const T* before = near.has_before ? &near.before : predecessor;
        for (int i = items - 1; i >= 0; --i) {
            const T* other = i > 0 ? &input[i - 1] : before;
            output[i] = other && start + i < valid ? difference(input[i], *other) : static_cast<Output>(input[i]);
        }
    }
    template <int items, class Output, class Difference>
    OK_ALWAYS_MEMBER void right(T (&input)[items], Output (&output)[items], Difference difference, int valid, const T* successor, __ok::Site at) {
        const __ok::Neighbours<T, THREADS> near(storage_, input, at);
        const int start = static_cast<int>(__ok::ok_thread_rank()) * items;
        const T* behind = near.has_behind ? &near.behind : successor;
        for (int i = 0; i < items; ++i) {
            const T* other = i + 1 < items ? &input[i + 1] : behind;
            const bool last_of_part = start + i + 1 >= valid && valid < THREADS * items;
            output[i] = other && !last_of_part ? difference(input[i], *other) : static_cast<Output>(input[i]);
        }
    }
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockAdjacentDifference", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    TempStorage& storage_;
};

}  // namespace cub
