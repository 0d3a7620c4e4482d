// Stream capture and graphs: while a stream is captured, work is kept in place of being done, and a launch of the graph does it in
// the order in which it was asked for. Source: CUDA C++ Programming Guide, "CUDA Graphs"; CUDA Runtime API, cudaStreamBeginCapture.
#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "../api/ok/graph_calls.h"
#include "conditions.h"
#include "launch.h"
#include "state.h"
#include "streams.h"

namespace __ok {
namespace {
struct KeptWork {
    void (*run)(void* data, void* stream);
    void (*drop)(void* data);
    void* data;
    int owners = 0;
};
// Shared by the graphs that hold it.
class Node {
public:
    explicit Node(KeptWork* work) : Node(work, work) {}
    Node(const Node& other) : Node(other.work_, other.name_) {}
    Node& operator=(Node other) {
        std::swap(work_, other.work_);
        std::swap(name_, other.name_);
        return *this;
    }
    ~Node() {
        if (--work_->owners) return;
        work_->drop(work_->data);
        delete work_;
    }
    void run(void* stream) const { work_->run(work_->data, stream); }
    void* name() const { return name_; }
    Node named_as(const Node& other) const { return Node(work_, other.name_); }

private:
    Node(KeptWork* work, void* name) : work_(work), name_(name) { work_->owners++; }
    KeptWork* work_;
    void* name_;  // what the program calls it: its first work
};
using Nodes = std::vector<Node>;
using CapturedWork = std::map<const void*, int>;  // pieces of work by captured stream
struct Capture {
    const void* origin;
    bool careful;  // calls that may wait are forbidden, whichever stream they are for
    bool invalid = false;
    Nodes* graph;
    std::unique_ptr<Nodes> own;  // the same, unless it is captured into a graph that the program has made
    void* last = nullptr;  // the node that was added last, for who asks
    std::map<const void*, CapturedWork> known;  // to each of its streams, of every other
};
enum { STREAM_CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED, CAPTURE_UNJOINED = 904, CAPTURE_IMPLICIT = 906, CAPTURED_EVENT, ILLEGAL_STATE = 401 };

std::list<Capture> captures;
std::map<const void*, std::pair<Capture*, CapturedWork>> captured_events;
bool replaying = false;

Capture* capture_of(const volatile void* stream) {
    for (Capture& c : captures)
        if (c.known.count(const_cast<const void*>(stream))) return &c;
    return nullptr;
}
bool is_legacy(const volatile void* stream) { return !stream || stream == reinterpret_cast<void*>(1); }
bool is_blocking(const void* stream) {
    return stream != reinterpret_cast<void*>(2) && !(static_cast<const CUstream_st*>(stream)->flags & 1);
}
void merge(CapturedWork& into, const CapturedWork& from) {
    for (auto& [stream, count] : from) into[stream] = std::max(into[stream], count);
}
}  // namespace

extern "C" int ok_capture_status(const volatile void* stream) {
    const Capture* c = captures.empty() ? nullptr : capture_of(stream);
    return !c ? 0 : c->invalid ? 2 : 1;
}

extern "C" int ok_capture_begin(void* stream, int mode, void* into) {
    if (is_legacy(stream)) return STREAM_CAPTURE_UNSUPPORTED;
    if (mode < 0 || mode > 2) return ERROR_INVALID_VALUE;
    if (capture_of(stream)) return ILLEGAL_STATE;
    std::unique_ptr<Nodes> own(into ? nullptr : new Nodes());
    Nodes* graph = into ? static_cast<Nodes*>(into) : own.get();
    captures.push_back({stream, mode != 2, false, graph, std::move(own), nullptr, {}});
    captures.back().known[stream];
    return SUCCESS;
}

extern "C" int ok_capture_end(void* stream, void** graph) {
    auto found = std::find_if(captures.begin(), captures.end(), [&](const Capture& c) { return c.origin == stream; });
    if (found == captures.end()) return ILLEGAL_STATE;
    for (auto e = captured_events.begin(); e != captured_events.end();) e = e->second.first == &*found ? captured_events.erase(e) : std::next(e);
    Capture c = std::move(*found);
    captures.erase(found);
    *graph = nullptr;
    if (c.invalid) return CAPTURE_INVALIDATED;
    CapturedWork& joined = c.known[stream];
    for (auto& [other, work] : c.known)
        if (joined[other] < work[other]) return CAPTURE_UNJOINED;
    c.own.release();
    *graph = c.graph;
    return SUCCESS;
}

extern "C" void* ok_capture_graph(const volatile void* stream, void* const** last, size_t* count) {
    Capture* c = capture_of(stream);
    if (!c) return nullptr;
    *count = !c->graph->empty();
    c->last = *count ? c->graph->back().name() : nullptr;
    *last = &c->last;
    return c->graph;
}

// What a piece of work for `stream` does: 0 it is done now, -1 it is kept, else the error that it returns.
extern "C" int ok_capturing(const volatile void* stream) {
    if (captures.empty() || replaying) return 0;
    if (Capture* c = capture_of(stream)) return c->invalid ? int(CAPTURE_INVALIDATED) : -1;
    if (!is_legacy(stream)) return 0;
    int error = 0;
    for (Capture& c : captures)
        if (is_blocking(c.origin)) c.invalid = true, error = CAPTURE_IMPLICIT;
    return error;
}

extern "C" void ok_capture_work(const volatile void* stream, void (*run)(void*, void*), void (*drop)(void*), void* data) {
    const void* in = const_cast<const void*>(stream);
    Capture* c = capture_of(in);
    c->graph->push_back(Node(new KeptWork{run, drop, data}));
    c->known[in][in]++;
}

// A call that waits for `stream`, or, without one, may wait for any: the error that it returns, or 0.
extern "C" int ok_capture_forbids(const volatile void* stream, bool any) {
    int error = 0;
    if (captures.empty() || replaying) return 0;
    for (Capture& c : captures)
        if (any ? c.careful : c.known.count(const_cast<const void*>(stream)) != 0) c.invalid = true, error = STREAM_CAPTURE_UNSUPPORTED;
    return error;
}

// Events within a capture order its streams, and bring others into it. True where the event is the capture's.
extern "C" bool ok_capture_event(const volatile void* stream, const volatile void* event, bool records) {
    if (captures.empty() || replaying) return false;
    const void *in = const_cast<const void*>(stream), *of = const_cast<const void*>(event);
    if (records) {
        Capture* c = capture_of(in);
        if (c) captured_events[of] = {c, c->known[in]};
        else captured_events.erase(of);
        return c != nullptr;
    }
    auto found = captured_events.find(of);
    if (found == captured_events.end()) return false;
    auto& [capture, clock] = found->second;
    const bool joins = !capture->known.count(in);
    merge(capture->known[in], clock);
    if (joins) capture->known[in][in]++;
    return true;
}
extern "C" int ok_capture_waits_for(const volatile void* event) {
    auto found = captured_events.find(const_cast<const void*>(event));
    if (captures.empty() || found == captured_events.end()) return 0;
    found->second.first->invalid = true;
    return CAPTURED_EVENT;
}

extern "C" void* ok_graph_copy(const void* graph) { return graph ? new Nodes(*static_cast<const Nodes*>(graph)) : new Nodes(); }
extern "C" void ok_graph_drop(void* graph) { delete static_cast<Nodes*>(graph); }
extern "C" bool ok_graph_update(void* made, const void* graph) {
    Nodes& nodes = *static_cast<Nodes*>(made);
    const Nodes& others = *static_cast<const Nodes*>(graph);
    for (size_t i = 0; nodes.size() == others.size() && i < nodes.size(); i++) nodes[i] = others[i].named_as(nodes[i]);
    return nodes.size() == others.size();
}
extern "C" bool ok_graph_update_node(void* made, const void* name, const void* graph) {
    Nodes& nodes = *static_cast<Nodes*>(made);
    auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.name() == name; });
    if (found == nodes.end()) return false;
    *found = static_cast<const Nodes*>(graph)->front().named_as(*found);
    return true;
}
extern "C" size_t ok_graph_size(const void* graph) { return static_cast<const Nodes*>(graph)->size(); }
// A launch that is refused leaves its error to the graph's own launch.
extern "C" int ok_graph_run(const void* graph, void* stream) {
    const bool before = replaying;  // a node may be a graph of its own
    if (!before) set_conditions();
    replaying = true;
    const int left = exchange_error(SUCCESS);
    int error = SUCCESS;
    for (const Node& node : *static_cast<const Nodes*>(graph)) {
        node.run(stream);
        if ((error = exchange_error(SUCCESS))) break;
    }
    exchange_error(error ? error : left);
    replaying = before;
    return error;
}
bool in_graph() { return replaying; }
extern "C" void* ok_graph_add(void* graph, void (*run)(void*, void*), void (*drop)(void*), void* data) {
    Nodes& nodes = *static_cast<Nodes*>(graph);
    nodes.push_back(Node(new KeptWork{run, drop, data}));
    return nodes.back().name();
}
extern "C" void ok_graph_capture(const void* graph, void* stream) {
    Capture* c = capture_of(stream);
    const Nodes& nodes = *static_cast<const Nodes*>(graph);
    c->graph->insert(c->graph->end(), nodes.begin(), nodes.end());
    c->known[stream][stream]++;
}

void forget_captures() {
    captures.clear();
    captured_events.clear();
    forget_conditions();
    replaying = false;
}
}  // namespace __ok
