// What rewrite/shown.py puts behind the assignments to one variable: the value, told to the runtime as text.
#pragma once
#include <type_traits>

#include "runtime.h"

namespace __ok {
extern "C" void ok_keep_shown(const char* name, int line, const char* value);
extern "C" bool ok_shows();  // the running thread is the one that is asked for

template <class T>
inline void ok_shown(const char* name, int line, const T& value) {
    if (!ok_shows()) return;
    char text[48];
    if constexpr (std::is_same_v<T, bool>) snprintf(text, sizeof text, "%s", value ? "true" : "false");
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    else if constexpr (std::is_integral_v<T>) snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
    else if constexpr (std::is_pointer_v<T>) snprintf(text, sizeof text, "%p", static_cast<const void*>(value));
    else if constexpr (std::is_same_v<T, double>) snprintf(text, sizeof text, "%.17g", value);
    else if constexpr (std::is_convertible_v<T, float>) snprintf(text, sizeof text, "%.9g", static_cast<double>(static_cast<float>(value)));
    else snprintf(text, sizeof text, "(%zu bytes)", sizeof value);
    ok_keep_shown(name, line, text);
}
}  // namespace __ok
