// Cooperative groups: thread blocks, tiles, coalesced groups (CUDA C++ Programming Guide, "Cooperative Groups").
// Groups of several blocks are in ok/groups_grid.h.
#pragma once
#include "cuda_runtime.h"
#include "ok/groups_grid.h"
#include "ok/groups_warp.h"

namespace cooperative_groups {

class thread_block {
public:
    OK_ALWAYS_MEMBER static void sync(OK_AT) { __ok::ok_barrier(__ok::VOTE_NONE, 0, at); }
    OK_ALWAYS_MEMBER static unsigned thread_rank() { return __ok::ok_thread_rank(); }
    OK_ALWAYS_MEMBER static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    OK_ALWAYS_MEMBER static unsigned size() { return num_threads(); }
    OK_ALWAYS_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    OK_ALWAYS_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    OK_ALWAYS_MEMBER static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    OK_ALWAYS_MEMBER static dim3 group_dim() { return dim_threads(); }
};
OK_ALWAYS thread_block this_thread_block() { return thread_block(); }
// What tiles of several warps need of shared memory on a GPU: nothing here.
template <unsigned threads = 1024>
struct block_tile_memory {
    char unused;
};
template <unsigned threads>
OK_ALWAYS thread_block this_thread_block(block_tile_memory<threads>&) { return thread_block(); }

// Lanes of one warp that go together, by rank among the lanes of the mask.
class coalesced_group {
public:
    OK_ALWAYS_MEMBER explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

    OK_ALWAYS_MEMBER unsigned thread_rank() const { return __popc(mask_ & __ok::lanes_below(__ok::lane_index())); }
    OK_ALWAYS_MEMBER unsigned num_threads() const { return __popc(mask_); }
    OK_ALWAYS_MEMBER unsigned size() const { return num_threads(); }
    OK_ALWAYS_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    OK_ALWAYS_MEMBER unsigned meta_group_size() const { return meta_size_; }
    OK_ALWAYS_MEMBER unsigned ok_mask() const { return mask_; }
    OK_ALWAYS_MEMBER void sync(OK_AT) const { __ok::ok_collective(__ok::SYNC_WARP, mask_, 0, 0, 32, 0, nullptr, at); }

    template <class T>
    OK_ALWAYS_MEMBER T shfl(T value, unsigned rank, OK_AT) const {
        return __ok::shuffle_any(__ok::SHFL_IDX, mask_, value, __ok::lane_of_rank(mask_, rank % size()), 32, at);
    }
    template <class T>
    OK_ALWAYS_MEMBER T shfl_up(T value, unsigned delta, OK_AT) const {
        const unsigned rank = thread_rank();
        return shfl(value, rank < delta ? rank : rank - delta, at);
    }
    template <class T>
    OK_ALWAYS_MEMBER T shfl_down(T value, unsigned delta, OK_AT) const {
        const unsigned rank = thread_rank();
        return shfl(value, rank + delta < size() ? rank + delta : rank, at);
    }
    OK_ALWAYS_MEMBER unsigned ballot(int predicate, OK_AT) const {
        return __ok::pack(mask_, __ok::ballot(mask_, predicate, at));
    }
    OK_ALWAYS_MEMBER int any(int predicate, OK_AT) const { return __ok::ballot(mask_, predicate, at) != 0; }
    OK_ALWAYS_MEMBER int all(int predicate, OK_AT) const { return __ok::ballot(mask_, predicate, at) == mask_; }
    template <class T>
    OK_ALWAYS_MEMBER unsigned match_any(T value, OK_AT) const {
        return __ok::pack(mask_, __match_any_sync(mask_, value, at));
    }
    template <class T>
    OK_ALWAYS_MEMBER unsigned match_all(T value, int& predicate, OK_AT) const {
        return __ok::pack(mask_, __match_all_sync(mask_, value, &predicate, at));
    }

private:
    unsigned mask_, meta_rank_, meta_size_;
};
OK_ALWAYS coalesced_group coalesced_threads(OK_AT) { return coalesced_group(__activemask(at)); }

// A tile of `tile_size` consecutive threads, a power of two. One of several warps only synchronises and knows its ranks.
template <unsigned tile_size, class Parent = void>
class thread_block_tile {
    static_assert(tile_size >= 1 && tile_size <= 512 && (tile_size & (tile_size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

public:
    OK_ALWAYS_MEMBER thread_block_tile(unsigned parent_rank, unsigned parent_size)
        : meta_rank_(parent_rank / tile_size), meta_size_((parent_size + tile_size - 1) / tile_size) {}
    template <class OtherParent>
    OK_ALWAYS_MEMBER thread_block_tile(const thread_block_tile<tile_size, OtherParent>& other)
        : meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

    OK_ALWAYS_MEMBER static unsigned thread_rank() { return __ok::ok_thread_rank() % tile_size; }
    OK_ALWAYS_MEMBER static constexpr unsigned num_threads() { return tile_size; }
    OK_ALWAYS_MEMBER static constexpr unsigned size() { return tile_size; }
    OK_ALWAYS_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    OK_ALWAYS_MEMBER unsigned meta_group_size() const { return meta_size_; }
    OK_ALWAYS_MEMBER static unsigned ok_mask() {
        static_assert(tile_size <= 32, "the simulator's tiles of more than 32 threads neither exchange values nor vote");
        return (0xffffffffu >> (32 - tile_size % 33)) << first_lane();
    }
    OK_ALWAYS_MEMBER operator coalesced_group() const { return coalesced_group(ok_mask(), meta_rank_, meta_size_); }

    OK_ALWAYS_MEMBER void sync(OK_AT) const {
        if constexpr (tile_size > 32)
            __ok::ok_tile_barrier(meta_rank_, tile_size, at);
        else
            __ok::ok_collective(__ok::SYNC_WARP, ok_mask(), 0, 0, 32, 0, nullptr, at);
    }
    template <class T>
    OK_ALWAYS_MEMBER static T shfl(T value, int rank, OK_AT) {
        return exchange(__ok::SHFL_IDX, value, rank, at);
    }
    template <class T>
    OK_ALWAYS_MEMBER static T shfl_up(T value, unsigned delta, OK_AT) {
        return exchange(__ok::SHFL_UP, value, static_cast<int>(delta), at);
    }
    template <class T>
    OK_ALWAYS_MEMBER static T shfl_down(T value, unsigned delta, OK_AT) {
        return exchange(__ok::SHFL_DOWN, value, static_cast<int>(delta), at);
    }
    template <class T>
    OK_ALWAYS_MEMBER static T shfl_xor(T value, unsigned lane_mask, OK_AT) {
        return exchange(__ok::SHFL_XOR, value, static_cast<int>(lane_mask), at);
    }
    OK_ALWAYS_MEMBER static unsigned ballot(int predicate, OK_AT) {
        return __ok::ballot(ok_mask(), predicate, at) >> first_lane();
    }
    OK_ALWAYS_MEMBER static int any(int predicate, OK_AT) { return __ok::ballot(ok_mask(), predicate, at) != 0; }
    OK_ALWAYS_MEMBER static int all(int predicate, OK_AT) { return __ok::ballot(ok_mask(), predicate, at) == ok_mask(); }
    template <class T>
    OK_ALWAYS_MEMBER static unsigned match_any(T value, OK_AT) {
        return __match_any_sync(ok_mask(), value, at) >> first_lane();
    }
    template <class T>
    OK_ALWAYS_MEMBER static unsigned match_all(T value, int& predicate, OK_AT) {
        return __match_all_sync(ok_mask(), value, &predicate, at) >> first_lane();
    }

private:
    OK_ALWAYS_MEMBER static unsigned first_lane() { return __ok::lane_index() & ~(tile_size - 1); }
    template <class T>
    OK_ALWAYS_MEMBER static T exchange(int what, T value, int lane, __ok::Site at) {
        return __ok::shuffle_any(what, ok_mask(), value, lane, tile_size, at);
    }
    unsigned meta_rank_, meta_size_;
};

// Any of the groups above, its kind known at run time.
class thread_group {
public:
    OK_ALWAYS_MEMBER thread_group(const thread_block&) : block_(true), lanes_(0) {}
    OK_ALWAYS_MEMBER thread_group(const coalesced_group& group) : block_(false), lanes_(group) {}
    template <unsigned tile_size, class Parent>
    OK_ALWAYS_MEMBER thread_group(const thread_block_tile<tile_size, Parent>& tile) : block_(false), lanes_(tile) {}
    OK_ALWAYS_MEMBER void sync(OK_AT) const {
        if (block_)
            thread_block::sync(at);
        else
            lanes_.sync(at);
    }
    OK_ALWAYS_MEMBER unsigned thread_rank() const {
        return block_ ? thread_block::thread_rank() : lanes_.thread_rank();
    }
    OK_ALWAYS_MEMBER unsigned num_threads() const {
        return block_ ? thread_block::num_threads() : lanes_.num_threads();
    }
    OK_ALWAYS_MEMBER unsigned size() const { return num_threads(); }

private:
    bool block_;
    coalesced_group lanes_;
};

template <unsigned tile_size, class Group>
OK_ALWAYS thread_block_tile<tile_size, Group> tiled_partition(const Group& group) {
    return thread_block_tile<tile_size, Group>(group.thread_rank(), group.size());
}
// A tile whose size is known at run time: a power of two up to 32.
template <class Group>
OK_ALWAYS coalesced_group tiled_partition(const Group& group, unsigned tile_size) {
    const unsigned rank = group.thread_rank(), first = rank / tile_size * tile_size;
    const unsigned lane = __ok::lane_index() - (rank - first);
    return coalesced_group((0xffffffffu >> (32 - tile_size)) << lane, rank / tile_size,
                           (group.size() + tile_size - 1) / tile_size);
}
template <class Group, class Label>
OK_ALWAYS coalesced_group labeled_partition(const Group& group, Label label, OK_AT) {
    return coalesced_group(__match_any_sync(group.ok_mask(), label, at));
}
template <class Group>
OK_ALWAYS coalesced_group binary_partition(const Group& group, bool predicate, OK_AT) {
    const unsigned yes = __ok::ballot(group.ok_mask(), predicate, at);
    return coalesced_group(predicate ? yes : group.ok_mask() & ~yes, predicate, 2);
}

template <class Group>
OK_ALWAYS void sync(const Group& group, OK_AT) {
    group.sync(at);
}
template <class Group>
OK_ALWAYS unsigned thread_rank(const Group& group) {
    return group.thread_rank();
}
template <class Group>
OK_ALWAYS unsigned group_size(const Group& group) {
    return group.size();
}

// One thread of a group calls the function: here the first.
template <class Group, class Function, class... Arguments>
OK_ALWAYS void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
    if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
// And all of them, which are of one warp, have what it returns.
template <class Group, class Function, class... Arguments>
OK_ALWAYS auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
    decltype(static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...)) result{};
    if (group.thread_rank() == 0) result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
    return group.shfl(result, 0);
}

}  // namespace cooperative_groups
