// Groups of several blocks: the grid of a cooperative launch, and clusters (CUDA C++ Programming Guide, "Cooperative
// Groups" and "Thread Block Clusters"; the members are those of CUDA 13.0's cooperative_groups.h).
#pragma once
#include "core.h"
#include "bits.h"

namespace __ok {
OK_ALWAYS unsigned volume(dim3 d) { return d.x * d.y * d.z; }
OK_ALWAYS unsigned long long wide_volume(dim3 d) { return static_cast<unsigned long long>(d.x) * d.y * d.z; }
OK_ALWAYS dim3 times(dim3 a, dim3 b) { return dim3(a.x * b.x, a.y * b.y, a.z * b.z); }
OK_ALWAYS unsigned long long rank_in(uint3 index, dim3 shape) {
    return index.x + shape.x * (index.y + static_cast<unsigned long long>(shape.y) * index.z);
}
OK_ALWAYS dim3 thread_at(uint3 block) {
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z);
}
OK_ALWAYS ClusterPlace cluster() {
    ClusterPlace place;
    ok_cluster(&place);
    return place;
}
}  // namespace __ok

namespace cooperative_groups {

class grid_group {
public:
    typedef unsigned arrival_token;
    OK_ALWAYS_MEMBER bool is_valid() const { return __ok::ok_cooperative(); }
    OK_ALWAYS_MEMBER void sync(OK_AT) const { __ok::ok_blocks_wait(__ok::GRID, __ok::ok_blocks_arrive(__ok::GRID, true, at), at); }
    OK_ALWAYS_MEMBER arrival_token barrier_arrive(OK_AT) const { return __ok::ok_blocks_arrive(__ok::GRID, false, at); }
    OK_ALWAYS_MEMBER void barrier_wait(arrival_token&& token, OK_AT) const { __ok::ok_blocks_wait(__ok::GRID, token, at); }

    OK_ALWAYS_MEMBER static dim3 dim_blocks() { return gridDim; }
    OK_ALWAYS_MEMBER static unsigned long long num_blocks() { return __ok::wide_volume(gridDim); }
    OK_ALWAYS_MEMBER static dim3 block_index() { return dim3(blockIdx); }
    OK_ALWAYS_MEMBER static unsigned long long block_rank() { return __ok::rank_in(blockIdx, gridDim); }
    OK_ALWAYS_MEMBER static dim3 dim_threads() { return __ok::times(gridDim, blockDim); }
    OK_ALWAYS_MEMBER static unsigned long long num_threads() { return num_blocks() * __ok::volume(blockDim); }
    OK_ALWAYS_MEMBER static dim3 thread_index() { return __ok::thread_at(blockIdx); }
    OK_ALWAYS_MEMBER static unsigned long long thread_rank() {
        return block_rank() * __ok::volume(blockDim) + __ok::ok_thread_rank();
    }
    OK_ALWAYS_MEMBER static unsigned long long size() { return num_threads(); }
    OK_ALWAYS_MEMBER static dim3 group_dim() { return gridDim; }

#if __CUDA_ARCH__ >= 900
    OK_ALWAYS_MEMBER static dim3 dim_clusters() {
        const dim3 each = __ok::cluster().blocks;
        return dim3(gridDim.x / each.x, gridDim.y / each.y, gridDim.z / each.z);
    }
    OK_ALWAYS_MEMBER static unsigned long long num_clusters() { return __ok::wide_volume(dim_clusters()); }
    OK_ALWAYS_MEMBER static dim3 cluster_index() { return dim3(__ok::cluster().cluster); }
    OK_ALWAYS_MEMBER static unsigned long long cluster_rank() { return __ok::rank_in(__ok::cluster().cluster, dim_clusters()); }
#endif
};
OK_ALWAYS grid_group this_grid() { return grid_group(); }

#if __CUDA_ARCH__ >= 900
class cluster_group {
public:
    struct arrival_token {};
    OK_ALWAYS_MEMBER static void sync(OK_AT) { __ok::ok_blocks_wait(__ok::CLUSTER, __ok::ok_blocks_arrive(__ok::CLUSTER, true, at), at); }
    OK_ALWAYS_MEMBER static arrival_token barrier_arrive(OK_AT) {
        __ok::ok_blocks_arrive(__ok::CLUSTER, false, at);
        return arrival_token();
    }
    OK_ALWAYS_MEMBER static void barrier_wait(OK_AT) { __ok::ok_blocks_wait_last(__ok::CLUSTER, at); }
    OK_ALWAYS_MEMBER static void barrier_wait(arrival_token&&, OK_AT) { __ok::ok_blocks_wait_last(__ok::CLUSTER, at); }

    // Where another block of the cluster keeps the same shared variable, and whose variable an address is.
    template <class T>
    OK_ALWAYS_MEMBER static T* map_shared_rank(T* address, int rank, OK_AT) {
        return static_cast<T*>(__ok::ok_map_shared(address, rank, at));
    }
    OK_ALWAYS_MEMBER static unsigned query_shared_rank(const void* address, OK_AT) { return __ok::ok_query_shared(address, at); }

    OK_ALWAYS_MEMBER static dim3 dim_blocks() { return __ok::cluster().blocks; }
    OK_ALWAYS_MEMBER static unsigned num_blocks() { return __ok::volume(dim_blocks()); }
    OK_ALWAYS_MEMBER static dim3 block_index() { return dim3(__ok::cluster().block); }
    OK_ALWAYS_MEMBER static unsigned block_rank() { return __ok::cluster().rank; }
    OK_ALWAYS_MEMBER static dim3 dim_threads() { return __ok::times(dim_blocks(), blockDim); }
    OK_ALWAYS_MEMBER static unsigned num_threads() { return num_blocks() * __ok::volume(blockDim); }
    OK_ALWAYS_MEMBER static dim3 thread_index() { return __ok::thread_at(__ok::cluster().block); }
    OK_ALWAYS_MEMBER static unsigned thread_rank() { return block_rank() * __ok::volume(blockDim) + __ok::ok_thread_rank(); }
    OK_ALWAYS_MEMBER static unsigned size() { return num_threads(); }
};
OK_ALWAYS cluster_group this_cluster() { return cluster_group(); }
#endif

}  // namespace cooperative_groups
