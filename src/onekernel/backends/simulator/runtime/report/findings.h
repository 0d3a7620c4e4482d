// The sink of findings: each is collected once per key and handed to Python as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../api/ok/core.h"

namespace __ok {
// One finding being written. Facts are named values that the message's placeholders use; addresses of code become lines
// on the Python side. Nothing is stored until `add`.
class Finding {
public:
    explicit Finding(const char* code, uint64_t key = 0);  // the key is what `withdraw` asks for
    Finding& at(Site site);                             // the line, where the runtime was told it
    Finding& code_at(uintptr_t pc);                     // or the address after the access; may be called again: the
                                                        // first that lies in the learner's file wins
    Finding& other_at(Site site);
    Finding& other_code_at(uintptr_t pc);
    Finding& here();                                    // block and thread of the running kernel
    Finding& text(const char* name, std::string_view value);
    Finding& number(const char* name, long long value);
    void add();

private:
    const char* code_;
    uint64_t key_;
    const void* claim_;  // of first_of, if it was asked
    std::string json_;
};

// True for the first finding of this key since the report was cleared: to be asked before building a Finding. First in the
// order of launches and blocks: where cores share a launch, a later call from a block before replaces what was found.
bool first_of(const char* code, uint64_t key, uint64_t key2 = 0);
// Takes back findings that a later one explains better.
void withdraw(const char* code, uint64_t key);
// Takes back what blocks of the running launch after this one have found.
void forget_findings_after(uint64_t block);
void clear_report();
std::string findings_json();
std::string quoted(std::string_view text);
extern uintptr_t loaded_at;  // entry.cpp
inline uintptr_t code_base() { return loaded_at; }  // where this shared object is loaded
}  // namespace __ok
