// What kernels ask for themselves: launches and copies, done when their grid has ended.
#include "nested.h"

#include <cstdlib>
#include <mutex>
#include <vector>

#include "launch.h"
#include "repeated.h"

namespace __ok {
namespace {
struct Nested {
    void (*run)(void* data, void* stream);
    void* data;
    bool last;
};
std::vector<Nested> nested;  // of the grid that runs
std::mutex nested_lock;      // its blocks may be on several cores
int nested_depth = 0;        // of run_nested
}  // namespace

extern "C" void* ok_after_grid(size_t bytes, void (*run)(void*, void*), bool last) {
    Busy busy;
    std::lock_guard<std::mutex> lock(nested_lock);
    cannot_be_repeated();
    nested.push_back({run, malloc(bytes ? bytes : 1), last});
    return nested.back().data;
}

void run_nested(void* stream) {
    std::vector<Nested> mine;
    mine.swap(nested);
    nested_depth++;
    for (bool last : {false, true})
        for (const Nested& n : mine)
            if (n.last == last && !faulted()) n.run(n.data, stream);
    nested_depth--;
    for (const Nested& n : mine) free(n.data);
}

bool is_nested() { return nested_depth; }
}  // namespace __ok
