// The copy engine. A load is read from global memory when it is asked for, which PTX allows, and arrives when somebody asks the
// mbarrier that it tells (checkers/async_copies.cpp); a store takes what shared memory holds when its thread waits for it: both as late as
// PTX allows, so that a wait that is missing, or a buffer that is used again too early, gives what is wrong. Bytes lie in shared memory as
// the tensor's swizzle says: of the address bits 4 to 6 as many as it has are turned over where those from 7 on are set, so that a
// pattern begins at a multiple of 1024, 512 or 256 bytes of shared memory, wherever the box does. A row that is narrower than the swizzle
// takes its whole width, and what lies behind stays as it was. That, and where a box may begin (map_at, ok_tensor_store), was seen on an
// H200 (driver 580.159.04).
// Source: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"; CUDA C++ Programming Guide, "Tensor Memory Access".
//
// Tells: bad-bulk-copy, unread-bulk-copy
// Tests: tma_*, bulk_*
#include "bulk_copies.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../api/ok/tensor_map.h"
#include "../checkers/async_copies.h"
#include "../memory/memory.h"
#include "../memory/tensor_map.h"
#include "../report/findings.h"
#include "launch.h"
#include "mbarrier.h"
#include "resident_blocks.h"

namespace __ok {
namespace {
constexpr unsigned PIECE = 16, TENSOR_ALIGNMENT = 128;

struct Store {
    Site at;
    uintptr_t pc;
    uint32_t batch, from, bytes;    // where in shared memory
    uint64_t to = 0;                // in global memory; or of a tensor
    TensorMap map = {};
    int where[MAX_TENSOR_RANK] = {};
    std::vector<uint8_t> seen;      // what lay there when it was asked for
};
struct Storer {
    uint32_t closed = 0;  // batches
    std::vector<Store> stores;
};
}  // namespace

struct BulkStores {
    std::vector<Storer> of_thread = std::vector<Storer>(MAX_THREADS_PER_BLOCK);
    bool used = false;  // by the running block
};

namespace {
[[noreturn]] void refuse(const char* form, Site at, long long value = 0, long long limit = 0) {
    Finding("bad-bulk-copy", uint64_t(at.line)).form(form).at(at).here().number("value", value).number("limit", limit).add();
    stop_launch(ERROR_MISALIGNED_ADDRESS);
}

// Judges an access of any number of bytes as plain ones of at most 16.
void touch_all(uintptr_t address, size_t bytes, bool writes, uintptr_t pc) {
    while (bytes) {
        int piece = PIECE;
        while (address % static_cast<unsigned>(piece) || static_cast<size_t>(piece) > bytes) piece /= 2;
        texture_access(*worker, address, piece, writes, pc);
        address += static_cast<unsigned>(piece);
        bytes -= static_cast<unsigned>(piece);
    }
}

const TensorMap& map_at(const void* at, int rank, const int* where, Site site) {
    const TensorMap* map = tensor_map_at(at);
    if (!map) refuse("map", site);
    if (rank && map->rank != rank) refuse("rank", site, rank, map->rank);
    const long long past = where ? 1ll * where[0] * map->item % PIECE : 0;
    if (past) refuse("column", site, where[0], PIECE / map->item);
    return *map;
}

uint32_t box_bytes(const TensorMap& m) {
    uint32_t bytes = m.item;
    for (int d = 0; d < m.rank; d++) bytes *= m.box[d];
    return bytes;
}

uint32_t swizzled(uint32_t offset, int bits) { return offset ^ ((offset >> 7 & ((1u << bits) - 1)) << 4); }

// The bytes from row to row in shared memory.
uint32_t pitch(const TensorMap& m) { return m.swizzle ? PIECE << m.swizzle : static_cast<uint32_t>(m.box[0]) * m.item; }
uint32_t place_of(const TensorMap& m, uint32_t in_box) {
    const uint32_t row = static_cast<uint32_t>(m.box[0]) * m.item;
    return in_box / row * pitch(m) + in_box % row;
}

// Calls with_row(where in the box, where in global memory, bytes of that), of each row the part that lies in the tensor, if any does.
template <class F>
void each_row(const TensorMap& m, const int* where, F with_row) {
    const long long first = where[0] < 0 ? -1ll * where[0] : 0, end = std::min<long long>(m.box[0], 1ll + m.last[0] - where[0]);
    const uint32_t row_bytes = static_cast<uint32_t>(m.box[0]) * m.item;
    int in_box[MAX_TENSOR_RANK] = {};
    for (uint32_t row = 0; row * row_bytes < box_bytes(m); row++) {
        bool inside = first < end;
        uint64_t address = m.base + static_cast<uint64_t>((where[0] + first) * m.item);
        for (int d = 1; d < m.rank; d++) {
            const long long at = 1ll * where[d] + in_box[d];
            inside &= at >= 0 && at <= m.last[d];
            address += static_cast<uint64_t>(at) * m.strides[d];
        }
        if (inside) with_row(row * row_bytes + static_cast<uint32_t>(first * m.item), address, static_cast<uint32_t>((end - first) * m.item));
        for (int d = 1; d < m.rank && ++in_box[d] == m.box[d]; d++) in_box[d] = 0;
    }
}

// Where a copy to or from shared memory lies there.
uint32_t in_shared(Worker& w, Worker*& owner, const void* at, unsigned alignment, Site site) {
    uint32_t offset;
    owner = &owner_of_shared(w, at, offset);
    if (offset >= ARENA_BYTES) refuse("not-shared", site);
    if (offset % alignment) refuse("shared", site, offset % alignment, alignment);
    return offset;
}

// `map`: null of plain bytes.
void load(Worker& w, void* to, const std::vector<uint8_t>& bytes, const TensorMap* map, unsigned alignment, void* object, unsigned blocks, Site at, uintptr_t pc) {
    Worker *owner, *told;
    const uint32_t offset = in_shared(w, owner, to, alignment, at), barrier = in_shared(w, told, object, 8, at);
    if (owner != told) refuse("barrier", at);
    auto arrive_in = [&](Worker& there) {
        for (uint32_t i = 0; i < bytes.size(); i += PIECE)
            if (!bulk_copy_started(w, there, barrier, map ? swizzled(offset + place_of(*map, i), map->swizzle) : offset + i, &bytes[i], at, pc)) break;
        bulk_copy_tells(w, there.arena + barrier, static_cast<int64_t>(bytes.size()), at, pc);
    };
    if (!blocks) return arrive_in(*owner);
    const int cluster = w.resident ? w.resident->cluster_blocks : 1, first = w.resident ? w.member / cluster * cluster : 0;
    if (blocks >> cluster) refuse("blocks", at, blocks, cluster);
    for (int i = 0; i < cluster; i++)
        if (blocks >> i & 1) arrive_in(w.resident ? *w.resident->members[first + i].worker : w);
}

BulkStores& stores_of(Worker& w) {
    if (!w.bulk_stores) w.bulk_stores = new BulkStores;
    w.bulk_stores->used = true;
    return *w.bulk_stores;
}

// Calls with(offset in shared memory, offset in the box, bytes) for what a store takes from there.
template <class F>
void each_taken(const Store& s, F with) {
    if (s.to) return with(s.from, 0u, s.bytes);
    each_row(s.map, s.where, [&](uint32_t at, uint64_t, uint32_t bytes) {
        for (uint32_t end = at + bytes; at < end;) {
            const uint32_t piece = std::min(end, at / PIECE * PIECE + PIECE) - at;
            with(swizzled(s.from + place_of(s.map, at), s.map.swizzle), at, piece);
            at += piece;
        }
    });
}

void begin(Worker& w, Store&& s) {
    s.seen.resize(s.bytes);
    each_taken(s, [&](uint32_t from, uint32_t at, uint32_t bytes) {
        touch_all(reinterpret_cast<uintptr_t>(w.arena) + from, bytes, false, s.pc);
        memcpy(&s.seen[at], w.arena + from, bytes);
    });
    Storer& mine = stores_of(w).of_thread[w.rank];
    s.batch = mine.closed + 1;
    mine.stores.push_back(std::move(s));
}

// It takes what lies there now. That is wrong where it is not what lay there when it was asked for.
void carry_out(Worker& w, Store& s) {
    bool changed = false;
    each_taken(s, [&](uint32_t from, uint32_t at, uint32_t bytes) {
        touch_all(reinterpret_cast<uintptr_t>(w.arena) + from, bytes, false, s.pc);
        changed |= memcmp(&s.seen[at], w.arena + from, bytes) != 0;
        memcpy(&s.seen[at], w.arena + from, bytes);
    });
    if (changed) Finding("unread-bulk-copy", uint64_t(s.at.line)).form("changed").at(s.at).here().add();
    auto give = [&](uint32_t at, uint64_t to, uint32_t bytes) {
        touch_all(to, bytes, true, s.pc);
        uint8_t* const there = reinterpret_cast<uint8_t*>(to);
        for (uint32_t i = 0; i < bytes; i += PIECE) {  // not what lies out of bounds, which has been told
            const uint32_t piece = std::min(PIECE, bytes - i);
            if (ok_device_find(there + i, nullptr, nullptr) && ok_device_find(there + i + piece - 1, nullptr, nullptr)) memcpy(there + i, &s.seen[at + i], piece);
        }
    };
    if (s.to) give(0, s.to, s.bytes);
    else each_row(s.map, s.where, give);
}

void complete(Worker& w, Storer& mine, uint32_t batch) {
    size_t done = 0;
    for (Store& s : mine.stores) {
        if (s.batch > batch) break;
        carry_out(w, s);
        done++;
    }
    mine.stores.erase(mine.stores.begin(), mine.stores.begin() + static_cast<long>(done));
}
}  // namespace

void forget_bulk_stores(Worker& w) {
    if (!w.bulk_stores->used) return;
    w.bulk_stores->used = false;
    for (Storer& s : w.bulk_stores->of_thread) s = Storer();
}

void release_bulk_stores(Worker& w) { delete w.bulk_stores; }

void bulk_thread_left(Worker& w) {
    Storer& mine = w.bulk_stores->of_thread[w.rank];
    if (mine.stores.empty()) return;
    Busy busy;
    const Store& s = mine.stores.front();
    Finding("unread-bulk-copy", uint64_t(s.at.line)).form(s.batch > mine.closed ? "open" : "left").at(s.at).here().add();
    complete(w, mine, ~0u);
}

#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

extern "C" void ok_bulk_load(void* to, const void* from, unsigned bytes, void* object, unsigned blocks, Site at) {
    Worker& w = *worker;
    Busy busy;
    if (bytes % PIECE || !bytes) refuse("size", at, bytes, PIECE);
    if (reinterpret_cast<uintptr_t>(from) % PIECE) refuse("global", at, static_cast<long long>(reinterpret_cast<uintptr_t>(from) % PIECE), PIECE);
    touch_all(reinterpret_cast<uintptr_t>(from), bytes, false, PC);
    std::vector<uint8_t> content(bytes);
    memcpy(content.data(), from, bytes);
    load(w, to, content, nullptr, PIECE, object, blocks, at, PC);
}

extern "C" void ok_tensor_load(void* to, const void* map, const int* where, int rank, void* object, unsigned blocks, Site at) {
    Worker& w = *worker;
    Busy busy;
    const TensorMap& m = map_at(map, rank, where, at);
    std::vector<uint8_t> content(box_bytes(m));  // zeros where nothing is read
    each_row(m, where, [&](uint32_t in_box, uint64_t from, uint32_t bytes) {
        touch_all(from, bytes, false, PC);
        memcpy(&content[in_box], reinterpret_cast<const void*>(from), bytes);
    });
    load(w, to, content, &m, TENSOR_ALIGNMENT, object, blocks, at, PC);
}

extern "C" void ok_bulk_store(void* to, const void* from, unsigned bytes, Site at) {
    Worker &w = *worker, *owner;
    Busy busy;
    if (bytes % PIECE || !bytes) refuse("size", at, bytes, PIECE);
    if (reinterpret_cast<uintptr_t>(to) % PIECE) refuse("global", at, static_cast<long long>(reinterpret_cast<uintptr_t>(to) % PIECE), PIECE);
    Store s{at, PC, 0, in_shared(w, owner, from, PIECE, at), bytes};
    s.to = reinterpret_cast<uint64_t>(to);
    begin(w, std::move(s));
}

extern "C" void ok_tensor_store(const void* map, const int* where, int rank, const void* from, Site at) {
    Worker &w = *worker, *owner;
    Busy busy;
    const TensorMap& m = map_at(map, rank, where, at);
    for (int d = 0; d < rank; d++)
        if (where[d] < 0) refuse("below", at, where[d], d);
    Store s{at, PC, 0, in_shared(w, owner, from, TENSOR_ALIGNMENT, at), box_bytes(m)};
    s.map = m;
    memcpy(s.where, where, sizeof(int) * static_cast<size_t>(rank));
    begin(w, std::move(s));
}

extern "C" void ok_tensor_prefetch(const void* map, int rank, Site at) {
    Busy busy;
    map_at(map, rank, nullptr, at);
}

extern "C" void ok_bulk_closed() {
    Worker& w = *worker;
    Busy busy;
    stores_of(w).of_thread[w.rank].closed++;
}

extern "C" void ok_bulk_waited(unsigned still_allowed, bool) {
    Worker& w = *worker;
    if (!w.bulk_stores) return;
    Busy busy;
    Storer& mine = w.bulk_stores->of_thread[w.rank];
    if (mine.closed > still_allowed) complete(w, mine, mine.closed - still_allowed);
}
#undef PC
}  // namespace __ok
