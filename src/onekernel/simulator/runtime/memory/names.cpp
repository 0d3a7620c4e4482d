// What a buffer is called in the program's own text.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../machine/launch.h"
#include "../machine/program.h"
#include "../machine/state.h"
#include "../machine_code/run.h"
#include "memory.h"

namespace __ok {
static const std::string& source_line(const char* file, int line) {
    // Never destroyed: leaks are told when the program's other static variables are gone.
    static auto& known = *new std::map<std::pair<std::string, int>, std::string>;
    auto [place, is_new] = known.insert({{file, line}, ""});
    if (is_new) {
        std::ifstream in(file);
        for (int n = 0; n < line && std::getline(in, place->second); n++) {}
        if (!in) place->second.clear();
    }
    return place->second;
}

// `cudaMalloc((void**)&v, n)` calls it v; of a line that asks twice nothing is known.
const char* name_of(const Allocation& a) {
    if (a.name[0] || !a.made_file || a.freed || !is_program) return a.name;
    Busy busy;
    static auto& name = *new std::string;
    const std::string& text = source_line(a.made_file, a.made_line);
    const size_t call = text.find("alloc"), also = text.find("Malloc", call == std::string::npos ? call : call + 1);
    const size_t at = call == std::string::npos || also != std::string::npos ? std::string::npos : text.find('&', call);
    size_t begin = at == std::string::npos ? text.size() : at + 1, end = begin;
    while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || strchr("_[].", text[end]))) end++;
    name = text.substr(begin, end - begin);
    return name.size() < sizeof a.name ? name.c_str() : "";
}

// What an argument calls the buffer into which it points: of `x + 8`, `&x[8]` and `&x->last`, x.
static std::string_view buffer_in(std::string_view text, bool from_its_start) {
    for (size_t end; !text.empty() && text[0] == '(' && (end = text.find(')')) + 1 < text.size();)  // a cast
        text.remove_prefix(std::min(text.find_first_not_of(' ', end + 1), text.size()));
    const bool address = !text.empty() && text[0] == '&';
    if (from_its_start && !address) return text;
    if (address) text.remove_prefix(1);
    size_t end = 0;
    while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || strchr("_.", text[end]))) end++;
    const size_t next = text.find_first_not_of(' ', end);
    return address || (next != std::string_view::npos && text[next] == '+') ? text.substr(0, end) : "";
}

// A member of what lies in a buffer, whose address the launch was given: `&x->last`.
struct Member {
    uintptr_t address;
    size_t item;
    std::string_view name;
};
static std::vector<Member> members;

void name_arguments(const LaunchSite& site, const void* const* pointers, int count) {
    const std::vector<Argument>& values = machine::launch_arguments();
    std::string_view rest = site.arguments ? site.arguments : "";
    members.clear();
    for (int i = 0; i < count; i++) {
        const size_t end = rest.find('\n');
        const std::string_view text = rest.substr(0, end);
        const uintptr_t address = reinterpret_cast<uintptr_t>(pointers[i]), offset = address - heap_base;
        if (address && heap_base && offset < HEAP_BYTES) {
            Allocation& a = owner_of(offset);
            a.given = launch_count();
            const std::string_view name = buffer_in(text, address == a.low);
            if ((a.live || a.freed) && !a.name[0]) a.name[name.copy(a.name, sizeof a.name - 1)] = 0;
            const int item = values.size() == static_cast<size_t>(count) ? values[static_cast<size_t>(i)].item : 0;
            const size_t member = text.find("->");
            if (item && text[0] == '&' && member < text.size() && text.find('[', member) == std::string_view::npos)
                members.push_back({address, static_cast<size_t>(item), text.substr(1)});
        }
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
}

Named element_of(const Allocation& a, uintptr_t address) {
    const Member* last = nullptr;
    for (const Member& m : members)
        if (m.address >= a.low && m.address <= address && (!last || m.address > last->address)) last = &m;
    if (last) return {last->name, static_cast<long long>((address - last->address) / last->item)};
    return {name_of(a), static_cast<long long>(address - a.low) / a.item};
}
}  // namespace __ok
