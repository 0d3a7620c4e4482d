// Writes JSON. Values come in the order in which they are asked for; a key that is asked for twice is written twice. Out of
// line, because a report is no hot path and the runtime is compiled on a learner's machine.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace __ok {
class Json {
public:
    // An object of the members that `members` writes, a list of the items that `items` writes.
    template <class F>
    Json& object(F members) { return between('{', members, '}'); }
    template <class F>
    Json& list(F items) { return between('[', items, ']'); }

    [[gnu::noinline]] Json& key(std::string_view name) {
        value(name);
        text_ += ':';
        after_key_ = true;
        return *this;
    }
    [[gnu::noinline]] Json& value(std::string_view text) {
        separate();
        text_ += '"';
        for (char c : text) {
            if (c == '"' || c == '\\') text_ += '\\';
            text_ += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
        text_ += '"';
        return *this;
    }
    template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
    Json& value(T number) {
        if constexpr (std::is_signed_v<T>) return whole(static_cast<long long>(number));
        else return whole(static_cast<unsigned long long>(number));
    }
    [[gnu::noinline]] Json& raw(std::string_view json) {  // a value that is written already
        separate();
        text_ += json;
        return *this;
    }
    template <class T>
    Json& field(std::string_view name, const T& v) { return key(name).value(v); }
    template <class Range>
    Json& numbers(std::string_view name, const Range& range) {
        return key(name).list([&] {
            for (auto n : range) value(n);
        });
    }
    const std::string& text() const { return text_; }

private:
    [[gnu::noinline]] Json& whole(long long number) { return raw(std::to_string(number)); }
    [[gnu::noinline]] Json& whole(unsigned long long number) { return raw(std::to_string(number)); }
    template <class F>
    Json& between(char open, F& contents, char close) {
        separate();
        text_ += open;
        first_ = true;
        contents();
        text_ += close;
        first_ = false;
        return *this;
    }
    void separate() {
        if (!first_ && !after_key_) text_ += ',';
        first_ = after_key_ = false;
    }

    std::string text_;
    bool first_ = true, after_key_ = false;
};
}  // namespace __ok
