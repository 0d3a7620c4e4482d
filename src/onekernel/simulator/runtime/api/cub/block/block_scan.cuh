// cub::BlockScan: warps scan by shuffles, the last lane of each leaves its sum in shared memory, and behind a barrier each
// thread adds those of the warps before its own. Storage may be used again behind a barrier, as in CUB.
// Source: CUB 3 (CUDA 13.0), cub/block/block_scan.cuh, for the members; all algorithms are this one here.
#pragma once
#include "../warp/warp_scan.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockScan {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, WARPS = (THREADS + 31) / 32;

public:
    struct TempStorage {
        alignas(T) unsigned char parts[(WARPS + 1) * sizeof(T)];  // raw: T may have a constructor. The last is a prefix
    };
    OK_ALWAYS_MEMBER explicit BlockScan(TempStorage& storage) : parts_(reinterpret_cast<T*>(storage.parts)) {}
    OK_ALWAYS_MEMBER BlockScan() : BlockScan(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    // --- one item a thread ---
    OK_ALWAYS_MEMBER void ExclusiveSum(T input, T& output, OK_AT) { ExclusiveScan(input, output, T(), __ok::Plus(), at); }
    OK_ALWAYS_MEMBER void ExclusiveSum(T input, T& output, T& block_aggregate, OK_AT) {
        ExclusiveScan(input, output, T(), __ok::Plus(), block_aggregate, at);
    }
    template <class Prefix, std::enable_if_t<std::is_class_v<Prefix> && !std::is_same_v<Prefix, T>, int> = 0>
    OK_ALWAYS_MEMBER void ExclusiveSum(T input, T& output, Prefix& block_prefix_callback_op, OK_AT) {
        const Place place = scan(input, __ok::Plus(), at);
        output = with_prefix(block_prefix_callback_op, place.all, at);
        if (place.has_before) output = output + place.before;
    }
    template <class Prefix, std::enable_if_t<std::is_class_v<Prefix> && !std::is_same_v<Prefix, T>, int> = 0>
    OK_ALWAYS_MEMBER void InclusiveSum(T input, T& output, Prefix& block_prefix_callback_op, OK_AT) {
        const Place place = scan(input, __ok::Plus(), at);
        output = with_prefix(block_prefix_callback_op, place.all, at) + place.inclusive;
    }
    OK_ALWAYS_MEMBER void InclusiveSum(T input, T& output, OK_AT) { InclusiveScan(input, output, __ok::Plus(), at); }
    OK_ALWAYS_MEMBER void InclusiveSum(T input, T& output, T& block_aggregate, OK_AT) {
        InclusiveScan(input, output, __ok::Plus(), block_aggregate, at);
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void InclusiveScan(T input, T& output, Operation operation, OK_AT) {
        output = scan(input, operation, at).inclusive;
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void InclusiveScan(T input, T& output, Operation operation, T& block_aggregate, OK_AT) {
        const Place place = scan(input, operation, at);
        output = place.inclusive;
        block_aggregate = place.all;
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void ExclusiveScan(T input, T& output, T initial_value, Operation operation, OK_AT) {
        const Place place = scan(input, operation, at);
        output = place.has_before ? operation(initial_value, place.before) : initial_value;
    }
    template <class Operation>
    OK_ALWAYS_MEMBER void ExclusiveScan(T input, T& output, T initial_value, Operation operation, T& block_aggregate, OK_AT) {
        const Place place = scan(input, operation, at);
        output = place.has_before ? operation(initial_value, place.before) : initial_value;
        block_aggregate = place.all;
    }

    // --- neighbouring items of each thread ---
    template <int items>
    OK_ALWAYS_MEMBER void ExclusiveSum(T (&input)[items], T (&output)[items], OK_AT) {
        ExclusiveScan(input, output, T(), __ok::Plus(), at);
    }
    template <int items>
    OK_ALWAYS_MEMBER void ExclusiveSum(T (&input)[items], T (&output)[items], T& block_aggregate, OK_AT) {
        ExclusiveScan(input, output, T(), __ok::Plus(), block_aggregate, at);
    }
    template <int items>
    OK_ALWAYS_MEMBER void InclusiveSum(T (&input)[items], T (&output)[items], OK_AT) {
        InclusiveScan(input, output, __ok::Plus(), at);
    }
    template <int items>
    OK_ALWAYS_MEMBER void InclusiveSum(T (&input)[items], T (&output)[items], T& block_aggregate, OK_AT) {
        block_aggregate = of_items(input, output, __ok::Plus(), static_cast<const T*>(nullptr), at);
    }
    template <int items, class Operation>
    OK_ALWAYS_MEMBER void InclusiveScan(T (&input)[items], T (&output)[items], Operation operation, OK_AT) {
        of_items(input, output, operation, static_cast<const T*>(nullptr), at);
    }
    template <int items, class Operation>
    OK_ALWAYS_MEMBER void ExclusiveScan(T (&input)[items], T (&output)[items], T initial_value, Operation operation, OK_AT) {
        of_items(input, output, operation, &initial_value, at);
    }
    template <int items, class Operation>
    OK_ALWAYS_MEMBER void ExclusiveScan(T (&input)[items], T (&output)[items], T initial_value, Operation operation, T& block_aggregate, OK_AT) {
        block_aggregate = of_items(input, output, operation, &initial_value, at);
    }

private:
    // What a thread knows: up to itself, up to the thread before it (the first has none), and of the whole block.
    struct Place {
        T inclusive, before, all;
        bool has_before;
    };
    template <class Operation>
    OK_ALWAYS_MEMBER Place scan(T input, Operation operation, __ok::Site at) {
        const int rank = static_cast<int>(__ok::ok_thread_rank()), warp = rank / 32, lane = rank % 32;
        const int lanes = THREADS - warp * 32 < 32 ? THREADS - warp * 32 : 32;
        const unsigned mask = 0xffffffffu >> (32 - lanes);
        T value = __ok::scan_up(input, operation, mask, lane, lanes, at);
        T before = __ok::shuffle_any(__ok::SHFL_UP, mask, value, lane ? 1 : 0, __ok::WARP, at);
        if (lane == lanes - 1) parts_[warp] = value;
        __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
        T all = parts_[0];
        for (int w = 1; w < WARPS; ++w) {
            if (w == warp) {
                value = operation(all, value);
                before = lane ? operation(all, before) : all;
            }
            all = operation(all, parts_[w]);
        }
        return {value, before, all, rank > 0};
    }
    template <class Prefix>
    OK_ALWAYS_MEMBER T with_prefix(Prefix& callback, T all, __ok::Site at) {
        const int rank = static_cast<int>(__ok::ok_thread_rank());
        if (rank < 32) {
            const T prefix = callback(all);
            if (rank == 0) parts_[WARPS] = prefix;
        }
        __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
        return parts_[WARPS];
    }
    // With `initial` exclusive, without it inclusive; returns the block's aggregate.
    template <int items, class Operation>
    OK_ALWAYS_MEMBER T of_items(T (&input)[items], T (&output)[items], Operation operation, const T* initial, __ok::Site at) {
        T own = input[0];
        for (int i = 1; i < items; ++i) own = operation(own, input[i]);
        const Place place = scan(own, operation, at);
        bool some = place.has_before || initial != nullptr;
        T running = !place.has_before ? (initial ? *initial : own) : initial ? operation(*initial, place.before) : place.before;
        for (int i = 0; i < items; ++i) {
            const T next = some ? operation(running, input[i]) : input[i];
            output[i] = initial ? running : next;
            running = next;
            some = true;
        }
        return place.all;
    }
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockScan", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(T)};
        return &site;
    }
    T* parts_;
};

}  // namespace cub
