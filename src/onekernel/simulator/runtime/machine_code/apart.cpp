#include "apart.h"

#include <algorithm>
#include <map>
#include <utility>

#include "../api/ok/card.h"
#include "../checkers/banks.h"
#include "../checkers/sectors.h"

namespace __ok {
namespace machine {
namespace {
struct Sum {
    uint64_t times = 0, requests = 0, sectors = 0, wavefronts = 0, conflicts = 0;
};
std::map<std::pair<int32_t, int>, Sum> sums;  // of the launch, by site and road

Sum& executed(int32_t site, Road road) {
    Sum& sum = sums[{site, road}];
    sum.times++;
    return sum;
}
constexpr uint64_t LINE_BYTES = 128, COMPARED_BYTES = 64;  // what one request to L2 brings; half, where each value comes in pairs
constexpr int LANES_OF_A_SECTOR = SECTOR_BYTES / WORD_BYTES;

int distinct(uint64_t* values, int count) {
    std::sort(values, values + count);
    return static_cast<int>(std::unique(values, values + count) - values);
}
}  // namespace

void forget_apart() { sums.clear(); }

// Word after word of a thread's own memory lies beside those of the warp's other lanes: each word is a request.
void count_local(const Sent& s, bool write) {
    Sum& sum = executed(s.site, write ? LOCAL_STORES : LOCAL_LOADS);
    uint64_t sectors[WARP];
    for (int k = 0; k < s.count; k++) sectors[k] = word_of(s.addresses[k]) * LANES_OF_A_SECTOR + s.lanes[k] / LANES_OF_A_SECTOR;
    const auto words = static_cast<uint64_t>(words_each(s.bytes));
    sum.requests += words;
    sum.sectors += words * static_cast<uint64_t>(distinct(sectors, s.count));
}

// Lanes that read one place read it together, and each other place takes a request of its own.
void count_constants(const Sent& s) {
    uint64_t places[WARP];
    std::copy_n(s.addresses, s.count, places);
    executed(s.site, CONSTANTS).requests += static_cast<uint64_t>(distinct(places, s.count));
}

// Lanes with one address go to L2 one after the other; the others together, line by line.
void count_atomic(const Sent& s, bool returns, bool compares) {
    Sum& sum = executed(s.site, returns ? ATOMICS : REDUCTIONS);
    const uint64_t together = compares ? COMPARED_BYTES : LINE_BYTES;
    bool sent[WARP] = {};
    for (int left = s.count; left;) {
        uint64_t now[WARP], sectors[WARP], lines[WARP];
        int n = 0;
        for (int k = 0; k < s.count; k++) {
            if (sent[k] || std::find(now, now + n, s.addresses[k]) != now + n) continue;
            sent[k] = true;
            sectors[n] = s.addresses[k] / SECTOR_BYTES;
            lines[n] = s.addresses[k] / together;
            now[n++] = s.addresses[k];
        }
        sum.sectors += static_cast<uint64_t>(distinct(sectors, n));
        sum.requests += static_cast<uint64_t>(distinct(lines, n));
        left -= n;
    }
}

void count_shared_atomic(const Sent& s, bool compares) {
    Sum& sum = executed(s.site, SHARED_ATOMICS);
    int lanes[BANKS] = {};
    for (int k = 0; k < s.count; k++) lanes[bank_of(word_of(s.addresses[k]))]++;
    const int most = *std::max_element(lanes, lanes + BANKS);
    sum.wavefronts += static_cast<uint64_t>(compares ? 2 * most : most);
    sum.conflicts += static_cast<uint64_t>(most - 1);
}

// Accesses of 8 bytes are served by half warps, each of which has the banks to itself.
uint32_t let_in(const Sent& s) {
    const int words = words_each(s.bytes), together = WARP / words;
    uint32_t in = 0;
    for (int k = 0; k < s.count; k++) {
        bool free = true;
        for (int before = 0; before < k && free; before++) {
            if (!(in >> before & 1)) continue;
            const bool one_part = s.lanes[before] / together == s.lanes[k] / together;
            const bool one_bank = bank_of(word_of(s.addresses[before])) / words == bank_of(word_of(s.addresses[k])) / words;
            free = s.addresses[before] != s.addresses[k] && !(one_part && one_bank);
        }
        in |= uint32_t(free) << k;
    }
    return in;
}

void count_shared_turn(const Sent& s, uint32_t in) {
    uint64_t addresses[WARP];
    int lanes[WARP], count = 0;
    for (; in; in &= in - 1) {
        addresses[count] = s.addresses[__builtin_ctz(in)];
        lanes[count++] = s.lanes[__builtin_ctz(in)];
    }
    Sum& sum = executed(s.site, SHARED_ATOMICS);
    sum.wavefronts += static_cast<uint64_t>(words_each(s.bytes) + serve(addresses, lanes, count, s.bytes, false).wavefronts);
}
}  // namespace machine

void write_apart(Json& out) {
    static constexpr const char* NAMES[machine::ROADS] = {"local-load", "local-store", "constant", "reduction", "atomic", "shared-atomic"};
    out.key("apart").list([&] {
        for (const auto& [at, sum] : machine::sums)
            out.object([&, &at = at, &sum = sum] {
                out.field("pc", at.first).field("road", std::string_view(NAMES[at.second]));
                out.field("times", sum.times).field("requests", sum.requests).field("sectors", sum.sectors);
                out.field("wavefronts", sum.wavefronts).field("conflicts", sum.conflicts);
            });
    });
}
}  // namespace __ok
