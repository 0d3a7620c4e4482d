// The items of a block's threads in shared memory, where each may look at its neighbours' and take what is another's place.
#pragma once
#include "core.h"

namespace __ok {

template <class T, int THREADS>
struct Edges {  // of each thread's items: the first, the last
    alignas(T) unsigned char first[THREADS * sizeof(T)], last[THREADS * sizeof(T)];
};

// What stands before each thread's first item and behind its last, in other threads' items.
template <class T, int THREADS>
struct Neighbours {
    T before, behind;
    bool has_before, has_behind;
    template <int items>
    OK_ALWAYS_MEMBER Neighbours(Edges<T, THREADS>& edges, T (&input)[items], Site at)
        : before(input[0]), behind(input[items - 1]), has_before(ok_thread_rank() > 0), has_behind(ok_thread_rank() + 1 < THREADS) {
        const unsigned rank = ok_thread_rank();
        T *first = reinterpret_cast<T*>(edges.first), *last = reinterpret_cast<T*>(edges.last);
        first[rank] = input[0];
        last[rank] = input[items - 1];
        ok_barrier(VOTE_NONE, 0, at);
        if (has_before) before = last[rank - 1];
        if (has_behind) behind = first[rank + 1];
    }
};

}  // namespace __ok
