// A clock a stream: how much of every other stream's work is done before its next piece begins. Work runs when it is
// asked for, so only these clocks tell what a GPU might do in another order.
// Source: CUDA C++ Programming Guide, "Streams", "Default Stream", "Events"; CUDA Runtime API, "Stream synchronization behavior".
#include "streams.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "../checkers/stream_races.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "launch.h"
#include "program.h"
#include "state.h"

namespace __ok {
namespace {
struct Clock {
    std::vector<unsigned> done;  // by stream: pieces of work
    unsigned of(int stream) const { return size_t(stream) < done.size() ? done[stream] : 0; }
    void set(int stream, unsigned n) {
        if (done.size() <= size_t(stream)) done.resize(stream + 1);
        done[stream] = n;
    }
    void join(const Clock& other) {
        for (size_t i = 0; i < other.done.size(); i++)
            if (other.done[i] > of(int(i))) set(int(i), other.done[i]);
    }
    bool covers(const Clock& other) const {
        for (size_t i = 0; i < other.done.size(); i++)
            if (other.done[i] > of(int(i))) return false;
        return true;
    }
};
struct Stream {
    Clock clock;
    bool blocking;  // waits for the legacy default stream, and it for this one
};
// All work of one line on one stream.
struct Work {
    Site at;
    std::string what, fix;
    int stream;
    unsigned last;
    bool launch;        // of a kernel
    bool early;         // did not wait for what the caller has put into the given stream
    bool late = false;  // was not waited for by what needs it
};

enum { LEGACY, PER_THREAD };
CUstream_st side{1, 0};  // as PyTorch makes its streams: non-blocking
void* given = nullptr;
int given_id = LEGACY;
std::mutex lock;
std::vector<Stream> streams;
std::map<const void*, int> ids;
std::map<const void*, Site> destroyed;
std::map<const void*, Clock> events;
struct Recorded {  // of an event's record
    int stream;
    Clock asked;  // by stream: pieces of work that had been asked for
};
std::map<const void*, Recorded> moments;
std::map<const void*, Clock> asked;  // of a stream or an event: the work that the host was told is not done yet
std::map<long, Clock> touched;  // by allocation
std::set<long> callers;         // allocations that the launcher was given
std::vector<Work> works;
Clock host;                     // what has ended before the launcher's next call of the runtime

int id_of(const volatile void* raw) {
    void* stream = const_cast<void*>(raw);
    if (uintptr_t(stream) < 2) return LEGACY;
    if (uintptr_t(stream) == 2) return PER_THREAD;
    auto [found, fresh] = ids.insert({stream, int(streams.size())});
    if (fresh) streams.push_back({{}, static_cast<CUstream_st*>(stream)->flags == 0});
    return found->second;
}

// The clock of `stream`, with all that its next piece of work waits for.
Clock& next_of(int stream) {
    Clock& clock = streams[stream].clock;
    clock.join(host);
    if (stream == LEGACY) {
        for (const Stream& s : streams) if (s.blocking) clock.join(s.clock);
    } else if (streams[stream].blocking) {
        clock.join(streams[LEGACY].clock);
    }
    return clock;
}

// The live allocation that holds a pointer, or -1.
long allocation_of(const void* pointer) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) - heap_base;
    if (!heap_base || offset >= HEAP_BYTES) return -1;
    const Allocation& a = owner_of(offset);
    return a.live ? &a - allocations : -1;
}

void tell(const Work& w, bool late) {
    const char* form = w.stream <= PER_THREAD ? "default" : !late ? "early" : !w.early ? "late" : "own";
    Finding("wrong-stream", reinterpret_cast<uintptr_t>(&w)).form(form).at(w.at).text("what", w.what).text("fix", w.fix).add();
}
}  // namespace

extern "C" __attribute__((visibility("default"))) uint64_t ok_given_stream(int on_side) {
    given = on_side ? &side : nullptr;
    return reinterpret_cast<uintptr_t>(given);
}

bool host_has_waited(long allocation) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = touched.find(allocation);
    return found == touched.end() || host.covers(found->second);
}

WorkMark last_work(const volatile void* raw) {
    std::lock_guard<std::mutex> guard(lock);
    if (streams.empty()) start_streams();
    int stream = id_of(raw);
    return {stream, streams[stream].clock.of(stream)};
}
bool host_has_passed(WorkMark work) {
    std::lock_guard<std::mutex> guard(lock);
    return host.of(work.stream) >= work.index;
}

bool is_ordered(WorkMark before, const volatile void* raw) {
    std::lock_guard<std::mutex> guard(lock);
    int stream = id_of(raw);
    return stream == before.stream || streams[stream].clock.of(before.stream) >= before.index;
}
bool only_default_streams(const volatile void* raw) {
    std::lock_guard<std::mutex> guard(lock);
    return streams.empty() || (id_of(raw) == LEGACY && streams.size() <= PER_THREAD + 1 && !streams[PER_THREAD].clock.of(PER_THREAD));
}

void caller_buffer(int id) { callers.insert(id); }

void start_streams() {
    ids.clear();
    events.clear();
    moments.clear();
    asked.clear();
    touched.clear();
    works.clear();
    host = {};
    streams.assign({{{}, true}, {{}, true}});
    given_id = id_of(given);
    start_stream_races();
    streams[given_id].clock.set(given_id, 1);  // the caller's own work
}

void finish_streams(bool complete) {
    const Clock& end = next_of(given_id);
    for (const Work& w : works) {
        if (!complete) break;
        bool late = w.late || end.of(w.stream) < w.last;
        if (w.early || late) tell(w, late);
    }
    callers.clear();
}

UnwaitedLaunch unwaited_launch() {
    std::lock_guard<std::mutex> guard(lock);
    for (auto w = works.rbegin(); w != works.rend(); ++w)
        if (w->launch && host.of(w->stream) < w->last) return {w->what, w->at};
    return {"", Site(nullptr, 0)};
}

// One of them: who waits for the last has waited for all.
void tell_unwaited() {
    const UnwaitedLaunch last = unwaited_launch();
    if (!last.what.empty()) Finding("unwaited").at(last.at).text("kernel", last.what).add();
}

extern "C" void ok_stream_work(const char* what, const char* fix, const volatile void* raw, const void* const* pointers, int count,
                               Site at) {
    Busy busy;
    std::lock_guard<std::mutex> guard(lock);
    if (streams.empty()) start_streams();  // a constructor's work
    if (auto gone = destroyed.find(const_cast<const void*>(raw)); gone != destroyed.end())
        Finding("use-after-free", uint64_t(at.line)).form("stream").at(at).other_at(gone->second).text("what", what).add();
    int stream = id_of(raw);
    Clock& clock = next_of(stream);
    bool early = false;
    unsigned index = clock.of(stream) + 1;
    clock.set(stream, index);
    for (int i = 0; i < count; i++) {
        long a = allocation_of(pointers[i]);
        if (a < 0) continue;
        early |= callers.count(a) && !clock.of(given_id);
        // Streams may share a buffer and keep to parts of it; nobody means that of the default stream.
        Clock& before = touched[a];
        early |= stream == LEGACY && !clock.covers(before);
        if (before.of(LEGACY) > clock.of(LEGACY))
            for (Work& w : works) w.late |= w.stream == LEGACY && w.last == before.of(LEGACY);
        before.set(stream, index);
    }
    for (Work& w : works) {
        if (w.at.line != at.line || w.stream != stream || w.what != what) continue;
        w.early |= early;
        w.last = index;
        return;
    }
    works.push_back({at, what, fix ? fix : std::string(what) + "<<<grid, block, shared_bytes, stream>>>(...)", stream, index, !fix, early});
}

extern "C" int ok_stream_destroyed(const volatile void* raw, Site at) {
    Busy busy;
    std::lock_guard<std::mutex> guard(lock);
    const void* stream = const_cast<const void*>(raw);
    if (!destroyed.insert({stream, at}).second) return ok_fail(ERROR_INVALID_RESOURCE_HANDLE);
    ids.erase(stream);
    return SUCCESS;
}

static void order_streams(int order, const volatile void* raw, const volatile void* event) {
    std::lock_guard<std::mutex> guard(lock);
    if (streams.empty()) start_streams();
    const void* e = const_cast<const void*>(event);
    switch (order) {
        case RECORD_EVENT:
            events[e] = next_of(id_of(raw));
            moments[e] = {id_of(raw), {}};
            for (size_t i = 0; i < streams.size(); i++) moments[e].asked.set(int(i), streams[i].clock.of(int(i)));
            break;
        case WAIT_EVENT: streams[id_of(raw)].clock.join(events[e]); break;
        case JOIN_EVENT: host.join(events[e]); break;
        case JOIN_STREAM: host.join(next_of(id_of(raw))); break;
        case JOIN_DEVICE: for (size_t i = 0; i < streams.size(); i++) host.join(next_of(int(i))); break;
    }
}

// Whether work was asked for between two events, and the second waits for none of it: it is in another stream.
static bool lies_elsewhere(const void* start, const void* end) {
    auto from = moments.find(start), to = moments.find(end);
    if (from == moments.end() || to == moments.end()) return false;
    bool any = false;
    for (size_t i = 0; i < to->second.asked.done.size(); i++) {
        const unsigned before = from->second.asked.of(int(i));
        any |= to->second.asked.of(int(i)) > before;
        if (events[end].of(int(i)) > before) return false;
    }
    return any;
}

// Whether the work that a stream holds, or that an event was recorded behind, is done when the host asks: not at first, as on
// a GPU that has just begun with it, and when it asks again.
extern "C" bool ok_is_done(const volatile void* stream, const volatile void* event) {
    Busy busy;
    std::lock_guard<std::mutex> guard(lock);
    if (!is_program) return true;
    if (streams.empty()) start_streams();
    const Clock& work = event ? events[const_cast<const void*>(event)] : next_of(id_of(stream));
    Clock& told = asked[const_cast<const void*>(event ? event : stream)];
    if (host.covers(work) || told.covers(work)) return true;
    told = work;
    return false;
}

extern "C" bool ok_time_asked(const volatile void* start, const volatile void* end, Site at) {
    Busy busy;
    std::lock_guard<std::mutex> guard(lock);
    if (!is_program) return true;
    Finding("no-time").at(at).add();
    const void *from = const_cast<const void*>(start), *to = const_cast<const void*>(end);
    if (lies_elsewhere(from, to)) Finding("time-of-nothing", uint64_t(at.line)).at(at).add();
    bool done = true;
    for (const void* event : {from, to})
        if (auto found = events.find(event); found != events.end() && !host.covers(found->second)) done = false;
    if (!done) Finding("early-time", uint64_t(at.line)).at(at).add();
    return done;
}

extern "C" void ok_stream_order(int order, const volatile void* raw, const volatile void* event) {
    Busy busy;
    order_streams(order, raw, event);
    open_managed();
}
}  // namespace __ok
