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

uint64_t state = 0;  // of the noise
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

// Memory that both sides touch: what the device has, and what the host was given in its place. Of words, the last of which
// may be a part of one.
struct Shared {
    uintptr_t base;
    size_t bytes;
    const char* name;
    Words device, given, before;

    size_t count() const { return (bytes + 3) / 4; }
    size_t wide(size_t word) const { return std::min<size_t>(4, bytes - 4 * word); }
    uint32_t get(size_t word) const {
        uint32_t value = 0;
        memcpy(&value, reinterpret_cast<const char*>(base) + 4 * word, wide(word));
        return value;
    }
    void set(size_t word, uint32_t value) { memcpy(reinterpret_cast<char*>(base) + 4 * word, &value, wide(word)); }
    void scramble() {
        for (size_t w = 0; w < count(); w++) set(w, other_word(get(w)));
    }
    Words all() const {
        Words values(count());
        for (size_t w = 0; w < values.size(); w++) values[w] = get(w);
        return values;
    }
};
std::vector<Images> images;
std::vector<Shared> shared;
int depth = 0;
size_t brought = 0;
size_t decisions = 0;  // whether a kernel wrote into such memory or did not: each tells the host a bit

bool hides() { return options & SCRAMBLE; }

void exchange() {
    for (Images& i : images) {
        char* here = reinterpret_cast<char*>(i.symbol->low);
        std::swap_ranges(i.other.begin(), i.other.end(), here);
    }
}

void add_region(std::vector<Shared>& into, uintptr_t low, uintptr_t high, const char* name) {
    if (low >= high || !is_readable(low) || !is_readable(high - 1)) return;
    Shared now{low, high - low, name, {}, {}, {}};
    for (Shared& s : shared)
        if (s.base == now.base && s.bytes == now.bytes) now.device.swap(s.device), now.given.swap(s.given);
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
            if (s.get(w) == s.given[w]) s.set(w, s.device[w]);
        s.given.clear();
        s.before = s.all();
    }
}

// What the device has written is not what the host will see. Where it has written says as much: no word of such memory
// stays as it was. And so says whether it wrote at all: from some launch on none of it does, written or not.
void take_device_words() {
    for (Shared& s : shared) {
        const Words now = s.all();
        size_t changed = 0;
        for (size_t w = 0; w < s.before.size(); w++) changed += now[w] != s.before[w];
        s.before.clear();
        if (changed && brought + 4 * changed <= HOST_BYTES) {
            brought += 4 * changed;
            continue;
        }
        if (++decisions <= 8 * HOST_BYTES && !changed) continue;
        s.device = now;
        s.scramble();
        s.given = s.all();
        Finding("host-copy", s.base).form("managed").array("variable", s.name).number("bytes", static_cast<long long>(changed ? 4 * changed : s.bytes)).add();
    }
}
}  // namespace

void start_host_view() {
    brought = decisions = 0;
    shared.clear();
}

void copy_to_host(void* to, const void* from, size_t bytes, Site at) {
    memmove(to, from, bytes);
    if (!hides()) return;
    if (brought + bytes <= HOST_BYTES) {
        brought += bytes;
        return;
    }
    Shared given{reinterpret_cast<uintptr_t>(to), bytes, "", {}, {}, {}};
    given.scramble();
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
