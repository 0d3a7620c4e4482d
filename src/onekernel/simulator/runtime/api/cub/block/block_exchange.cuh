// cub::BlockExchange: the block's items change places, by way of shared memory: blocked (neighbouring items of each thread),
// striped (each thread's items a block apart), or where ranks say.
// Source: CUB 3 (CUDA 13.0), cub/block/block_exchange.cuh, for the members.
#pragma once
#include "../../ok/core.h"

namespace cub {

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool = false, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockExchange {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS = ITEMS_PER_THREAD;

public:
    struct TempStorage {
        alignas(T) unsigned char places[THREADS * ITEMS * sizeof(T)];
    };
    OK_ALWAYS_MEMBER explicit BlockExchange(TempStorage& storage) : storage_(storage) {}
    OK_ALWAYS_MEMBER BlockExchange() : BlockExchange(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    template <class Output>
    OK_ALWAYS_MEMBER void StripedToBlocked(const T (&input)[ITEMS], Output (&output)[ITEMS], OK_AT) {
        exchange(input, output, striped, blocked, at);
    }
    template <class Output>
    OK_ALWAYS_MEMBER void BlockedToStriped(const T (&input)[ITEMS], Output (&output)[ITEMS], OK_AT) {
        exchange(input, output, blocked, striped, at);
    }
    OK_ALWAYS_MEMBER void StripedToBlocked(T (&items)[ITEMS], OK_AT) { StripedToBlocked(items, items, at); }
    OK_ALWAYS_MEMBER void BlockedToStriped(T (&items)[ITEMS], OK_AT) { BlockedToStriped(items, items, at); }
    template <class Output, class Rank>
    OK_ALWAYS_MEMBER void ScatterToBlocked(const T (&input)[ITEMS], Output (&output)[ITEMS], Rank (&ranks)[ITEMS], OK_AT) {
        exchange(input, output, [&](int i) { return static_cast<int>(ranks[i]); }, blocked, at);
    }
    template <class Output, class Rank>
    OK_ALWAYS_MEMBER void ScatterToStriped(const T (&input)[ITEMS], Output (&output)[ITEMS], Rank (&ranks)[ITEMS], OK_AT) {
        exchange(input, output, [&](int i) { return static_cast<int>(ranks[i]); }, striped, at);
    }
    template <class Rank>
    OK_ALWAYS_MEMBER void ScatterToBlocked(T (&items)[ITEMS], Rank (&ranks)[ITEMS], OK_AT) { ScatterToBlocked(items, items, ranks, at); }
    template <class Rank>
    OK_ALWAYS_MEMBER void ScatterToStriped(T (&items)[ITEMS], Rank (&ranks)[ITEMS], OK_AT) { ScatterToStriped(items, items, ranks, at); }

private:
    OK_ALWAYS_MEMBER static int blocked(int i) { return static_cast<int>(__ok::ok_thread_rank()) * ITEMS + i; }
    OK_ALWAYS_MEMBER static int striped(int i) { return i * THREADS + static_cast<int>(__ok::ok_thread_rank()); }
    template <class Output, class From, class To>
    OK_ALWAYS_MEMBER void exchange(const T (&input)[ITEMS], Output (&output)[ITEMS], From from, To to, __ok::Site at) {
        T* places = reinterpret_cast<T*>(storage_.places);
        for (int i = 0; i < ITEMS; ++i) places[from(i)] = input[i];
        __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
        for (int i = 0; i < ITEMS; ++i) output[i] = static_cast<Output>(places[to(i)]);
    }
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockExchange", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    TempStorage& storage_;
};

}  // namespace cub
