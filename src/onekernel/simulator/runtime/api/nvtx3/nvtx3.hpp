// The C++ face of NVTX: ranges and marks that do nothing, whatever they are given.
#pragma once
#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {
struct domain {
    struct global {};
};
struct rgb {
    explicit constexpr rgb(uint8_t = 0, uint8_t = 0, uint8_t = 0) {}
};
struct argb {
    explicit constexpr argb(uint8_t = 0, uint8_t = 0, uint8_t = 0, uint8_t = 0) {}
};
struct color {
    explicit constexpr color(uint32_t) {}
    constexpr color(rgb) {}
    constexpr color(argb) {}
};
struct category {
    explicit constexpr category(uint32_t) {}
};
template <class D = domain::global>
struct named_category_in : category {
    template <class Name>
    constexpr named_category_in(uint32_t id, const Name&) : category(id) {}
    template <class Name>
    static const named_category_in& get() {
        static const named_category_in one(Name::id, "");
        return one;
    }
};
using named_category = named_category_in<>;
struct payload {
    template <class T>
    explicit constexpr payload(T) {}
};
struct message {
    template <class T>
    constexpr message(const T&) {}
};
template <class D = domain::global>
struct registered_string_in {
    template <class T>
    explicit constexpr registered_string_in(const T&) {}
    template <class Text>
    static const registered_string_in& get() {
        static const registered_string_in one(0);
        return one;
    }
};
using registered_string = registered_string_in<>;
struct event_attributes {
    template <class... T>
    explicit constexpr event_attributes(const T&...) {}
};

// With a constructor and a destructor of its own, so that nobody is told of a variable that is not used.
template <class D = domain::global>
struct scoped_range_in {
    template <class... T>
    explicit scoped_range_in(const T&...) {}
    scoped_range_in(const scoped_range_in&) = delete;
    scoped_range_in& operator=(const scoped_range_in&) = delete;
    ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<>;
template <class D = domain::global>
using domain_thread_range = scoped_range_in<D>;
using thread_range = scoped_range;

template <class D = domain::global>
struct unique_range_in {
    template <class... T>
    explicit unique_range_in(const T&...) {}
    unique_range_in(unique_range_in&&) noexcept {}
    unique_range_in& operator=(unique_range_in&&) noexcept { return *this; }
    ~unique_range_in() {}
};
using unique_range = unique_range_in<>;

struct range_handle {
    using value_type = nvtxRangeId_t;
    value_type get_value() const noexcept { return 0; }
};
template <class D = domain::global, class... T>
inline range_handle start_range_in(const T&...) { return {}; }
template <class... T>
inline range_handle start_range(const T&...) { return {}; }
template <class D = domain::global>
inline void end_range_in(range_handle) {}
inline void end_range(range_handle) {}
template <class D = domain::global, class... T>
inline void mark_in(const T&...) {}
template <class... T>
inline void mark(const T&...) {}
}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE_IN(D) ((void)0)
#define NVTX3_FUNC_RANGE_IF_IN(D, C) ((void)(C))
#define NVTX3_FUNC_RANGE() ((void)0)
#define NVTX3_FUNC_RANGE_IF(C) ((void)(C))
