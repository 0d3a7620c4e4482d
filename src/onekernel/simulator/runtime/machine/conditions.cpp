// Conditional nodes: graphs in a graph, of which a number that kernels set chooses what runs, and how often.
// Source: CUDA C++ Programming Guide, "Conditional Graph Nodes"; CUDA Runtime API, cudaGraphConditionalHandleCreate.
#include "conditions.h"

#include <atomic>
#include <deque>
#include <vector>

#include "../api/ok/graph_calls.h"
#include "../memory/host_view.h"
#include "launch.h"
#include "repeated.h"

namespace __ok {
namespace {
struct Condition {
    Condition(unsigned value, bool each) : value(value), initial(value), each_launch(each) {}
    std::atomic<unsigned> value;
    const unsigned initial;
    const bool each_launch;  // begins with it
    bool asked = false;      // by a node
};
std::deque<Condition> conditions;  // a handle is a place in it, from 1, so that none is 0
int bodies_running = 0;
Condition* condition(unsigned long long handle) { return handle - 1 < conditions.size() ? &conditions[handle - 1] : nullptr; }

enum { IF, WHILE, SWITCH };
struct Choice {
    Condition* asks;
    int type;
    std::vector<void*> bodies;

    static void run(void* data, void* stream) {
        const Choice& c = *static_cast<Choice*>(data);
        DeviceView view;  // whether a body has run is what a kernel wrote: it reaches the host as such
        bodies_running++;
        const size_t value = c.asks->value, body = c.type == IF ? !value : c.type == WHILE ? 0 : value;
        if (c.type != WHILE && body < c.bodies.size()) ok_graph_run(c.bodies[body], stream);
        while (c.type == WHILE && c.asks->value && !faulted() && !ok_graph_run(c.bodies[0], stream)) {
        }
        bodies_running--;
    }
    static void drop(void* data) {
        for (void* body : static_cast<Choice*>(data)->bodies) ok_graph_drop(body);
        delete static_cast<Choice*>(data);
    }
};
}  // namespace

void set_conditions() {
    for (Condition& c : conditions)
        if (c.each_launch) c.value = c.initial;
}
void forget_conditions() {
    conditions.clear();
    bodies_running = 0;
}
bool in_body() { return bodies_running > 0; }

extern "C" bool ok_may_call_host(const char* function, Site at) {
    if (in_body()) ok_unsupported(function, at);
    return !in_body();
}

extern "C" unsigned long long ok_condition(unsigned initial, bool each_launch) {
    conditions.emplace_back(initial, each_launch);
    return conditions.size();
}
// A launch that does so again does more than what it does to memory.
extern "C" void ok_set_condition(unsigned long long handle, unsigned value) {
    cannot_be_repeated();
    if (Condition* c = condition(handle)) c->value = value;
}
extern "C" void* ok_choice(void* graph, unsigned long long handle, int type, unsigned size, void*** bodies) {
    Condition* c = condition(handle);
    const unsigned most[] = {2, 1, ~0u};
    if (!c || c->asked || type < IF || type > SWITCH || size == 0 || size > most[type]) return nullptr;
    c->asked = true;
    Choice* choice = new Choice{c, type, {}};
    while (choice->bodies.size() < size) choice->bodies.push_back(ok_graph_copy(nullptr));
    *bodies = choice->bodies.data();
    return ok_graph_add(graph, Choice::run, Choice::drop, choice);
}
}  // namespace __ok
