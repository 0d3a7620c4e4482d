// What machine/graphs.cpp and machine/conditions.cpp offer beyond runtime.h, to programs that make graphs and to each other.
#pragma once
#include "runtime.h"

namespace __ok {
extern "C" int ok_capture_begin(void* stream, int mode, void* into);  // `into`: a graph, or null for a new one
extern "C" int ok_capture_end(void* stream, void** graph);
// What a captured stream would make of its next piece of work: the graph that has it, behind the last one that was added.
extern "C" void* ok_capture_graph(const volatile void* stream, void* const** last, size_t* count);

// Graphs and what is made of them are lists of the same nodes.
extern "C" void* ok_graph_copy(const void* graph);  // of null: an empty one
extern "C" void ok_graph_drop(void* graph);
extern "C" size_t ok_graph_size(const void* graph);
extern "C" void* ok_graph_add(void* graph, void (*run)(void* data, void* stream), void (*drop)(void*), void* data);  // the node
extern "C" int ok_graph_run(const void* graph, void* stream);  // the error of a launch that is refused
extern "C" void ok_graph_capture(const void* graph, void* stream);  // it becomes part of what the stream's capture keeps
// The graph `made` does what `graph` does from now on, if they have equally many nodes; or its node `name` the only one's of
// `graph`, if it has one of that name.
extern "C" bool ok_graph_update(void* made, const void* graph);
extern "C" bool ok_graph_update_node(void* made, const void* name, const void* graph);

extern "C" unsigned long long ok_condition(unsigned initial, bool each_launch);  // its handle
extern "C" void ok_set_condition(unsigned long long handle, unsigned value);     // in a kernel
// A node with `size` empty graphs, which are there for as long as it is; null where CUDA makes none.
extern "C" void* ok_choice(void* graph, unsigned long long handle, int type, unsigned size, void*** bodies);
}  // namespace __ok
