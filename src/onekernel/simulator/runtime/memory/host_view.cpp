#include "host_view.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "../machine/state.h"
#include "../report/findings.h"
#include "host_memory.h"

namespace __ok {
namespace {
using Words = std::vector<uint32_t>;
// Of a __device__ variable: what the other side has.
struct Images {
    Allocation* symbol;
    std::vector<char> other;
};
// Memory that both sides touch: what the device has, and what the host was given in its place.
struct Shared {
    uintptr_t base;
    size_t count;  // words
    const char* name;
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
// Nothing of `word` is in it: a mask could be guessed from words that the host knows.
uint32_t other_word(uint32_t word) {
    uint32_t other = any_word();
    return other == word ? other + 1 : other;
}

bool hides() { return options & SCRAMBLE; }

void exchange() {
    for (Images& i : images) {
        char* here = reinterpret_cast<char*>(i.symbol->low);
        std::swap_ranges(i.other.begin(), i.other.end(), here);
    }
}

uint32_t* words(uintptr_t base) { return reinterpret_cast<uint32_t*>(base); }

void add_region(std::vector<Shared>& into, uintptr_t low, uintptr_t high, const char* name) {
    const uintptr_t first = (low + 3) & ~uintptr_t(3);
    if (first >= high || !is_readable(first) || !is_readable(high - 1)) return;
    Shared now{first, (high - first) / 4, name, {}, {}, {}};
    for (Shared& s : shared)
        if (s.base == now.base && s.count == now.count) now.device.swap(s.device), now.given.swap(s.given);
    into.push_back(std::move(now));
}
// Managed memory and variables, page-locked memory, what the host has registered.
void find_regions() {
    std::vector<Shared> found;
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (a.live && (a.managed || a.of_both)) add_region(found, a.low, a.high, a.name);
    }
    each_registered([](uintptr_t low, uintptr_t high, void* into) {
        add_region(*static_cast<std::vector<Shared>*>(into), low, high, "");
    }, &found);
    shared.swap(found);
}

// What the host has not written since is the device's again.
void give_device_words() {
    find_regions();
    for (Shared& s : shared) {
        for (size_t w = 0; w < s.given.size(); w++)
            if (words(s.base)[w] == s.given[w]) words(s.base)[w] = s.device[w];
        s.given.clear();
        s.before.assign(words(s.base), words(s.base) + s.count);
    }
}

// What the device has written is not what the host will see. Where it has written says as much: no word of such memory
// stays as it was.
void take_device_words() {
    for (Shared& s : shared) {
        size_t changed = 0;
        for (size_t w = 0; w < s.before.size(); w++) changed += words(s.base)[w] != s.before[w];
        s.before.clear();
        if (!changed) continue;
        if (brought + 4 * changed <= HOST_BYTES) {
            brought += 4 * changed;
            continue;
        }
        s.device.assign(words(s.base), words(s.base) + s.count);
        for (size_t w = 0; w < s.count; w++) words(s.base)[w] = other_word(words(s.base)[w]);
        s.given.assign(words(s.base), words(s.base) + s.count);
        Finding("host-copy", s.base).form("managed").array("variable", s.name).number("bytes", static_cast<long long>(4 * changed)).add();
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
