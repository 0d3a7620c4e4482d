#include "limits.h"

#include <algorithm>
#include <map>
#include <set>

#include "../report/findings.h"
#include "launch.h"
#include "registers.h"

namespace __ok {
static std::map<const void*, int> dynamic_limits;
static std::map<const void*, size_t> static_bytes;    // of kernels that have run
static std::set<const void*> asked, wide_clusters;    // by cudaOccupancy...; with non-portable cluster sizes allowed

static size_t fixed_bytes(const void* kernel) {
    auto found = static_bytes.find(kernel);
    return kernel && found != static_bytes.end() ? found->second : 0;
}

extern "C" int ok_set_max_dynamic_shared(const void* kernel, int bytes, Site at) {
    const int most = CARD.shared_per_block_optin - static_cast<int>(fixed_bytes(kernel));
    if (bytes < 0 || bytes > most) {
        const bool beside = fixed_bytes(kernel) && bytes >= 0 && bytes <= CARD.shared_per_block_optin;
        Finding("bad-launch", uint64_t(at.line), 99).form(beside ? "opt-in-beside" : "opt-in").at(at).number("value", bytes)
            .number("limit", beside ? most : CARD.shared_per_block_optin).number("fixed", fixed_bytes(kernel)).add();
        return ok_fail(ERROR_INVALID_VALUE);
    }
    dynamic_limits[kernel] = bytes;
    return 0;
}
extern "C" int ok_max_dynamic_shared(const void* kernel) {
    auto found = dynamic_limits.find(kernel);
    if (found != dynamic_limits.end()) return found->second;
    int limit = CARD.shared_per_block;
    // A launch whose kernel cannot be told by its address may be any that asked for more.
    if (!kernel) for (const auto& [k, bytes] : dynamic_limits) limit = std::max(limit, bytes);
    return limit;
}

// A kernel that has asked for a dynamic part, however small, may have its static part on top, as far as the card has room.
static bool opted_in(const void* kernel) { return kernel ? dynamic_limits.count(kernel) : !dynamic_limits.empty(); }
bool is_too_much_shared(const LaunchSite& site, const Config& c, size_t fixed) {
    return fixed + c.shared > size_t(opted_in(site.address) ? CARD.shared_per_block_optin : CARD.shared_per_block);
}

static int refuse(const LaunchSite& site, const char* form, long long value, long long limit, int error = ERROR_INVALID_VALUE) {
    Finding("bad-launch", uint64_t(site.at.line), static_cast<uint64_t>(form[0])).form(form).at(site.at)
        .text("kernel", site.kernel ? site.kernel : "").number("kernel_at", code_offset(site.address)).number("value", value)
        .number("limit", limit).add();
    return ok_fail(error);
}

// All blocks of a cooperative launch are resident at once.
static int check_cooperative(const LaunchSite& site, const Config& c, size_t fixed) {
    const char* by = "";
    long long blocks = 1LL * c.grid.x * c.grid.y * c.grid.z;
    const int threads = static_cast<int>(c.block.x * c.block.y * c.block.z);
    long long most = 1LL * CARD.multiprocessors * resident_blocks(threads, fixed + c.shared, &by, site.address);
    return blocks <= most ? 0 : refuse(site, "cooperative", blocks, most, ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

int check_cluster(const LaunchSite& site, const Config& c) {
    long long blocks = 1LL * c.cluster.x * c.cluster.y * c.cluster.z;
    if (blocks == 1) return 0;
    if (CARD.major < 9) return refuse(site, "cluster-card", blocks, 1, ERROR_NOT_SUPPORTED);
    int most = wide_clusters.count(site.address) ? CARD.cluster_blocks_opt_in : CARD.cluster_blocks;
    if (blocks < 1 || blocks > most) return refuse(site, "cluster-size", blocks, most, ERROR_INVALID_CLUSTER_SIZE);
    if (c.grid.x % c.cluster.x || c.grid.y % c.cluster.y || c.grid.z % c.cluster.z)
        return refuse(site, "cluster-grid", 1LL * c.grid.x * c.grid.y * c.grid.z, blocks, ERROR_INVALID_CLUSTER_SIZE);
    return 0;
}

// A property of the kernel's code, as the shape of its clusters: its threads tell it, before they do anything else.
extern "C" void ok_launch_bounds(int threads, int, int) {
    worker->launch->bound = threads;
    if (worker->launch->threads > threads) refuse_begun();
}

int check_bound(const LaunchSite& site, int threads, int bound) {
    return bound && threads > bound ? refuse(site, "bound", threads, bound) : 0;
}

// CUDA 13.0 has one error for all of these, as an H200 answers; up to CUDA 12 it was cudaErrorInvalidConfiguration.
int check_launch(const LaunchSite& site, const Config& c) {
    long long threads = 1LL * c.block.x * c.block.y * c.block.z;
    if (!c.grid.x || !c.grid.y || !c.grid.z) return refuse(site, "empty-grid", 0, 1);
    if (!threads) return refuse(site, "empty-block", 0, 1);
    bool shaped_as_block = c.grid.x % 32 == 0 && c.grid.x <= unsigned(CARD.threads_per_block);
    bool looks_exchanged = shaped_as_block && (threads % 32 || c.grid.x >= 4 * WARP);
    if (threads > CARD.threads_per_block && looks_exchanged)
        return refuse(site, "exchanged", threads, c.grid.x);
    if (threads > CARD.threads_per_block)
        return refuse(site, "threads", threads, CARD.threads_per_block);
    if (const int most = ok_most_threads(site.address); threads > most) {
        Finding("bad-launch", uint64_t(site.at.line), 'r').form("registers").at(site.at).text("kernel", site.kernel ? site.kernel : "")
            .number("kernel_at", code_offset(site.address))
            .number("value", threads).number("limit", most).number("registers", ok_registers_of(site.address))
            .number("all", CARD.registers_per_block).add();
        return ok_fail(ERROR_LAUNCH_OUT_OF_RESOURCES);
    }
    if (int(c.block.z) > CARD.block_z) return refuse(site, "block.z", c.block.z, CARD.block_z);
    if (c.grid.x > CARD.grid_x) return refuse(site, "grid.x", c.grid.x, CARD.grid_x);
    if (int(c.grid.y) > CARD.grid_y) return refuse(site, "grid.y", c.grid.y, CARD.grid_y);
    if (int(c.grid.z) > CARD.grid_z) return refuse(site, "grid.z", c.grid.z, CARD.grid_z);
    int limit = ok_max_dynamic_shared(site.address);
    if (c.shared > size_t(limit))
        return refuse(site, opted_in(site.address) ? "shared-opt-in" : "shared", static_cast<long long>(c.shared), limit);
    if (int error = check_cluster(site, c)) return error;
    return c.cooperative ? check_cooperative(site, c, fixed_bytes(site.address)) : 0;
}

int check_static(const LaunchSite& site, const Config& c, size_t fixed) {
    static_bytes[site.address] = fixed;
    long long all = static_cast<long long>(fixed + c.shared);
    if (fixed > size_t(CARD.shared_per_block))
        return refuse(site, "static", static_cast<long long>(fixed), CARD.shared_per_block);
    if (is_too_much_shared(site, c, fixed)) {
        const bool most = opted_in(site.address);
        Finding("bad-launch", uint64_t(site.at.line), 'b').form(most ? "shared-beside-opt-in" : "shared-beside").at(site.at)
            .text("kernel", site.kernel ? site.kernel : "").number("kernel_at", code_offset(site.address))
            .number("value", static_cast<long long>(c.shared)).number("fixed", static_cast<long long>(fixed)).number("all", all)
            .number("limit", most ? CARD.shared_per_block_optin : CARD.shared_per_block).add();
        return ok_fail(ERROR_INVALID_VALUE);
    }
    // A launch that went by cudaOccupancy..., which did not know the static part either, would be a smaller one on a GPU.
    return c.cooperative && !asked.count(site.address) ? check_cooperative(site, c, fixed) : 0;
}

// Source of the rule: CUDA C++ Programming Guide, "Hardware Multithreading".
int resident_blocks(int threads, size_t shared, const char** limit, const void* kernel) {
    *limit = "threads";
    if (threads < 1 || threads > CARD.threads_per_block || shared > size_t(CARD.shared_per_block_optin)) return 0;
    int warps = (threads + WARP - 1) / WARP;
    int blocks = CARD.blocks_per_multiprocessor;
    *limit = "blocks";
    int by_warps = CARD.threads_per_multiprocessor / WARP / warps;
    if (by_warps < blocks) {
        blocks = by_warps;
        *limit = "warps";
    }
    if (const int by_registers = blocks_by_registers(kernel, warps); by_registers < blocks) {
        blocks = by_registers;
        *limit = "registers";
    }
    size_t each = shared + CARD.shared_reserved_per_block;
    int by_shared = static_cast<int>(CARD.shared_per_multiprocessor / each);
    if (shared && by_shared < blocks) {
        blocks = by_shared;
        *limit = "shared";
    }
    return blocks;
}

extern "C" int ok_resident_blocks(const void* kernel, int threads, size_t dynamic) {
    const char* limit;
    asked.insert(kernel);
    return resident_blocks(threads, fixed_bytes(kernel) + dynamic, &limit, kernel);
}

extern "C" int ok_allow_wide_clusters(const void* kernel, bool allow) {
    if (CARD.major < 9) return ok_fail(ERROR_INVALID_VALUE);
    if (allow) wide_clusters.insert(kernel);
    else wide_clusters.erase(kernel);
    return SUCCESS;
}
extern "C" int ok_most_in_cluster(const void* kernel) {
    return wide_clusters.count(kernel) ? CARD.cluster_blocks_opt_in : CARD.cluster_blocks;
}
}  // namespace __ok
