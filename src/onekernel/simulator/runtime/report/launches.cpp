#include "launches.h"

#include <string>
#include <vector>

#include "../checkers/lockstep.h"
#include "../machine/limits.h"
#include "../machine_code/apart.h"
#include "../machine_code/run.h"
#include "../memory/memory.h"
#include "../memory/sparse.h"
#include "findings.h"

namespace __ok {
static std::vector<std::string> launches;
static size_t recorded = 0;  // bytes of them
constexpr size_t MOST_RECORDED = size_t(3) << 20;  // as Python writes them up to five times as long: a report may have 16 MB

static void write_buffers(Json& out) {
    out.key("buffers").list([&] {
        for (int i = 1; i < allocation_count; i++) {
            const Allocation& a = allocations[i];
            if (!a.live || a.symbol || !(a.loaded || a.stored || a.updated)) continue;
            out.object([&] {
                out.field("name", std::string_view(name_of(a)));
                out.field("loaded", a.sparse ? a.sparse->loaded : a.loaded).field("stored", a.sparse ? a.sparse->stored : a.stored);
                out.field("unique_loaded", a.unique_loaded).field("unique_stored", a.unique_stored);
                out.field("updated", a.updated);
            });
        }
    });
}

void record_launch(const Launch& l) {
    const Config& c = l.config;
    const LaunchSite& site = *l.site;
    auto shape = [](dim3 d) { return std::vector<unsigned>{d.x, d.y, d.z}; };
    const char* limit = "";
    int resident = resident_blocks(l.threads, shared_static_bytes() + c.shared, &limit);
    Json out;
    out.object([&] {
        out.numbers("grid", shape(c.grid)).numbers("block", shape(c.block)).field("line", site.at.line)
            .field("file", std::string_view(site.at.file ? site.at.file : ""));
        out.field("address", code_offset(site.address));
        out.field("complete", !l.aborted).field("kernel", std::string_view(site.kernel ? site.kernel : ""));
        out.field("static", shared_static_bytes()).field("dynamic", c.shared);
        out.field("resident_blocks", resident).field("resident_limit", std::string_view(limit));
        out.field("occupancy", 100 * resident * l.warps * WARP / CARD.threads_per_multiprocessor);
        if (options & SPARSE) out.field("ran", l.ran).field("exhausted", l.exhausted).field("goes_round", l.goes_round).field("talks", l.talks)
            .field("told", l.told).field("heavier", l.heavier).field("stands", l.stands);
        write_buffers(out);
        if (!(options & COUNTS)) return;
        out.field("by_code", counted_by_code());
        out.field("why_not_by_code", std::string_view(counted_by_code() ? "" : machine_code_failure()));
        write_counts(out);
        if (counted_by_code()) write_apart(out);
    });
    record_again(out.text());
}

const std::string& last_record() { return launches.back(); }
void record_again(const std::string& record) {
    launches.push_back(record);
    recorded += record.size();
}
bool room_for_records() { return recorded < MOST_RECORDED; }
void forget_launches() {
    launches.clear();
    recorded = 0;
}

void write_launches(Json& out) {
    out.list([&] {
        for (const std::string& launch : launches) out.raw(launch);
    });
}
}  // namespace __ok
