// What the pieces of work of a stream touched is kept until the host has waited for it, and compared with what pieces of other
// streams touch that are not ordered behind it: bytes that both touched, one of them writing. Within a launch every word's last
// reader and writer is known, so that streams may share a buffer and keep to their parts of it.
//
// Tells: stream-race
// Tests: stream_*
#include "stream_races.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../machine/state.h"
#include "../machine/streams.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "races.h"
#include "../shadow/shadow_line.h"

namespace __ok {
namespace {
struct Spans {  // of addresses, in their order
    std::vector<std::pair<uintptr_t, uintptr_t>> of;
    void add(uintptr_t low, uintptr_t high) {
        if (!of.empty() && of.back().second == low) of.back().second = high;
        else if (of.size() < MOST) of.push_back({low, high});
    }
    static constexpr size_t MOST = 4096;  // what is scattered more is known in part
};
struct Touch {
    WorkMark work;
    Site at;
    std::string what;
    const Allocation* allocation;
    uintptr_t base;  // of the allocation then
    Spans read, written, added;  // added to, by atomics
};
std::mutex touch_lock;
std::deque<Touch> touches;
constexpr size_t MOST_TOUCHES = 256, MOST_SCANNED = size_t(256) << 20;

// The first byte of both, or 0.
uintptr_t meet(const Spans& a, const Spans& b) {
    for (size_t i = 0, k = 0; i < a.of.size() && k < b.of.size();) {
        const uintptr_t low = std::max(a.of[i].first, b.of[k].first);
        if (low < std::min(a.of[i].second, b.of[k].second)) return low;
        if (a.of[i].second < b.of[k].second) i++;
        else k++;
    }
    return 0;
}

void tell(const Touch& first, const Touch& then, const char* form, uintptr_t address) {
    const Allocation& a = *then.allocation;
    Finding("stream-race", static_cast<uint64_t>(then.at.line), static_cast<uint64_t>(first.at.line)).form(form).at(then.at).other_at(first.at)
        .text("what", then.what).text("other", first.what).array("variable", name_of(a))
        .number("index", static_cast<long long>((address - a.low) / static_cast<uintptr_t>(a.item))).add();
}

void compare_and_keep(Touch&& now, const volatile void* stream) {
    Busy busy;
    std::lock_guard<std::mutex> guard(touch_lock);
    touches.erase(std::remove_if(touches.begin(), touches.end(), [](const Touch& t) {
        return !t.allocation->live || t.allocation->base != t.base || host_has_passed(t.work);
    }), touches.end());
    for (const Touch& t : touches) {
        if (t.allocation != now.allocation || is_ordered(t.work, stream)) continue;
        uintptr_t at = 0;
        if ((at = meet(t.written, now.written))) tell(t, now, "both-write", at);
        else if ((at = meet(t.written, now.read)) || (at = meet(t.written, now.added))) tell(t, now, "reads", at);
        else if ((at = meet(t.read, now.written)) || (at = meet(t.added, now.written))) tell(t, now, "overwrites", at);
    }
    if (touches.size() == MOST_TOUCHES) touches.pop_front();
    touches.push_back(std::move(now));
}

void add_word(Touch& t, uintptr_t address, Last kind, unsigned bytes) {
    Spans& to = kind == WRITER ? t.written : kind == ATOMICS ? t.added : t.read;
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1) to.add(address + b, address + b + 1);
}

// In the order of addresses, so that neighbours become one span.
void scan(Touch& t) {
    const Allocation& a = *t.allocation;
    const size_t count = (a.end - a.base + LINE_BYTES - 1) / LINE_BYTES;
    for (size_t i = 0; i < count; i++) {
        const ShadowLine& line = a.lines[i];
        const uintptr_t address = a.base + i * LINE_BYTES;
        if (!touched_in_launch(line.launch)) continue;
        for (int word = 0; word < LINE_WORDS; word++) {
            if (line.in_words) {
                const ShadowWord& w = a.shadow[i * LINE_WORDS + static_cast<size_t>(word)];
                if (!touched_in_launch(w.launch)) continue;
                for (Last kind : {WRITER, ATOMICS, READER, READER2})
                    if (w.last[kind].block) add_word(t, address + 4 * static_cast<uintptr_t>(word), kind, w.last[kind].bytes);
                continue;
            }
            for (int k = 0; k < LINE_RUNS; k++)
                if (line.words[k] >> word & 1) add_word(t, address + 4 * static_cast<uintptr_t>(word), line.kind[k], line.bytes[k]);
        }
    }
}

bool alone(const volatile void* stream) { return !(options & RACES) || options & SPARSE || only_default_streams(stream); }
}  // namespace

void start_stream_races() { touches.clear(); }

void stream_launch_ended(const LaunchSite& site, const volatile void* stream, const void* const* pointers, int count) {
    if (alone(stream)) return;
    std::vector<const Allocation*> seen;
    for (int i = 0; i < count; i++) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(pointers[i]) - heap_base;
        if (!heap_base || offset >= HEAP_BYTES) continue;
        const Allocation* a = &owner_of(offset);
        if (!a->live || !a->lines || a->end - a->base > MOST_SCANNED || std::find(seen.begin(), seen.end(), a) != seen.end()) continue;
        seen.push_back(a);
        Busy busy;
        Touch touch{last_work(stream), site.at, site.kernel ? site.kernel : "cudaLaunchKernel", a, a->base, {}, {}, {}};
        scan(touch);
        if (touch.read.of.empty() && touch.written.of.empty() && touch.added.of.empty()) continue;
        compare_and_keep(std::move(touch), stream);
    }
}

extern "C" void ok_stream_copied(const char* what, void* to, const void* from, size_t bytes, const volatile void* stream, Site at) {
    if (!bytes || alone(stream)) return;
    const std::pair<const void*, bool> sides[] = {{from, false}, {to, true}};
    for (const auto& [pointer, writes] : sides) {
        const uintptr_t low = reinterpret_cast<uintptr_t>(pointer), offset = low - heap_base;
        if (!heap_base || offset >= HEAP_BYTES || !owner_of(offset).live) continue;
        const Allocation* a = &owner_of(offset);
        Touch touch{last_work(stream), at, what, a, a->base, {}, {}, {}};
        (writes ? touch.written : touch.read).add(low, low + bytes);
        compare_and_keep(std::move(touch), stream);
    }
}
}  // namespace __ok
