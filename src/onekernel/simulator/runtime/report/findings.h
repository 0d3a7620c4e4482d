// The sink of findings: each is collected once per key and handed to Python as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../api/ok/runtime.h"
#include "json.h"

namespace __ok {
// What is wrong, told in one expression that ends with add(). Every code has its record in findings.toml; the sentences
// there name the facts that stand here. Of several findings with the same code and keys the first is kept: in the order of
// launches and blocks, so that where cores share a launch, a later one from a block before replaces what was found.
// Facts of one that is not kept cost nothing.
class Finding {
public:
    [[gnu::noinline]] explicit Finding(const char* code, uint64_t key = 0, uint64_t key2 = 0);
    [[gnu::noinline]] ~Finding();  // not once more at each place that makes a finding

    // Which of the record's sentences, where it has several: "read", or "read-after" in two parts.
    Finding& form(std::string_view name, std::string_view second = "");

    // The line, where the runtime was told it; or addresses of code behind the access, of which the first that lies in the
    // learner's file wins.
    Finding& at(Site site);
    Finding& other_at(Site site);
    Finding& code_at(uintptr_t pc);
    Finding& code_at(const std::vector<uintptr_t>& pcs);
    Finding& other_code_at(uintptr_t pc);

    Finding& here();        // the facts `block` and `thread`: the running ones
    Finding& where();       // in a kernel here() and the form "kernel", else the form "host"
    Finding& block(const char* name, uint64_t number);
    Finding& thread(const char* name, unsigned rank);
    Finding& text(const char* name, std::string_view value);
    Finding& array(const char* name, std::string_view value);  // of an allocation or a shared array, known or not
    Finding& number(const char* name, long long value);
    Finding& hex(const char* name, unsigned long long value, int digits = 0);
    Finding& sentence(const char* name, std::string_view form);  // a fact that is another sentence of the record
    Finding& about(uint64_t key);  // what `withdraw` asks for, if that is not the finding's first key
    bool kept() const { return claim_; }
    bool add();                    // false: another is kept

private:
    Finding& index(const char* name, uint3 index, dim3 shape);

    const char* code_;
    uint64_t key_;
    const void* claim_;  // null: another finding is kept
    Site at_{nullptr, 0}, other_at_{nullptr, 0};
    std::vector<uintptr_t> code_at_, other_code_at_;
    std::string form_;
    Json facts_;
};

// Whether a finding with these keys was made, by the running block or one before it.
bool found(const char* code, uint64_t key, uint64_t key2);
// Takes back findings that a later one explains better.
void withdraw(const char* code, uint64_t key);
void withdraw_in_launch(const char* code, uint64_t key);  // those of the running launch
void withdraw_all_in_launch(const char* code);  // those too, and a later launch may tell them
// Takes back what blocks of the running launch after this one have found.
void forget_findings_after(uint64_t block);
void clear_findings();
void start_printing();  // printed.cpp: a call begins
std::string with_printed(const std::string& json);  // a finding, what a kernel printed in its place
void write_findings(Json& out);
extern uintptr_t loaded_at, text_at;  // entry.cpp
inline uintptr_t code_base() { return loaded_at; }  // where this shared object is loaded
// Of a kernel, 0 of none: by it its own name is known, whatever the launch calls it.
inline long long code_offset(const void* kernel) {
    return kernel ? static_cast<long long>(reinterpret_cast<uintptr_t>(kernel) - loaded_at) : 0;
}
inline uintptr_t text_base() { return text_at; }    // and where its code begins
}  // namespace __ok
