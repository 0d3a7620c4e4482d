// What a buffer is called in the program's own text.
#include <cctype>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "../machine/program.h"
#include "../machine/state.h"
#include "memory.h"

namespace __ok {
static const std::string& source_line(const char* file, int line) {
    static std::map<std::pair<std::string, int>, std::string> known;
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
    static std::string name;
    const std::string& text = source_line(a.made_file, a.made_line);
    const size_t call = text.find("alloc"), also = text.find("Malloc", call == std::string::npos ? call : call + 1);
    const size_t at = call == std::string::npos || also != std::string::npos ? std::string::npos : text.find('&', call);
    size_t begin = at == std::string::npos ? text.size() : at + 1, end = begin;
    while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || strchr("_[].", text[end]))) end++;
    name = text.substr(begin, end - begin);
    return name.size() < sizeof a.name ? name.c_str() : "";
}
}  // namespace __ok
