// cub::BlockStore: the way back of cub::BlockLoad.
// Source: CUB 3 (CUDA 13.0), cub/block/block_store.cuh, for the members and what each algorithm stores.
#pragma once
#include "../../cuda_runtime.h"

namespace cub {

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockStore {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS = THREADS * ITEMS_PER_THREAD;
    static constexpr bool TURNED = ALGORITHM >= BLOCK_STORE_TRANSPOSE, STRIPED = TURNED || ALGORITHM == BLOCK_STORE_STRIPED;

public:
    struct TempStorage {
        alignas(T) unsigned char items[(TURNED ? ITEMS : 1) * sizeof(T)];
    };
    OK_ALWAYS_MEMBER explicit BlockStore(TempStorage& storage) : items_(reinterpret_cast<T*>(storage.items)) {}
    OK_ALWAYS_MEMBER BlockStore() : BlockStore(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    template <class Output>
    OK_ALWAYS_MEMBER void Store(Output block_itr, T (&items)[ITEMS_PER_THREAD], OK_AT) { Store(block_itr, items, ITEMS, at); }
    template <class Output>
    OK_ALWAYS_MEMBER void Store(Output block_itr, T (&items)[ITEMS_PER_THREAD], int valid_items, OK_AT) {
        const int rank = static_cast<int>(__ok::ok_thread_rank());
        T striped[ITEMS_PER_THREAD];
        if constexpr (TURNED) {
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) items_[rank * ITEMS_PER_THREAD + i] = items[i];
            __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) striped[i] = items_[i * THREADS + rank];
        } else {
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) striped[i] = items[i];
        }
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
            const int place = STRIPED ? i * THREADS + rank : rank * ITEMS_PER_THREAD + i;
            if (place < valid_items) block_itr[place] = striped[i];
        }
    }

private:
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockStore", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    T* items_;
};

}  // namespace cub
