#include "findings.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "../machine/launch.h"
#include "../machine/state.h"

namespace __ok {
static std::mutex report_lock;
// When a finding was made, as far as one core would tell it: the launch, then the block, and after all blocks the host.
using Moment = std::pair<int, uint64_t>;
constexpr uint64_t HOST = ~uint64_t(0);
using Key = std::tuple<std::string_view, uint64_t, uint64_t>;  // codes are string literals
static std::map<Key, Moment> claims;  // whose finding stands
struct Stored {
    std::string_view code;
    uint64_t key;
    std::string json;
    Moment made;
    const Moment* claim;  // null: nobody else makes this finding
};
static std::vector<Stored> all;

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20) out += ' ';
        else out += c;
    }
    return out + "\"";
}

bool first_of(const char* code, uint64_t key, uint64_t key2) {
    Busy busy;
    std::lock_guard<std::mutex> lock(report_lock);
    Moment now{launch_count(), worker->current ? worker->block : HOST};
    auto claim = claims.find({code, key, key2});
    if (claim == claims.end()) {
        if (claims.size() == 1000) return false;
        claim = claims.insert({{code, key, key2}, now}).first;
    } else if (now < claim->second) {
        claim->second = now;
    } else {
        return false;
    }
    worker->claim = &claim->second;
    return true;
}

void clear_report() {
    std::lock_guard<std::mutex> lock(report_lock);
    claims.clear();
    all.clear();
}

std::string findings_json() {
    std::string out = "[";
    std::stable_sort(all.begin(), all.end(), [](const Stored& a, const Stored& b) { return a.made < b.made; });
    for (const Stored& f : all)
        if (!f.claim || f.made == *f.claim) out += (out.size() > 1 ? "," : "") + f.json;
    return out + "]";
}

void withdraw(const char* code, uint64_t key) {
    Busy busy;
    std::lock_guard<std::mutex> lock(report_lock);
    std::string_view wanted = code;
    for (auto f = all.begin(); f != all.end();)
        f = f->code == wanted && f->key == key ? all.erase(f) : f + 1;
}

void forget_findings_after(uint64_t block) {
    std::lock_guard<std::mutex> lock(report_lock);
    auto late = [&](const Stored& f) { return f.made.first == launch_count() && f.made.second > block && f.made.second != HOST; };
    all.erase(std::remove_if(all.begin(), all.end(), late), all.end());
}

Finding::Finding(const char* code, uint64_t key) : code_(code), key_(key), claim_(worker->claim) {
    Busy busy;
    worker->claim = nullptr;
    json_ = std::string("{\"code\":") + quoted(code) + ",\"launch\":" + std::to_string(launch_count());
}
Finding& Finding::text(const char* name, std::string_view value) {
    Busy busy;
    json_ += std::string(",\"") + name + "\":" + quoted(value);
    return *this;
}
Finding& Finding::number(const char* name, long long value) {
    Busy busy;
    json_ += std::string(",\"") + name + "\":" + std::to_string(value);
    return *this;
}
Finding& Finding::at(Site site) {
    return site.file ? text("file", site.file).number("line", site.line) : *this;
}
Finding& Finding::other_at(Site site) {
    return site.file ? text("other_file", site.file).number("other_line", site.line) : *this;
}
static std::string list_of(uintptr_t pc) { return std::to_string(static_cast<long long>(pc - code_base())); }
Finding& Finding::code_at(uintptr_t pc) {
    Busy busy;
    json_ += ",\"pc\":" + list_of(pc);
    return *this;
}
Finding& Finding::other_code_at(uintptr_t pc) {
    Busy busy;
    json_ += ",\"other_pc\":" + list_of(pc);
    return *this;
}
Finding& Finding::here() {
    const Worker* w = worker;
    if (!w || !w->launch) return *this;
    const uint3 g = w->launch->config.grid;
    uint64_t b = w->block;
    char where[96];
    snprintf(where, sizeof where, "(%u,%u,%u)", unsigned(b % g.x), unsigned(b / g.x % g.y), unsigned(b / g.x / g.y));
    text("block", where);
    uint3 t = w->launch->index[w->rank];
    snprintf(where, sizeof where, "(%u,%u,%u)", t.x, t.y, t.z);
    return text("thread", where);
}
void Finding::add() {
    Busy busy;
    std::lock_guard<std::mutex> lock(report_lock);
    Moment made{launch_count(), worker->current ? worker->block : HOST};
    all.push_back({code_, key_, json_ + "}", made, static_cast<const Moment*>(claim_)});
}
}  // namespace __ok
