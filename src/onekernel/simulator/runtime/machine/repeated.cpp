#include "repeated.h"

#include <algorithm>
#include <string>
#include <vector>

#include "../memory/memory.h"
#include "../report/launches.h"
#include "less.h"
#include "program.h"

namespace __ok {
namespace {
struct Done {
    std::string key;              // kernel, line, shape and the bytes of its arguments
    std::vector<int> touched;     // allocations that it has read or written
    std::string record;
};
std::vector<Done> done;
std::atomic<bool> only_memory{true};    // of the running launch: nothing but device memory decides what it does
constexpr size_t MOST_KEPT = 64;

std::string key_of(const Launch& l, const std::vector<Argument>& values, const void* const* pointers) {
    std::string key;
    auto add = [&](const void* bytes, size_t n) { key.append(static_cast<const char*>(bytes), n); };
    const Config& c = l.config;
    add(&l.body, sizeof l.body);  // one for each instance of a template
    add(&l.site->address, sizeof l.site->address);
    add(&l.site->at.file, sizeof l.site->at.file);
    add(&l.site->at.line, sizeof l.site->at.line);
    for (dim3 d : {c.grid, c.block, c.cluster}) add(&d, sizeof d);
    add(&c.shared, sizeof c.shared);
    for (const Argument& a : values) add(a.value, static_cast<size_t>(a.bytes));
    add(pointers, sizeof *pointers * values.size());  // what an array decays to
    return key;
}

bool can_be_known() { return is_program && (options & RACES || checks_less) && !(options & (COUNTS | SPARSE | TRACE)); }
}  // namespace

void forget_repeated() { done.clear(); }
void cannot_be_repeated() { only_memory = false; }

bool is_repeated(const Launch& l, const std::vector<Argument>& values, const void* const* pointers) {
    only_memory = true;
    if (done.empty() || !can_be_known()) return false;
    std::string key = key_of(l, values, pointers);
    for (const Done& d : done) {
        if (d.key != key) continue;
        record_again(d.record);
        return true;
    }
    return false;
}

void remember_launch(const Launch& l, const std::vector<Argument>& values, const void* const* pointers) {
    if (!can_be_known()) return;
    bool whole = only_memory && !l.aborted;
    std::vector<int> touched, written;
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (!a.live) continue;
        bool reads = a.loaded || a.touched & READ, writes = a.stored || a.touched & WRITTEN;
        if (!(reads || writes)) continue;
        touched.push_back(i);
        if (writes) written.push_back(i);
        // What it reads it has changed, or the host may. What it has written itself before is the same each time.
        const bool before = a.depends || a.touched & READ;
        whole = whole && !(before && writes) && !a.managed && !a.pinned && !a.of_both;
    }
    auto meets = [&](const Done& d) {
        return std::any_of(written.begin(), written.end(),
                           [&](int i) { return std::binary_search(d.touched.begin(), d.touched.end(), i); });
    };
    done.erase(std::remove_if(done.begin(), done.end(), meets), done.end());
    if (!whole) return;
    if (done.size() >= MOST_KEPT) done.erase(done.begin());
    done.push_back({key_of(l, values, pointers), touched, last_record()});
}
}  // namespace __ok
