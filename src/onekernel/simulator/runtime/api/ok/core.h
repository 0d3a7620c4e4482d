// CUDA's language on top of runtime.h: launches, indices, barriers, warp functions. The headers around it add the host's API,
// vector types, math and atomics.
#pragma once

#include <type_traits>
#include <utility>

#include "runtime.h"

namespace __ok {
// The inner extents of an array of arrays, and of one of those; 0 of others.
template <class T>
constexpr unsigned columns = std::rank_v<T> == 3 ? std::extent_v<T, 2> : std::rank_v<T> == 2 ? std::extent_v<T, 1> : 0;
template <class T>
constexpr unsigned rows = std::rank_v<T> == 3 ? std::extent_v<T, 1> : 0;

// An array of arrays that is walked as one, a[0][i], from rewrite/accesses.py: its rows lie behind each other.
template <class T, size_t N>
[[gnu::always_inline]] constexpr T* flat(T (&first_row)[N]) { return first_row; }
template <class T>
[[gnu::always_inline]] constexpr T&& flat(T&& no_array) { return static_cast<T&&>(no_array); }

// A subscript whose index needs no check, from rewrite/accesses.py.
#ifdef __clang__
#define OK_UNCHECKED __attribute__((always_inline, no_sanitize("array-bounds")))
#else
#define OK_UNCHECKED __attribute__((always_inline, no_sanitize("bounds")))
#endif
template <class T, size_t N, class I>
OK_UNCHECKED constexpr T& at(T (&a)[N], I i) { return a[i]; }
template <class T, class I>
OK_UNCHECKED constexpr decltype(auto) at(T&& no_array, I i) { return static_cast<T&&>(no_array)[i]; }

template <class T>
OK_INLINE const void* pointer_of(const T& argument) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
        return const_cast<const void*>(static_cast<const volatile void*>(argument));
    else return nullptr;
}

template <class E, class = void>
constexpr int size_if_known = 0;  // of void, of a function, of a type that is only declared
template <class E>
constexpr int size_if_known<E, std::enable_if_t<std::is_object_v<E> && (sizeof(E) > 0)>> = sizeof(E);

template <class T>
OK_INLINE Argument argument_of(const T& value) {
    constexpr Argument::Kind kind = std::is_pointer_v<T>                                ? Argument::POINTER
                                    : std::is_floating_point_v<T>                       ? Argument::FLOATING
                                    : !std::is_integral_v<T> && !std::is_enum_v<T>      ? Argument::OTHER
                                    : std::is_unsigned_v<T>                             ? Argument::UNSIGNED
                                                                                        : Argument::SIGNED;
    return {static_cast<const void*>(__builtin_addressof(value)), static_cast<int>(sizeof value), kind,
            std::is_pointer_v<T> ? size_if_known<std::remove_pointer_t<T>> : 0};
}

// A thread's own copy of a parameter, made without a line of the parameter's class: nvcc copies bytes. What a class would have to
// be asked for, a compiler passes by its address (Itanium C++ ABI, 3.1.2.3), and whoever calls destroys it: here, nobody.
template <class P>
struct Copy {
    typedef void* Passed;
    alignas(P) unsigned char bytes[sizeof(P)];
    OK_QUIET explicit Copy(const P& parameter) {
        __builtin_memcpy(bytes, static_cast<const void*>(__builtin_addressof(parameter)), sizeof bytes);
    }
    OK_QUIET void* pass() { return bytes; }
};
// Of what is copied trivially: from a constant, or as one that is moved, or as a variable. A prvalue becomes the parameter itself.
template <class P, class From>
struct PlainCopy {
    typedef P Passed;
    P& parameter;
    OK_QUIET explicit PlainCopy(P& parameter) : parameter(parameter) {}
    OK_QUIET P pass() { return P(static_cast<From>(parameter)); }
};
template <class P>
struct Passing {
    typedef std::conditional_t<
        std::is_trivially_constructible_v<P, const P&>, PlainCopy<P, const P&>,
        std::conditional_t<std::is_trivially_constructible_v<P, P>, PlainCopy<P, P&&>,
                           std::conditional_t<std::is_trivially_constructible_v<P, P&>, PlainCopy<P, P&>, Copy<P>>>>
        Own;
};
template <class P>
struct Passing<P&> {
    struct Own {
        typedef P& Passed;
        P& parameter;
        OK_QUIET explicit Own(P& parameter) : parameter(parameter) {}
        OK_QUIET P& pass() { return parameter; }
    };
};

// One launch. `parameters` are what the host has made of the arguments, once, while device memory is closed to it; a thread gets
// their bytes.
template <class... P>
OK_INLINE int launch_now(const LaunchSite& text, const Config& config, void (*kernel)(P...), std::remove_reference_t<P>&... parameters) {
    auto body = [&]() OK_QUIET {
        reinterpret_cast<void (*)(typename Passing<P>::Own::Passed...)>(kernel)(typename Passing<P>::Own(parameters).pass()...);
    };
    using Body = decltype(body);
    const LaunchSite site{text.kernel, text.arguments, reinterpret_cast<const void*>(kernel), text.at};
    const void* pointers[] = {pointer_of(parameters)..., nullptr};
    const Argument values[] = {argument_of(parameters)..., Argument{}};
    ok_arguments(values, sizeof...(parameters));
    return ok_launch(&site, &config, pointers, sizeof...(parameters), [](void* context) OK_QUIET { (*static_cast<Body*>(context))(); }, &body);
}
struct Now {
    template <class... P>
    OK_QUIET static int launch(const LaunchSite& site, const Config& config, void (*kernel)(P...), std::remove_reference_t<P>&... parameters) {
        return launch_now(site, config, kernel, parameters...);
    }
};
typedef Now __how;  // graphs.h and nested.h have others

// kernel<<<config>>>(arguments...), rewritten: ok_launcher<__how>(site, config, kernel).ok_run(arguments...), where the last call
// makes parameters of the arguments as nvcc's stub does.
template <class How, class... P>
struct HostLaunch {
    LaunchSite site;
    Config config;
    void (*kernel)(P...);
    OK_QUIET int ok_run(P... parameters) const { return How::launch(site, config, kernel, parameters...); }
};
template <class How, class... P>
OK_INLINE HostLaunch<How, P...> ok_launcher(const LaunchSite& site, const Config& config, void (*kernel)(P...)) {
    return {site, config, kernel};
}
// The same where the name alone says no one function: the stub that rewrite/launches.py has written knows the parameters.
// What the type of a kernel has of the parameter that the stub declares: no qualifiers of its own.
template <class P>
struct Unqualified {
    typedef std::remove_cv_t<P> Type;
};
template <class T>
struct Unqualified<T* __restrict__> {
    typedef T* Type;
};
template <class T>
struct Unqualified<T* const __restrict__> {
    typedef T* Type;
};
template <class How, class Chosen>
struct StubLaunch {
    LaunchSite site;
    Config config;
    Chosen chosen;
    template <class... P>
    OK_QUIET int ok_run(std::remove_reference_t<P>&... parameters) const {
        return How::launch(site, config, chosen(static_cast<void (*)(typename Unqualified<P>::Type...)>(nullptr)),
                           const_cast<std::remove_reference_t<typename Unqualified<P>::Type>&>(parameters)...);
    }
};
template <class How, class Chosen>
OK_INLINE StubLaunch<How, Chosen> ok_stub_launcher(const LaunchSite& site, const Config& config, Chosen chosen) {
    return {site, config, chosen};
}

template <class... P, size_t... I>
OK_INLINE int launch_pointers(const LaunchSite& site, const Config& config, void (*kernel)(P...), void** arguments,
                              std::index_sequence<I...>) {
    return launch_now(site, config, kernel, *static_cast<std::remove_reference_t<P>*>(arguments[I])...);
}

// cudaLaunchKernel(kernel, grid, block, arguments, shared, stream).
template <class... P>
OK_INLINE int launch_kernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                            CUstream_st* stream = nullptr, bool cooperative = false, Site at = Site()) {
    LaunchSite site{nullptr, "", reinterpret_cast<const void*>(kernel), at};
    return launch_pointers(site, Config(grid, block, shared, stream, cooperative), kernel, arguments,
                           std::index_sequence_for<P...>());
}

// A kernel's address that is about to lose its type: what launches it is kept.
template <class... P>
inline void* kernel_address(void (*kernel)(P...)) {
    void* address = reinterpret_cast<void*>(kernel);
    ok_keep_launcher(address, [](const void* which, dim3 grid, dim3 block, void** arguments, size_t shared, CUstream_st* stream,
                                 bool cooperative, Site at) OK_QUIET {
        return launch_kernel(reinterpret_cast<void (*)(P...)>(const_cast<void*>(which)), grid, block, arguments, shared, stream, cooperative, at);
    });
    return address;
}

// --- collectives by value -------------------------------------------------------------------------------------------
template <class T>
OK_INLINE uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_destructible_v<T>, "a warp exchanges values of at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
OK_INLINE T from_bits(uint64_t bits) {
    if constexpr (sizeof(T) == 8 && std::is_trivially_copyable_v<T>) return __builtin_bit_cast(T, bits);
    else if constexpr (sizeof(T) == 4 && std::is_trivially_copyable_v<T>) return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}
template <class T>
OK_INLINE T shuffle(int what, unsigned mask, T value, int lane, int width, Site at) {
    return from_bits<T>(ok_collective(what, mask, to_bits(value), lane, width, sizeof(T), nullptr, at));
}
// What the __shfl functions take: numbers, and 16-bit floats where their headers add them. Cooperative groups take more.
template <class T>
constexpr bool shuffled = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
OK_INLINE T shuffle_number(int what, unsigned mask, T value, int lane, int width, Site at) {
    static_assert(shuffled<T>, "ok-shuffle-type");
    return shuffle(what, mask, value, lane, width, at);
}
}  // namespace __ok

// blockDim and gridDim are uint3 underneath, because a dim3 has a constructor and thread-local constants may not.
struct ok_dim3_view : uint3 {
    constexpr operator dim3() const { return dim3(x, y, z); }
};
extern __thread const ok_dim3_view blockDim __asm__("ok_blockDim") __attribute__((tls_model("initial-exec")));
extern __thread const ok_dim3_view gridDim __asm__("ok_gridDim") __attribute__((tls_model("initial-exec")));

#define OK_AT ::__ok::Site at = ::__ok::Site()

OK_INLINE void __syncthreads(OK_AT) { __ok::ok_barrier(__ok::VOTE_NONE, 0, at); }
OK_INLINE int __syncthreads_count(int predicate, OK_AT) { return __ok::ok_barrier(__ok::VOTE_COUNT, predicate, at); }
OK_INLINE int __syncthreads_and(int predicate, OK_AT) { return __ok::ok_barrier(__ok::VOTE_AND, predicate, at); }
OK_INLINE int __syncthreads_or(int predicate, OK_AT) { return __ok::ok_barrier(__ok::VOTE_OR, predicate, at); }
OK_INLINE void __syncwarp(unsigned mask = 0xffffffffu, OK_AT) {
    __ok::ok_collective(__ok::SYNC_WARP, mask, 0, 0, 32, 0, nullptr, at);
}
OK_INLINE void __threadfence(OK_AT) { __ok::ok_fence(1, at); }
OK_INLINE void __threadfence_block(OK_AT) { __ok::ok_fence(0, at); }
OK_INLINE void __threadfence_system(OK_AT) { __ok::ok_fence(2, at); }

#if OK_ARCH >= 900
// Launches run one after the other here: what an earlier one does is done.
OK_INLINE void cudaGridDependencySynchronize() {}
OK_INLINE void cudaTriggerProgrammaticLaunchCompletion() {}
OK_INLINE void __cluster_barrier_arrive(OK_AT) { __ok::ok_blocks_arrive(__ok::CLUSTER, false, at); }
OK_INLINE void __cluster_barrier_arrive_relaxed(OK_AT) { __ok::ok_blocks_arrive(__ok::CLUSTER, false, at); }
OK_INLINE void __cluster_barrier_wait(OK_AT) { __ok::ok_blocks_wait_last(__ok::CLUSTER, at); }
#endif

template <class T>
[[nodiscard]] OK_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32, OK_AT) {
    return __ok::shuffle_number(__ok::SHFL_IDX, mask, value, lane, width, at);
}
template <class T>
[[nodiscard]] OK_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, OK_AT) {
    return __ok::shuffle_number(__ok::SHFL_UP, mask, value, static_cast<int>(delta), width, at);
}
template <class T>
[[nodiscard]] OK_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, OK_AT) {
    return __ok::shuffle_number(__ok::SHFL_DOWN, mask, value, static_cast<int>(delta), width, at);
}
template <class T>
[[nodiscard]] OK_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, OK_AT) {
    return __ok::shuffle_number(__ok::SHFL_XOR, mask, value, lane_mask, width, at);
}
OK_INLINE unsigned __ballot_sync(unsigned mask, int predicate, OK_AT) {
    return static_cast<unsigned>(__ok::ok_collective(__ok::BALLOT, mask, predicate != 0, 0, 32, 4, nullptr, at));
}
OK_INLINE int __all_sync(unsigned mask, int predicate, OK_AT) {
    return static_cast<int>(__ok::ok_collective(__ok::VOTE_ALL, mask, predicate != 0, 0, 32, 4, nullptr, at));
}
OK_INLINE int __any_sync(unsigned mask, int predicate, OK_AT) {
    return static_cast<int>(__ok::ok_collective(__ok::VOTE_ANY, mask, predicate != 0, 0, 32, 4, nullptr, at));
}
OK_INLINE int __uni_sync(unsigned mask, int predicate, OK_AT) {
    return static_cast<int>(__ok::ok_collective(__ok::VOTE_UNI, mask, predicate != 0, 0, 32, 4, nullptr, at));
}
OK_INLINE unsigned __activemask(OK_AT) {
    return static_cast<unsigned>(__ok::ok_collective(__ok::ACTIVE_MASK, 0xffffffffu, 0, 0, 32, 4, nullptr, at));
}
template <class T>
OK_INLINE unsigned __match_any_sync(unsigned mask, T value, OK_AT) {
    return static_cast<unsigned>(
        __ok::ok_collective(__ok::MATCH_ANY, mask, __ok::to_bits(value), 0, 32, sizeof(T), nullptr, at));
}
template <class T>
OK_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate, OK_AT) {
    return static_cast<unsigned>(
        __ok::ok_collective(__ok::MATCH_ALL, mask, __ok::to_bits(value), 0, 32, sizeof(T), predicate, at));
}

#define OK_REDUCE(NAME, TYPE, WHAT)                                                                       \
    OK_INLINE TYPE NAME(unsigned mask, TYPE value, OK_AT) {                                               \
        return static_cast<TYPE>(                                                                         \
            __ok::ok_collective(__ok::WHAT, mask, static_cast<unsigned>(value), 0, 32, 4, nullptr, at));      \
    }
OK_REDUCE(__reduce_add_sync, unsigned, REDUCE_ADD)
OK_REDUCE(__reduce_add_sync, int, REDUCE_ADD)
OK_REDUCE(__reduce_min_sync, unsigned, REDUCE_MIN_U)
OK_REDUCE(__reduce_min_sync, int, REDUCE_MIN_S)
OK_REDUCE(__reduce_max_sync, unsigned, REDUCE_MAX_U)
OK_REDUCE(__reduce_max_sync, int, REDUCE_MAX_S)
OK_REDUCE(__reduce_and_sync, unsigned, REDUCE_AND)
OK_REDUCE(__reduce_or_sync, unsigned, REDUCE_OR)
OK_REDUCE(__reduce_xor_sync, unsigned, REDUCE_XOR)
#undef OK_REDUCE
