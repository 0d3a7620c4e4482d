// Clusters and grids as kernels see them: where a block stands in its cluster, and the others' shared memory.
#include "../memory/memory.h"
#include "../report/findings.h"
#include "launch.h"
#include "resident_blocks.h"

namespace __ok {
extern "C" bool ok_cooperative() { return worker && worker->current && worker->launch->config.cooperative; }

extern "C" void ok_cluster(ClusterPlace* out) {
    const Worker& w = *worker;
    const dim3 shape = w.launch->config.cluster;
    const uint3 b = ok_blockIdx;
    ClusterPlace place{shape, {b.x / shape.x, b.y / shape.y, b.z / shape.z}, {b.x % shape.x, b.y % shape.y, b.z % shape.z}, 0};
    place.rank = place.block.x + shape.x * (place.block.y + shape.y * place.block.z);
    *out = place;
}

static void report_address(Site at, const char* form, long long rank, long long blocks) {
    Finding("bad-cluster-address", uint64_t(at.line)).form(form).at(at).here().number("rank", rank).number("blocks", blocks).add();
}

extern "C" void* ok_map_shared(const volatile void* address, int rank, Site at) {
    const Worker& w = *worker;
    void* same = const_cast<void*>(address);
    const dim3 shape = w.launch->config.cluster;
    int blocks = static_cast<int>(shape.x * shape.y * shape.z);
    uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(w.arena);
    if (offset >= ARENA_BYTES) {
        report_address(at, "not-shared", rank, blocks);
        return same;
    }
    if (rank < 0 || rank >= blocks) {
        report_address(at, "rank", rank, blocks);
        return same;
    }
    if (!w.resident) return same;
    int first = w.member / w.resident->cluster_blocks * w.resident->cluster_blocks;
    return w.resident->arenas + (first + rank) * ARENA_BYTES + offset;
}

// The rank in the cluster of the block to whose shared memory `address` belongs.
extern "C" unsigned ok_query_shared(const volatile void* address, Site at) {
    const Worker& w = *worker;
    uintptr_t base = reinterpret_cast<uintptr_t>(w.resident ? w.resident->arenas : w.arena);
    uintptr_t offset = reinterpret_cast<uintptr_t>(address) - base;
    if (offset < (w.resident ? w.resident->size : 1) * ARENA_BYTES)
        return static_cast<unsigned>(w.resident ? offset / ARENA_BYTES % w.resident->cluster_blocks : 0);
    report_address(at, "not-shared", 0, 0);
    return 0;
}

// The first thing that a kernel with __cluster_dims__ does. The shape is a property of the kernel's code, which nobody
// can ask a function pointer for: its first thread tells it, and the launch begins anew with it.
extern "C" void ok_cluster_dims(dim3 shape) {
    Launch& l = *worker->launch;
    dim3& now = l.config.cluster;
    if (now.x == shape.x && now.y == shape.y && now.z == shape.z) return;
    if (!l.restart.exchange(true)) l.compiled_cluster = shape;
    end_launch(*worker);
    abandon_block();
}
}  // namespace __ok
