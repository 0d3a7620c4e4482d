// cub::BlockRadixSort: the block's keys by one bit after the other, each time a scan and an exchange through shared memory.
// Source: CUB 3 (CUDA 13.0), cub/block/block_radix_sort.cuh, for the members. Its radix is 4 bits; the order is the same.
#pragma once
#include "../../ok/radix_keys.h"
#include "block_scan.cuh"

namespace cub {

struct NullType {};

template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType, int RADIX_BITS = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockRadixSort {
    static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS = THREADS * ITEMS_PER_THREAD;
    static constexpr bool PAIRS = !std::is_same_v<ValueT, NullType>;
    using Bits = typename __ok::RadixKey<KeyT>::Bits;
    using Scan = BlockScan<int, BLOCK_DIM_X, BLOCK_SCAN_WARP_SCANS, BLOCK_DIM_Y, BLOCK_DIM_Z>;

public:
    struct TempStorage {
        typename Scan::TempStorage scan;
        Bits keys[ITEMS];
        alignas(ValueT) unsigned char values[(PAIRS ? ITEMS : 1) * sizeof(ValueT)];
    };
    OK_ALWAYS_MEMBER explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
    OK_ALWAYS_MEMBER BlockRadixSort() : BlockRadixSort(*static_cast<TempStorage*>(__ok::ok_shared(own_storage()))) {}

    OK_ALWAYS_MEMBER void Sort(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0, int end_bit = 8 * sizeof(KeyT), OK_AT) {
        sort(keys, static_cast<ValueT*>(nullptr), begin_bit, end_bit, false, false, at);
    }
    OK_ALWAYS_MEMBER void SortDescending(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0, int end_bit = 8 * sizeof(KeyT), OK_AT) {
        sort(keys, static_cast<ValueT*>(nullptr), begin_bit, end_bit, true, false, at);
    }
    OK_ALWAYS_MEMBER void Sort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD], int begin_bit = 0,
                               int end_bit = 8 * sizeof(KeyT), OK_AT) {
        sort(keys, values, begin_bit, end_bit, false, false, at);
    }
    OK_ALWAYS_MEMBER void SortDescending(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD], int begin_bit = 0,
                                         int end_bit = 8 * sizeof(KeyT), OK_AT) {
        sort(keys, values, begin_bit, end_bit, true, false, at);
    }
    OK_ALWAYS_MEMBER void SortBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0, int end_bit = 8 * sizeof(KeyT), OK_AT) {
        sort(keys, static_cast<ValueT*>(nullptr), begin_bit, end_bit, false, true, at);
    }
    OK_ALWAYS_MEMBER void SortBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD], int begin_bit = 0,
                                               int end_bit = 8 * sizeof(KeyT), OK_AT) {
        sort(keys, values, begin_bit, end_bit, false, true, at);
    }

private:
    OK_ALWAYS_MEMBER void sort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT* values, int begin, int end, bool descending, bool striped, __ok::Site at) {
        const int rank = static_cast<int>(__ok::ok_thread_rank());
        ValueT* places = reinterpret_cast<ValueT*>(storage_.values);
        Bits bits[ITEMS_PER_THREAD];
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) bits[i] = __ok::RadixKey<KeyT>::bits(keys[i]);
        for (int bit = begin; bit < end; ++bit) {
            int zeros = 0, before, all;
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) zeros += first(bits[i], bit, descending);
            Scan(storage_.scan).ExclusiveSum(zeros, before, all, at);
            int ones = all + rank * ITEMS_PER_THREAD - before;
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
                const int place = first(bits[i], bit, descending) ? before++ : ones++;
                storage_.keys[place] = bits[i];
                if constexpr (PAIRS)
                    if (values) places[place] = values[i];
            }
            __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
                const int place = striped && bit + 1 == end ? i * THREADS + rank : rank * ITEMS_PER_THREAD + i;
                bits[i] = storage_.keys[place];
                if constexpr (PAIRS)
                    if (values) values[i] = places[place];
            }
            if (bit + 1 < end) __ok::ok_barrier(__ok::VOTE_NONE, 0, at);
        }
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) keys[i] = __ok::RadixKey<KeyT>::key(bits[i]);
    }
    OK_ALWAYS_MEMBER static bool first(Bits bits, int bit, bool descending) { return (bits >> bit & 1) == Bits(descending); }
    static __ok::SharedSite* own_storage() {
        static __ok::SharedSite site{"cub::BlockRadixSort", 0, sizeof(TempStorage), alignof(TempStorage), sizeof(Bits)};
        return &site;
    }
    TempStorage& storage_;
};

}  // namespace cub
