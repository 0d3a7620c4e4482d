// wgmma: 64 rows of A times N columns of B, from shared memory, by four warps together, which go on meanwhile. The product is made when
// the last of the four has come, of what shared memory then holds, and given to its threads when they wait: until then their sums hold
// a number that is none. Each warp must be ordered behind what it reads when it comes, and what was read must still be there when the
// first of them waits: behind that all four have read. Where an element of D lies is PTX's, as of mma: machine/warp_matrix.cpp; here warp w of the four has rows 16 w to 16 w + 15.
//
// Where an operand lies in shared memory a descriptor says: in pieces of 16 bytes, eight of which, a row apart, make a core matrix. Along
// what its rows run, K or not, a swizzle of s bytes has s / 16 pieces next to each other; the other distances are the descriptor's.
// The swizzle turns bits of the address over as the copy engine's does: machine/bulk_copies.cpp.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout", "Matrix Descriptor Format".
//
// Tells: bad-warpgroup, unwaited-product
// Tests: wgmma_*
#include "warpgroup.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "../api/ok/fp8_bits.h"
#include "../api/ok/narrow_float.h"
#include "../api/ok/warpgroup.h"
#include "../checkers/async_copies.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "launch.h"
#include "mbarrier.h"

namespace __ok {
namespace {
using ptx::Element;
using ptx::MOST_SUMS;
using ptx::WarpgroupStep;

constexpr int WARPS = 4, PRODUCT_ROWS = 16 * WARPS, MOST_COLUMNS = 256, MOST_DEPTH = 32, PIECE = 16;
constexpr uint32_t NOT_YET = 0x7fe5eed5;  // a NaN: what a sum holds that has not been waited for

// An operand in shared memory: where its pieces of 16 bytes begin.
struct InShared {
    std::vector<uint32_t> pieces;
    bool is_turned;
    int lines;               // rows of A, or columns of B
    std::vector<uint8_t> bytes;
};
struct Sums {  // of a thread
    uint32_t batch;
    int count;
    uint32_t* at[MOST_SUMS];
    float value[MOST_SUMS];
};
// What a product reads, and in what group it is.
struct Reads {
    uint32_t batch;
    Site at;
    uintptr_t pc;
    std::vector<uint32_t> pieces;
    std::vector<uint8_t> bytes;
};
struct OneWarp {
    size_t steps = 0;         // instructions of the warpgroup that it has come to
    uint32_t closed = 0;      // groups of products
    bool fenced = false, left = false;
    std::vector<Sums> sums[WARP];
    WarpgroupStep* lanes[WARP];
};
struct Group {
    std::deque<Site> steps;   // those that not all warps have come to
    size_t first = 0;         // number of the first of these
    unsigned here = 0;        // warps that wait for the others' part in a product, a bit each
    InShared a, b;
    std::vector<Reads> reads;  // of products that none of them has waited for
    std::vector<uint16_t> waiting;
    OneWarp warps[WARPS];
};
}  // namespace

struct Warpgroups {
    Group groups[MAX_WARPS / WARPS];
    bool used = false;
};

namespace {
[[noreturn]] void refuse(const char* form, Site at, const char* name, long long value = 0, long long limit = 0) {
    Finding("bad-warpgroup", uint64_t(at.line)).form(form).at(at).here().text("instruction", name).number("value", value).number("limit", limit).add();
    stop_launch(ERROR_LAUNCH_FAILURE);
}

int bytes_of(Element e) { return e == Element::tf32 ? 4 : e == Element::f16 || e == Element::bf16 ? 2 : 1; }

float element(const uint8_t* bytes, Element e) {
    uint16_t half;
    uint32_t word;
    switch (e) {
        case Element::f16: __builtin_memcpy(&half, bytes, 2); return static_cast<float>(half_value(half));
        case Element::bf16: __builtin_memcpy(&half, bytes, 2); return static_cast<float>(bfloat16_value(half));
        case Element::tf32: __builtin_memcpy(&word, bytes, 4); return bit_cast<float>(word & ~0x1fffu);
        case Element::e4m3: return static_cast<float>(fp8_value<E4M3>(*bytes));
        default: return static_cast<float>(fp8_value<E5M2>(*bytes));
    }
}

struct Descriptor {
    uint32_t address, leading, stride, base;
    int bits;  // of an address that the swizzle may turn over
};
Descriptor decoded(uint64_t d) {
    auto field = [&](int at) { return static_cast<uint32_t>(d >> at & 0x3fff) << 4; };
    const int mode = static_cast<int>(d >> 62);
    return {field(0), field(16), field(32), static_cast<uint32_t>(d >> 49 & 7), mode ? 4 - mode : 0};
}

// Where the operand's pieces lie. Of one that runs along K piece 2 i + j is the j-th of line i; else piece k lines / 8 + i are lines
// 8 i to 8 i + 7 at depth k.
InShared operand(uint64_t descriptor, int lines, bool is_turned, Site at, const char* name) {
    const Descriptor d = decoded(descriptor);
    const uint32_t wide = 1u << d.bits, pitch = wide * PIECE;
    std::vector<long long> from;
    auto put = [&](uint32_t line, uint32_t across) {
        // `line` counts rows of the core matrices, `across` pieces along them.
        if (!is_turned) from.push_back(1ll * (line % 8) * pitch + 1ll * (line / 8) * d.stride + (d.bits ? across * PIECE : across * d.leading));
        else if (!d.bits) from.push_back(1ll * (line % 8) * pitch + 1ll * (line / 8) * d.leading + 1ll * across * d.stride);
        else from.push_back(1ll * (line % 8) * pitch + 1ll * (line / 8) * d.stride + across % wide * PIECE + 1ll * (across / wide) * d.leading);
    };
    if (is_turned) for (uint32_t k = 0; k < 16; k++) for (int i = 0; i < lines / 8; i++) put(k, static_cast<uint32_t>(i));
    else for (int i = 0; i < lines; i++) for (uint32_t j = 0; j < 2; j++) put(static_cast<uint32_t>(i), j);
    InShared out{{}, is_turned, lines, {}};
    long long low = 0, high = 0;
    for (long long& x : from) {
        const uint32_t plain = d.address + static_cast<uint32_t>(x);
        x += static_cast<long long>(plain ^ (((plain >> 7) - d.base) & (wide - 1)) << 4) - plain;
        low = std::min(low, x);
        high = std::max(high, x + PIECE);
    }
    const uint32_t begin = shared_by_descriptor(d.address, low, high);
    const SharedArray* array = begin ? shared_at(begin) : nullptr;
    if (!array) refuse("nowhere", at, name, d.address);
    if (begin + low < array->offset || begin + high > array->offset + array->bytes) {
        Finding("bad-warpgroup", uint64_t(at.line)).form("outside").at(at).here().text("instruction", name).array("variable", array->name)
            .number("value", static_cast<long long>(begin) + high - array->offset).number("limit", array->bytes).add();
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    for (long long x : from) out.pieces.push_back(begin + static_cast<uint32_t>(x));
    return out;
}

// The piece and the byte in it that hold an element.
const uint8_t* place(const InShared& o, int line, int k, int size) {
    const int piece = o.is_turned ? k * (o.lines / 8) + line / 8 : 2 * line + k * size / PIECE;
    return &o.bytes[static_cast<size_t>(piece * PIECE + (o.is_turned ? line % 8 * size : k * size % PIECE))];
}

void read_now(Worker& w, const Reads& r) {
    for (uint32_t at : r.pieces) texture_access(w, reinterpret_cast<uintptr_t>(w.arena) + at, PIECE, false, r.pc);
}
std::vector<uint8_t> content(const Worker& w, const std::vector<uint32_t>& pieces) {
    std::vector<uint8_t> out(pieces.size() * PIECE);
    for (size_t i = 0; i < pieces.size(); i++) memcpy(&out[i * PIECE], w.arena + pieces[i], PIECE);
    return out;
}

// All four warps have come: D = A B + D.
void multiply(Worker& w, Group& g) {
    static thread_local float a[PRODUCT_ROWS][MOST_DEPTH], b[MOST_DEPTH][MOST_COLUMNS];
    const WarpgroupStep& first = *g.warps[0].lanes[0];
    const int size = bytes_of(first.of), depth = 2 * PIECE / size, n = first.n;
    g.b.bytes = content(w, g.b.pieces);
    if (!first.a_in_registers) g.a.bytes = content(w, g.a.pieces);
    for (int row = 0; row < PRODUCT_ROWS; row++)
        for (int k = 0; k < depth; k++) {
            if (first.a_in_registers) {  // as of mma: a register holds the elements that begin at column t times what it holds
                const int each = 4 / size, lane = row % 8 * 4 + k / each % 4, r = row % 16 / 8 + k / each / 4 * 2;
                a[row][k] = element(reinterpret_cast<const uint8_t*>(&g.warps[row / 16].lanes[lane]->fragment[r]) + k % each * size, first.of);
            } else {
                a[row][k] = element(place(g.a, row, k, size), first.of);
            }
            if (first.negates_a != first.negates_b) a[row][k] = -a[row][k];
        }
    for (int k = 0; k < depth; k++)
        for (int column = 0; column < n; column++) b[k][column] = element(place(g.b, column, k, size), first.of_b);
    static thread_local double sum[PRODUCT_ROWS][MOST_COLUMNS];
    for (int row = 0; row < PRODUCT_ROWS; row++) {
        for (int column = 0; column < n; column++) sum[row][column] = 0;
        for (int k = 0; k < depth; k++) {
            const double x = a[row][k];
            for (int column = 0; column < n; column++) sum[row][column] += x * b[k][column];
        }
    }
    for (int warp = 0; warp < WARPS; warp++)
        for (int lane = 0; lane < WARP; lane++) {
            OneWarp& mine = g.warps[warp];
            WarpgroupStep& step = *mine.lanes[lane];
            auto& pending = mine.sums[lane];
            const size_t bytes = sizeof step.sums[0] * static_cast<size_t>(step.count);
            auto same = std::find_if(pending.begin(), pending.end(),
                                     [&](const Sums& s) { return s.count == step.count && !memcmp(s.at, step.sums, bytes); });
            const bool goes_on = same != pending.end();
            if (!goes_on) {
                pending.push_back({});
                same = pending.end() - 1;
                same->count = step.count;
                memcpy(same->at, step.sums, bytes);
            }
            same->batch = mine.closed + 1;
            for (int i = 0; i < step.count; i++) {
                const double product = sum[warp * 16 + lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2];
                float before = 0;
                if (step.adds && goes_on && *same->at[i] == NOT_YET) before = same->value[i];
                else if (step.adds) before = bit_cast<float>(*step.sums[i]);
                same->value[i] = static_cast<float>(before + product);
                *step.sums[i] = NOT_YET;
            }
            step.done = true;
        }
}

// The warp comes to a product: what it reads is checked, and the last of the four multiplies.
void come_to_product(Worker& w, Group& g, int number, WarpgroupStep& step, Site at) {
    OneWarp& mine = g.warps[number];
    if (!mine.fenced) Finding("bad-warpgroup", uint64_t(at.line)).form("no-fence").at(at).here().text("instruction", step.name).add();
    mine.fenced = true;
    for (int lane = 1; lane < WARP; lane++) {
        const WarpgroupStep& other = *mine.lanes[lane];
        if (other.b != step.b || (!step.a_in_registers && other.a != step.a) || other.adds != step.adds) refuse("differs", at, step.name);
    }
    if (!g.here) {
        if (!step.a_in_registers) g.a = operand(step.a, PRODUCT_ROWS, step.a_is_turned, at, step.name);
        g.b = operand(step.b, step.n, step.b_is_turned, at, step.name);
    } else {
        const WarpgroupStep& other = *g.warps[__builtin_ctz(g.here)].lanes[0];
        if (other.b != step.b || (!step.a_in_registers && other.a != step.a) || other.adds != step.adds) refuse("differs", at, step.name);
    }
    Reads reads{mine.closed + 1, at, step.pc, g.b.pieces, {}};
    if (!step.a_in_registers) {
        const size_t all = g.a.pieces.size();
        for (size_t i = 0; i < all; i++) {  // of A its own 16 rows
            const size_t row = step.a_is_turned ? i % (PRODUCT_ROWS / 8) * 8 : i / 2;
            if (row / 16 == static_cast<size_t>(number)) reads.pieces.push_back(g.a.pieces[i]);
        }
    }
    read_now(w, reads);
    release_at(w, &g);
    g.here |= 1u << number;
    if (g.here != (1u << WARPS) - 1) return;
    g.here = 0;
    reads.pieces = g.b.pieces;
    if (!step.a_in_registers) reads.pieces.insert(reads.pieces.end(), g.a.pieces.begin(), g.a.pieces.end());
    reads.bytes = content(w, reads.pieces);
    g.reads.push_back(std::move(reads));
    multiply(w, g);
    wake_all(w, g.waiting);
}

// The warp has waited for its groups up to this one.
void give_sums(Worker& w, Group& g, int number, uint32_t batch) {
    OneWarp& mine = g.warps[number];
    acquire_at(w, &g);
    size_t done = 0;
    for (; done < g.reads.size() && g.reads[done].batch <= batch; done++) {
        const Reads& r = g.reads[done];
        read_now(w, r);
        if (content(w, r.pieces) != r.bytes) Finding("unwaited-product", uint64_t(r.at.line)).form("changed").at(r.at).here().add();
    }
    g.reads.erase(g.reads.begin(), g.reads.begin() + static_cast<long>(done));
    if (done) release_at(w, &g);
    for (auto& pending : mine.sums) {
        for (const Sums& s : pending) {
            if (s.batch > batch) continue;
            for (int i = 0; i < s.count; i++)
                if (*s.at[i] == NOT_YET) __builtin_memcpy(s.at[i], &s.value[i], sizeof s.value[i]);
        }
        pending.erase(std::remove_if(pending.begin(), pending.end(), [&](const Sums& s) { return s.batch <= batch; }), pending.end());
    }
}

// All warps of a warpgroup come to the same instructions, one after the other.
void note_step(Group& g, int number, Site at, const char* name) {
    OneWarp& mine = g.warps[number];
    const size_t index = mine.steps++ - g.first;
    if (index == g.steps.size()) {
        g.steps.push_back(at);
    } else if (const Site there = g.steps[index]; there.line != at.line || there.file != at.file) {
        Finding("bad-warpgroup", uint64_t(at.line), uint64_t(there.line)).form("elsewhere").at(at).other_at(there).here().text("instruction", name).add();
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    size_t least = mine.steps;
    for (const OneWarp& warp : g.warps) least = std::min(least, warp.steps);
    for (; g.first < least; g.first++) g.steps.pop_front();
}

void tell_missing(Group& g, int group) {
    unsigned came = 0;
    for (const OneWarp& warp : g.warps) came += warp.steps > g.first;
    Finding("bad-warpgroup", uint64_t(g.steps.front().line), 1).form("missing").at(g.steps.front()).block("block", worker->block)
        .thread("thread", static_cast<unsigned>(group * WARPS * WARP)).number("value", came).number("limit", WARPS).add();
}
}  // namespace

void warpgroup_step(Worker& w, int warp, unsigned lanes) {
    Busy busy;
    Thread* threads = w.threads + warp * WARP;
    const Thread& leader = threads[__builtin_ctz(lanes)];
    WarpgroupStep& step = *reinterpret_cast<WarpgroupStep*>(leader.value);
    const Site at = leader.at;
    if ((warp / WARPS + 1) * WARPS * WARP > w.launch->threads) refuse("small", at, step.name, w.launch->threads);
    if (~lanes) {
        Finding("partial-warp", uint64_t(at.line)).form("exited").at(at).here().text("instruction", step.name)
            .number("lanes", __builtin_popcount(lanes)).add();
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    if (!w.warpgroups) w.warpgroups = new Warpgroups;
    w.warpgroups->used = true;
    Group& g = w.warpgroups->groups[warp / WARPS];
    OneWarp& mine = g.warps[warp % WARPS];
    for (int i = 0; i < WARP; i++) mine.lanes[i] = reinterpret_cast<WarpgroupStep*>(threads[i].value);
    note_step(g, warp % WARPS, at, step.name);
    switch (step.work) {
        case ptx::PRODUCT: come_to_product(w, g, warp % WARPS, step, at); break;
        case ptx::FENCE: mine.fenced = true; break;
        case ptx::COMMIT: mine.closed++; break;
        case ptx::WAIT: if (mine.closed > step.number) give_sums(w, g, warp % WARPS, mine.closed - step.number); break;
        case ptx::REGISTERS: break;
    }
}

extern "C" void ok_warpgroup(WarpgroupStep* mine, Site at) {
    mine->pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    ok_collective(WARPGROUP, ~0u, reinterpret_cast<uint64_t>(mine), 0, 32, 8, nullptr, at);
    if (mine->work != ptx::PRODUCT) return;
    Worker& w = *worker;
    while (!mine->done) wait_among(w, w.warpgroups->groups[w.rank / WARP / WARPS].waiting, at);
}

void forget_warpgroups(Worker& w) {
    if (!w.warpgroups->used) return;
    w.warpgroups->used = false;
    for (Group& g : w.warpgroups->groups) g = Group();
}

void release_warpgroups(Worker& w) { delete w.warpgroups; }

// With the first thread of a warp that ends it is told what the warp has not waited for; with the last of all four, where not all came.
void warpgroup_thread_left(Worker& w) {
    const unsigned group = w.rank / WARP / WARPS;
    Group& g = w.warpgroups->groups[group];
    OneWarp& mine = g.warps[w.rank / WARP % WARPS];
    int alive = 0;
    for (int i = static_cast<int>(group) * WARPS; i < std::min(w.launch->warps, static_cast<int>(group + 1) * WARPS); i++) alive += __builtin_popcount(w.warps[i].alive);
    if (alive == 1 && !g.steps.empty()) tell_missing(g, static_cast<int>(group));
    if (mine.left) return;
    mine.left = true;
    if (g.reads.empty()) return;
    Busy busy;
    const Reads& r = g.reads.front();
    Finding("unwaited-product", uint64_t(r.at.line)).form(r.batch > mine.closed ? "open" : "left").at(r.at).here().add();
}

bool tell_missing_warp(Worker& w) {
    bool any = false;
    for (Group& g : w.warpgroups->groups) {
        if (!g.here) continue;
        tell_missing(g, static_cast<int>(&g - w.warpgroups->groups));
        any = true;
    }
    return any;
}
}  // namespace __ok
