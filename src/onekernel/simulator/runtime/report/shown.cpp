// The values that one thread gave to one variable, in their order: the first ones and the last ones.
#include <deque>
#include <string>
#include <vector>

#include "../machine/launch.h"
#include "../machine/state.h"
#include "json.h"

namespace __ok {
struct Shown {
    int launch, line;
    std::string name, value;
};
constexpr size_t FIRST = 200, LAST = 20;
static std::vector<Shown> first;
static std::deque<Shown> last;
static long long shown_count = 0, shown_block = -1, shown_thread = -1;

void show_thread(long long block, long long thread) {
    shown_block = block;
    shown_thread = thread;
    shown_count = 0;
    first.clear();
    last.clear();
}

extern "C" bool ok_shows() {
    const Worker* w = worker;
    return w && w->current && static_cast<long long>(w->block) == shown_block && w->rank == shown_thread;
}

extern "C" void ok_keep_shown(const char* name, int line, const char* value) {
    Busy busy;
    Shown one{launch_count(), line, name, value};
    if (shown_count++ < static_cast<long long>(FIRST)) {
        first.push_back(one);
        return;
    }
    last.push_back(one);
    if (last.size() > LAST) last.pop_front();
}

void write_shown(Json& out) {
    out.object([&] {
        out.field("count", shown_count);
        for (bool end : {false, true})
            out.key(end ? "last" : "first").list([&] {
                auto write = [&](const Shown& s) {
                    out.object([&] {
                        out.field("launch", s.launch).field("line", s.line);
                        out.field("name", std::string_view(s.name)).field("value", std::string_view(s.value));
                    });
                };
                if (end) for (const Shown& s : last) write(s);
                else for (const Shown& s : first) write(s);
            });
    });
}
}  // namespace __ok
