// nvcuda::wmma: tensor-core tiles by function, not by hardware layout (CUDA C++ Programming Guide, "Warp Matrix
// Functions"). Each lane holds its share of a tile in x[], which elements CUDA leaves open; operands are also kept
// whole, so that a lane computes its share of the product alone. Products and sums are in double, rounded once an
// element. But: what the accesses of a load or store are is a model (consecutive lanes, consecutive elements). No
// sub-byte types.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
}  // namespace precision

// float with the 10 fraction bits that tensor cores read, to nearest, ties away (PTX, cvt.rna.tf32.f32).
OK_ALWAYS float __float_to_tf32(float value) {
    const unsigned bits = __float_as_uint(value);
    return (bits & 0x7f800000) == 0x7f800000 ? value : __uint_as_float((bits + 0x1000) & ~0x1fffu);
}

template <class T>
struct element {
    typedef T type;
};
template <>
struct element<precision::tf32> {
    typedef float type;
};

// The shapes that CUDA has for an operand type; the accumulator's type must fit it.
template <class T, int m, int n, int k>
constexpr bool has_shape = sizeof(typename element<T>::type) <= 2 &&
                           ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) && k == 16;
template <int m, int n, int k>
constexpr bool has_shape<precision::tf32, m, n, k> = m == 16 && n == 16 && k == 8;
template <int m, int n, int k>
constexpr bool has_shape<double, m, n, k> = m == 8 && n == 8 && k == 4;

constexpr unsigned char OK_UNSET = 0x7d;  // each byte: of float 2.1e37, of half a NaN

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
    static constexpr int rows = __is_same(Use, matrix_b) ? k : m;
    static constexpr int columns = __is_same(Use, matrix_a) ? k : n;
    static constexpr bool is_accumulator = __is_same(Use, accumulator);

public:
    typedef typename element<T>::type storage_element_type;
    typedef storage_element_type element_type;
    static_assert(is_accumulator || has_shape<T, m, n, k>, "the simulator has no wmma fragment of this shape and type");
    static constexpr int ok_rows = rows, ok_columns = columns;
    static constexpr bool ok_by_row = !__is_same(Layout, col_major), ok_tf32 = __is_same(T, precision::tf32);
    enum { num_elements = rows * columns / 32, num_storage_elements = num_elements };

    // Registers start with whatever they held: with a pattern that no arithmetic gives, so that their use is seen.
    __attribute__((always_inline)) inline fragment() { __builtin_memset(x, OK_UNSET, sizeof x); }

    storage_element_type x[num_elements];
    mutable storage_element_type ok_whole[is_accumulator ? 1 : rows * columns];  // by rows
};

namespace detail {
// Element i of a lane: consecutive lanes hold consecutive elements, so that a warp's access is coalesced.
OK_ALWAYS int index_of(int i, int lane) { return i * 32 + lane; }

template <class Fragment>
OK_ALWAYS size_t place(int index, unsigned stride, bool by_row) {
    const size_t row = index / Fragment::ok_columns, column = index % Fragment::ok_columns;
    return by_row ? row * stride + column : column * stride + row;
}

template <class Fragment, class T>
OK_ALWAYS void load(Fragment& fragment, const T* from, unsigned stride, bool by_row) {
    const int lane = __ok::ok_thread_rank() % 32;
    for (int i = 0; i < Fragment::num_elements; ++i)
        fragment.x[i] = from[place<Fragment>(index_of(i, lane), stride, by_row)];
}

// The tile as a whole, without a trace: the accesses that count are those of `load`.
template <class Fragment, class T>
__attribute__((noinline)) OK_QUIET void load_whole(Fragment& fragment, const T* from, unsigned stride, bool by_row) {
    for (int i = 0; i < Fragment::ok_rows * Fragment::ok_columns; ++i)
        fragment.ok_whole[i] = from[place<Fragment>(i, stride, by_row)];
}

// Bit for bit. Without memcmp, which g++ may call: a function of the host's is closed to kernels.
template <class T>
OK_ALWAYS bool is_same(const T& a, const T& b) {
    unsigned char of_a[sizeof(T)], of_b[sizeof(T)], apart = 0;
    __builtin_memcpy(of_a, &a, sizeof(T));
    __builtin_memcpy(of_b, &b, sizeof(T));
    for (unsigned i = 0; i < sizeof(T); ++i) apart |= of_a[i] ^ of_b[i];
    return !apart;
}

template <class Fragment>
__attribute__((noinline)) OK_QUIET bool is_as_loaded(const Fragment& fragment) {
    const int lane = __ok::ok_thread_rank() % 32;
    for (int i = 0; i < Fragment::num_elements; ++i)
        if (!is_same(fragment.x[i], fragment.ok_whole[index_of(i, lane)])) return false;
    return true;
}

// Where some lane changed its share after the load, the lanes tell each other.
template <class Fragment>
OK_ALWAYS void refresh(const Fragment& fragment, __ok::Site at) {
    if (__ok::ok_collective(__ok::BALLOT, 0xffffffffu, !is_as_loaded(fragment), 0, 32, 4, nullptr, at) == 0) return;
    for (int i = 0; i < Fragment::num_elements; ++i)
        for (int lane = 0; lane < 32; ++lane)
            fragment.ok_whole[index_of(i, lane)] = __ok::shuffle(__ok::SHFL_IDX, 0xffffffffu, fragment.x[i], lane, 32, at);
}

// Told where no element was ever set.
template <class Fragment>
__attribute__((noinline)) OK_QUIET void look_set(const Fragment& fragment, __ok::Site at) {
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(fragment.x);
    for (size_t i = 0; i < sizeof fragment.x; ++i)
        if (bytes[i] != OK_UNSET) return;
    __ok::ok_unset_fragment(at);
}

OK_ALWAYS void meet(__ok::Site at) { __ok::ok_collective(__ok::SYNC_WARP, 0xffffffffu, 0, 0, 32, 0, nullptr, at); }

template <class T>
OK_ALWAYS double number(T value) {
    return static_cast<double>(value);
}
OK_ALWAYS double number(__half value) { return __half2float(value); }
OK_ALWAYS double number(__nv_bfloat16 value) { return __bfloat162float(value); }
// A tf32 operand's low 13 bits are not read.
template <class Fragment>
OK_ALWAYS double operand(const Fragment& fragment, int index) {
    if constexpr (Fragment::ok_tf32)
        return __uint_as_float(__float_as_uint(fragment.ok_whole[index]) & ~0x1fffu);
    else
        return number(fragment.ok_whole[index]);
}
}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout, class Value>
OK_ALWAYS void fill_fragment(fragment<Use, m, n, k, T, Layout>& fragment, const Value& value) {
    for (auto& element : fragment.x) element = value;
    for (auto& element : fragment.ok_whole) element = value;
}

template <class Use, int m, int n, int k, class T, class Layout, class Source>
OK_ALWAYS void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& fragment, const Source* from, unsigned stride,
                                OK_AT) {
    static_assert(!__is_same(Use, accumulator), "an accumulator's load_matrix_sync takes a layout_t");
    constexpr bool by_row = wmma::fragment<Use, m, n, k, T, Layout>::ok_by_row;
    detail::meet(at);
    detail::load(fragment, from, stride, by_row);
    detail::load_whole(fragment, from, stride, by_row);
    detail::meet(at);
}
template <int m, int n, int k, class T, class Source>
OK_ALWAYS void load_matrix_sync(fragment<accumulator, m, n, k, T>& fragment, const Source* from, unsigned stride,
                                layout_t layout, OK_AT) {
    detail::meet(at);
    detail::load(fragment, from, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T, class Target>
OK_ALWAYS void store_matrix_sync(Target* to, const fragment<accumulator, m, n, k, T>& fragment, unsigned stride,
                                 layout_t layout, OK_AT) {
    using Fragment = wmma::fragment<accumulator, m, n, k, T>;
    const int lane = __ok::ok_thread_rank() % 32;
    detail::look_set(fragment, at);
    detail::meet(at);
    for (int i = 0; i < Fragment::num_elements; ++i)
        to[detail::place<Fragment>(detail::index_of(i, lane), stride, layout == mem_row_major)] = fragment.x[i];
    detail::meet(at);
}

namespace detail {
// The lane's share of a b + c; quiet, as the operands lie in registers.
template <class Result, class A, class B, class C>
__attribute__((noinline)) OK_QUIET void multiply(Result& d, const A& a, const B& b, const C& c) {
    constexpr int depth = A::ok_columns, columns = B::ok_columns;
    const int lane = __ok::ok_thread_rank() % 32;
    for (int i = 0; i < Result::num_elements; ++i) {
        const int row = index_of(i, lane) / columns, column = index_of(i, lane) % columns;
        double sum = number(c.x[i]);
        for (int j = 0; j < depth; ++j) sum += operand(a, row * depth + j) * operand(b, j * columns + column);
        d.x[i] = static_cast<typename Result::element_type>(sum);
    }
}
}  // namespace detail

// d = a b + c.
template <int m, int n, int k, class T, class ALayout, class BLayout, class Sum, class From>
OK_ALWAYS void mma_sync(fragment<accumulator, m, n, k, Sum>& d, const fragment<matrix_a, m, n, k, T, ALayout>& a,
                        const fragment<matrix_b, m, n, k, T, BLayout>& b, const fragment<accumulator, m, n, k, From>& c,
                        OK_AT) {
    detail::look_set(a, at);
    detail::look_set(b, at);
    detail::look_set(c, at);
    detail::refresh(a, at);
    detail::refresh(b, at);
    detail::multiply(d, a, b, c);
}

}  // namespace wmma
}  // namespace nvcuda
