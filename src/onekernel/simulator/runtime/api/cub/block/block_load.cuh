// cub::BlockLoad: a tile of a block's items, neighbouring ones to each thread, or striped over the threads.
// Source: CUB 3 (CUDA 13.0), cub/block/block_load.cuh, for the members and what each algorithm loads first.
#pragma once
#include <iterator>

#include "../../cuda_runtime.h"

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockLoad {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS = THREADS * ITEMS_PER_THREAD;
    static constexpr bool TURNED = ALGORITHM >= BLOCK_LOAD_TRANSPOSE, STRIPED = TURNED || ALGORITHM == BLOCK_LOAD_STRIPED;

public:
    struct TempStorage {
        alignas(T) unsigned char items[(TURNED ? ITEMS : 1) * sizeof(T)];
    };
    OK_ALWAYS_MEMBER explicit BlockLoad(TempStorage& storage) : items_(reinterpret_cast<T*>(storage.items)) {}
    OK_ALWAYS_MEMBER BlockLoad() : BlockLoad(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    template <class Input>
    OK_ALWAYS_MEMBER void Load(Input block_src_it, T (&dst_items)[ITEMS_PER_THREAD], OK_AT) { load(block_src_it, dst_items, ITEMS, at); }
    template <class Input>
    OK_ALWAYS_MEMBER void Load(Input block_src_it, T (&dst_items)[ITEMS_PER_THREAD], int block_items_end, OK_AT) {
        load(block_src_it, dst_items, block_items_end, at);
    }
    template <class Input, class Default>
    OK_ALWAYS_MEMBER void Load(Input block_src_it, T (&dst_items)[ITEMS_PER_THREAD], int block_items_end, Default oob_default, OK_AT) {
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) dst_items[i] = oob_default;
        load(block_src_it, dst_items, block_items_end, at);
    }

private:
    template <class Input>
    OK_ALWAYS_MEMBER void load(Input from, T (&items)[ITEMS_PER_THREAD], int end, __ok::Site at) {
        const int rank = static_cast<int>(__ok::ok_thread_rank());
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
            const int place = STRIPED ? i * THREADS + rank : rank * ITEMS_PER_THREAD + i;
            if (place < end) items[i] = from[place];
        }
        if constexpr (TURNED) {
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) items_[i * THREADS + rank] = items[i];
            __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) items[i] = items_[rank * ITEMS_PER_THREAD + i];
        }
    }
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockLoad", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    T* items_;
};

}  // namespace cub
