// cub::BlockReduce: warps reduce by shuffles, the first lane of each leaves its part in shared memory, and behind a barrier
// thread 0 adds them up. Thread 0 alone receives the result, and storage may be used again behind a barrier: both as in CUB.
// Source: CUB 3 (CUDA 13.0), cub/block/block_reduce.cuh, for the members; all algorithms are this one here.
#pragma once
#include "../warp/warp_reduce.cuh"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockReduce {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, WARPS = (THREADS + 31) / 32;

public:
    struct TempStorage {
        alignas(T) unsigned char parts[WARPS * sizeof(T)];  // raw: T may have a constructor, shared memory runs none
    };
    OK_ALWAYS_MEMBER explicit BlockReduce(TempStorage& storage) : parts_(reinterpret_cast<T*>(storage.parts)) {}
    OK_ALWAYS_MEMBER BlockReduce() : BlockReduce(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    OK_ALWAYS_MEMBER T Sum(T input, OK_AT) { return Reduce(input, __ok::Plus(), THREADS, at); }
    OK_ALWAYS_MEMBER T Sum(T input, int num_valid, OK_AT) { return Reduce(input, __ok::Plus(), num_valid, at); }
    template <int items>
    OK_ALWAYS_MEMBER T Sum(T (&inputs)[items], OK_AT) {
        return Reduce(inputs, __ok::Plus(), at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER T Reduce(T input, Operation operation, OK_AT) {
        return Reduce(input, operation, THREADS, at);
    }
    template <int items, class Operation>
    OK_ALWAYS_MEMBER T Reduce(T (&inputs)[items], Operation operation, OK_AT) {
        T partial = inputs[0];
        for (int i = 1; i < items; ++i) partial = operation(partial, inputs[i]);
        return Reduce(partial, operation, THREADS, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER T Reduce(T input, Operation operation, int num_valid, OK_AT) {
        const int rank = static_cast<int>(__ok::ok_thread_rank()), warp = rank / 32, first = warp * 32;
        const unsigned lanes = THREADS - first < 32 ? static_cast<unsigned>(THREADS - first) : 32u;
        T part = __ok::reduce_down(input, operation, 0xffffffffu >> (32 - lanes), rank % 32, lanes, num_valid - first, at);
        if (rank == first) parts_[warp] = part;
        __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
        if (rank == 0)
            for (int w = 1; w < WARPS && w * 32 < num_valid; ++w) part = operation(part, parts_[w]);
        return part;
    }

private:
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockReduce", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    T* parts_;
};

}  // namespace cub
