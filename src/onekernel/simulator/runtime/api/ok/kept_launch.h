// A launch that is yet to come, of a graph or behind the grid whose kernel asks for it: what it needs, with the bytes of its
// parameters.
#pragma once
#include <tuple>

#include "../cuda_runtime.h"

namespace __ok {
template <class P>
struct Kept {
    typedef std::remove_reference_t<P> Type;
    alignas(Type) unsigned char bytes[sizeof(Type)];
    OK_QUIET explicit Kept(const Type& parameter) {
        __builtin_memcpy(bytes, static_cast<const void*>(__builtin_addressof(parameter)), sizeof bytes);
    }
    OK_QUIET Type& value() { return *reinterpret_cast<Type*>(bytes); }
};

template <class... P>
struct KeptLaunch {
    LaunchSite site;
    Config config;
    void (*kernel)(P...);
    std::tuple<Kept<P>...> parameters;
    OK_QUIET void operator()(cudaStream_t stream) {
        config.stream = stream;
        std::apply([&](auto&... each) OK_QUIET { (void)launch_now(site, config, kernel, each.value()...); }, parameters);
    }
};
template <class... P>
OK_QUIET KeptLaunch<P...> keep(const LaunchSite& site, const Config& config, void (*kernel)(P...), std::remove_reference_t<P>&... parameters) {
    return {site, config, kernel, std::tuple<Kept<P>...>(Kept<P>(parameters)...)};
}
}  // namespace __ok
