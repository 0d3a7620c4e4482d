#include "findings.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "../machine/launch.h"
#include "../machine/program.h"
#include "../machine/state.h"

namespace __ok {
static std::mutex findings_lock;
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
    const Moment* claim;
};
static std::vector<Stored> all;

static Moment now() { return {launch_count(), worker->current ? worker->block : HOST}; }

// The claim of whoever is first with this key, or null.
static const Moment* claim_of(const char* code, uint64_t key, uint64_t key2) {
    Busy busy;
    std::lock_guard<std::mutex> lock(findings_lock);
    Moment moment = now();
    auto claim = claims.find({code, key, key2});
    if (claim == claims.end()) {
        if (claims.size() == 1000) return nullptr;
        claim = claims.insert({{code, key, key2}, moment}).first;
    } else if (moment < claim->second) {
        claim->second = moment;
    } else {
        return nullptr;
    }
    return &claim->second;
}

bool found(const char* code, uint64_t key, uint64_t key2) {
    Busy busy;
    std::lock_guard<std::mutex> lock(findings_lock);
    auto claim = claims.find({code, key, key2});
    return claim != claims.end() && claim->second <= now();
}

Finding::Finding(const char* code, uint64_t key, uint64_t key2) : code_(code), key_(key), claim_(claim_of(code, key, key2)) {}

Finding::~Finding() = default;

Finding& Finding::form(std::string_view name, std::string_view second) {
    if (!claim_) return *this;
    Busy busy;
    form_ = name;
    if (!second.empty()) (form_ += '-') += second;
    return *this;
}
Finding& Finding::at(Site site) {
    at_ = site;
    return *this;
}
Finding& Finding::other_at(Site site) {
    other_at_ = site;
    return *this;
}
Finding& Finding::code_at(uintptr_t pc) {
    if (!claim_) return *this;
    Busy busy;
    code_at_.push_back(pc);
    return *this;
}
Finding& Finding::code_at(const std::vector<uintptr_t>& pcs) {
    for (uintptr_t pc : pcs) code_at(pc);
    return *this;
}
Finding& Finding::other_code_at(uintptr_t pc) {
    if (!claim_) return *this;
    Busy busy;
    other_code_at_.push_back(pc);
    return *this;
}

Finding& Finding::here() {
    const Worker* w = worker;
    return w && w->launch ? block("block", w->block).thread("thread", w->rank) : *this;
}
Finding& Finding::where() {
    bool in_kernel = worker->current;
    if (in_kernel) here();
    return form(in_kernel ? "kernel" : is_program ? "program" : "host");
}
// Of a shape in one dimension a single number.
Finding& Finding::index(const char* name, uint3 i, dim3 shape) {
    char out[96];
    if (shape.y == 1 && shape.z == 1) snprintf(out, sizeof out, "%u", i.x);
    else snprintf(out, sizeof out, "(%u,%u,%u)", i.x, i.y, i.z);
    return text(name, out);
}
Finding& Finding::block(const char* name, uint64_t number) {
    const dim3 grid = worker->launch->config.grid;
    return claim_ ? index(name, unflatten(number, grid), grid) : *this;
}
Finding& Finding::thread(const char* name, unsigned rank) {
    return claim_ ? index(name, worker->launch->index[rank], worker->launch->config.block) : *this;
}
Finding& Finding::text(const char* name, std::string_view value) {
    if (!claim_) return *this;
    Busy busy;
    facts_.field(name, value);
    return *this;
}
Finding& Finding::array(const char* name, std::string_view value) { return text(name, value.empty() ? "?" : value); }
Finding& Finding::number(const char* name, long long value) {
    if (!claim_) return *this;
    Busy busy;
    facts_.field(name, value);
    return *this;
}
Finding& Finding::hex(const char* name, unsigned long long value, int digits) {
    char out[32];
    snprintf(out, sizeof out, "0x%0*llx", digits, value);
    return text(name, out);
}
Finding& Finding::sentence(const char* name, std::string_view form) {
    if (!claim_) return *this;
    Busy busy;
    facts_.key(name).object([&] { facts_.field("form", form); });
    return *this;
}
Finding& Finding::about(uint64_t key) {
    key_ = key;
    return *this;
}

bool Finding::add() {
    if (!claim_) return false;
    Busy busy;
    Json json;
    auto place = [&](const char* file, const char* line, const char* pc, Site site, std::vector<uintptr_t>& addresses) {
        if (site.file) json.field(file, std::string_view(site.file)).field(line, site.line);
        for (uintptr_t& address : addresses) address -= code_base();
        json.numbers(pc, addresses);
    };
    json.object([&] {
        json.field("code", std::string_view(code_)).field("form", form_).field("launch", launch_count());
        place("file", "line", "pc", at_, code_at_);
        place("other_file", "other_line", "other_pc", other_at_, other_code_at_);
        json.key("facts").raw("{" + facts_.text() + "}");
    });
    std::lock_guard<std::mutex> lock(findings_lock);
    all.push_back({code_, key_, json.text(), now(), static_cast<const Moment*>(claim_)});
    return true;
}

static void withdraw_since(const char* code, uint64_t key, int launch) {
    Busy busy;
    std::lock_guard<std::mutex> lock(findings_lock);
    std::string_view wanted = code;
    for (auto f = all.begin(); f != all.end();)
        f = f->code == wanted && f->key == key && f->made.first >= launch ? all.erase(f) : f + 1;
}
void withdraw(const char* code, uint64_t key) { withdraw_since(code, key, 0); }
void withdraw_in_launch(const char* code, uint64_t key) { withdraw_since(code, key, launch_count()); }

void withdraw_all_in_launch(const char* code) {
    Busy busy;
    std::lock_guard<std::mutex> lock(findings_lock);
    const std::string_view wanted = code;
    auto is_one = [&](std::string_view its, const Moment& made) { return its == wanted && made.first == launch_count(); };
    all.erase(std::remove_if(all.begin(), all.end(), [&](const Stored& f) { return is_one(f.code, f.made); }), all.end());
    for (auto c = claims.begin(); c != claims.end();) c = is_one(std::get<0>(c->first), c->second) ? claims.erase(c) : std::next(c);
}

void forget_findings_after(uint64_t block) {
    std::lock_guard<std::mutex> lock(findings_lock);
    auto late = [&](const Stored& f) { return f.made.first == launch_count() && f.made.second > block && f.made.second != HOST; };
    all.erase(std::remove_if(all.begin(), all.end(), late), all.end());
}

void clear_findings() {
    std::lock_guard<std::mutex> lock(findings_lock);
    claims.clear();
    all.clear();
}

void write_findings(Json& out) {
    std::stable_sort(all.begin(), all.end(), [](const Stored& a, const Stored& b) { return a.made < b.made; });
    out.list([&] {
        for (const Stored& f : all)
            if (f.made == *f.claim) out.raw(with_printed(f.json));
    });
}
}  // namespace __ok
