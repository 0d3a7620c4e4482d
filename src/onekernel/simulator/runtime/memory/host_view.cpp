#include "host_view.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "../machine/state.h"
#include "../report/findings.h"

namespace __ok {
namespace {
using Words = std::vector<uint32_t>;
// Of a __device__ variable: what the other side has.
struct Images {
    Allocation* symbol;
    std::vector<char> other;
};
// Of memory that both sides touch: what the device has, and what the host was given in its place.
struct Shared {
    int allocation;
    uintptr_t base;
    Words device, given, before;
};
std::vector<Images> images;
std::vector<Shared> shared;
int depth = 0;
size_t brought = 0;
uint64_t state = 0;

uint32_t any_word() {  // xorshift64*, Marsaglia's with Vigna's multiplier
    if (!state && getrandom(&state, sizeof state, 0) != sizeof state) state = 0x9E3779B97F4A7C15u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<uint32_t>(state * 0x2545F4914F6CDD1Du >> 32);
}
uint32_t other_word(uint32_t word) {
    uint32_t mask = any_word();
    return word ^ (mask ? mask : 1);
}

bool hides() { return options & SCRAMBLE; }

void exchange() {
    for (Images& i : images) {
        char* here = reinterpret_cast<char*>(i.symbol->low);
        std::swap_ranges(i.other.begin(), i.other.end(), here);
    }
}

uintptr_t first_word(const Allocation& a) { return (a.low + 3) & ~uintptr_t(3); }
uint32_t* words(uintptr_t base) { return reinterpret_cast<uint32_t*>(base); }

// What the host has not written since is the device's again.
void give_device_words() {
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (!a.live || !(a.managed || a.of_both)) continue;
        bool known = false;
        for (Shared& s : shared) known |= s.allocation == i && s.base == first_word(a);
        if (!known) shared.push_back({i, first_word(a), {}, {}, {}});
    }
    for (Shared& s : shared) {
        const Allocation& a = allocations[s.allocation];
        if (!a.live || first_word(a) != s.base) {
            s = {0, 0, {}, {}, {}};
            continue;
        }
        size_t count = (a.high - first_word(a)) / 4;
        for (size_t w = 0; w < s.given.size(); w++)
            if (words(s.base)[w] == s.given[w]) words(s.base)[w] = s.device[w];
        s.given.clear();
        s.before.assign(words(s.base), words(s.base) + count);
    }
}

// What the device has written is not what the host will see.
void take_device_words() {
    for (Shared& s : shared) {
        if (s.before.empty()) continue;
        size_t changed = 0, count = s.before.size();
        for (size_t w = 0; w < count; w++) changed += words(s.base)[w] != s.before[w];
        if (changed && brought + 4 * changed <= HOST_BYTES) brought += 4 * changed;
        else if (changed) {
            s.device.assign(words(s.base), words(s.base) + count);
            for (size_t w = 0; w < count; w++)
                if (words(s.base)[w] != s.before[w]) words(s.base)[w] = other_word(words(s.base)[w]);
            s.given.assign(words(s.base), words(s.base) + count);
            Finding("host-copy", s.base).form("managed").array("variable", allocations[s.allocation].name)
                .number("bytes", static_cast<long long>(4 * changed)).add();
        }
        s.before.clear();
    }
}
}  // namespace

void start_host_view() {
    brought = 0;
    shared.clear();
}

void copy_to_host(void* to, const void* from, size_t bytes, Site at) {
    memmove(to, from, bytes);
    if (!hides()) return;
    if (brought + bytes <= HOST_BYTES) {
        brought += bytes;
        return;
    }
    unsigned char* out = static_cast<unsigned char*>(to);
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word = 0;
        size_t n = bytes - i < 4 ? bytes - i : 4;
        memcpy(&word, out + i, n);
        word = other_word(word);
        memcpy(out + i, &word, n);
    }
    Finding("host-copy", uint64_t(at.line)).form("copy").at(at).number("bytes", static_cast<long long>(bytes)).add();
}

void two_images(Allocation& symbol) {
    const char* low = reinterpret_cast<const char*>(symbol.low);
    images.push_back({&symbol, std::vector<char>(low, low + (symbol.high - symbol.low))});
}

DeviceView::DeviceView() {
    if (depth++) return;
    exchange();
    if (hides()) give_device_words();
}

// What a kernel leaves in shared memory and on its threads' stacks, a host that knows the address could read.
void forget_launch() {
    if (!hides()) return;
    Worker& w = host_worker();
    if (w.arena) madvise(w.arena, ARENA_BYTES, MADV_DONTNEED);
    size_t each = GUARD_BYTES + STACK_BYTES;
    if (w.stacks && w.stacks_made) madvise(w.stacks, each * w.stacks_made, MADV_DONTNEED);
}

DeviceView::~DeviceView() {
    if (--depth) return;
    if (hides()) take_device_words();
    exchange();
}

void leave_device_view() {
    if (!depth) return;
    depth = 0;
    exchange();
}
bool in_device_view() { return depth > 0; }
}  // namespace __ok
