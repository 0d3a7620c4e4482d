// nvcuda::wmma: tensor-core tiles by function, not by hardware layout (CUDA C++ Programming Guide, "Warp Matrix
// Functions"). Each lane holds its share of a tile in x[], which elements CUDA leaves open; operands are also kept whole,
// so that a lane computes its share of the product alone. Products and sums are in double, rounded once an element.
// But: changing x[] of a matrix_a or matrix_b between its load and mma_sync is refused. Sub-byte types are not here.
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
constexpr bool has_shape = sizeof(typename element<T>::type) <= 2 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) && k == 16;
template <int m, int n, int k>
constexpr bool has_shape<precision::tf32, m, n, k> = m == 16 && n == 16 && k == 8;
template <int m, int n, int k>
constexpr bool has_shape<double, m, n, k> = m == 8 && n == 8 && k == 4;

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
    static constexpr bool ok_by_row = !__is_same(Layout, col_major);
    enum { num_elements = rows * columns / 32, num_storage_elements = num_elements };

    storage_element_type x[num_elements];
    storage_element_type ok_whole[is_accumulator ? 1 : rows * columns];  // by rows
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
    const int lane = ok::ok_thread_rank() % 32;
    for (int i = 0; i < Fragment::num_elements; ++i) fragment.x[i] = from[place<Fragment>(index_of(i, lane), stride, by_row)];
}

// The tile as a whole, without a trace: the accesses that count are those of `load`.
template <class Fragment, class T>
__attribute__((noinline)) OK_QUIET void load_whole(Fragment& fragment, const T* from, unsigned stride, bool by_row) {
    for (int i = 0; i < Fragment::ok_rows * Fragment::ok_columns; ++i) fragment.ok_whole[i] = from[place<Fragment>(i, stride, by_row)];
}

template <class Fragment>
OK_ALWAYS bool is_as_loaded(const Fragment& fragment) {
    const int lane = ok::ok_thread_rank() % 32;
    for (int i = 0; i < Fragment::num_elements; ++i)
        if (__builtin_memcmp(&fragment.x[i], &fragment.ok_whole[index_of(i, lane)], sizeof fragment.x[i]) != 0) return false;
    return true;
}

OK_ALWAYS void meet(ok::Site at) { ok::ok_collective(ok::SYNC_WARP, 0xffffffffu, 0, 0, 32, 0, nullptr, at); }

template <class T>
OK_ALWAYS double number(T value) { return static_cast<double>(value); }
OK_ALWAYS double number(__half value) { return __half2float(value); }
OK_ALWAYS double number(__nv_bfloat16 value) { return __bfloat162float(value); }
}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout, class Value>
OK_ALWAYS void fill_fragment(fragment<Use, m, n, k, T, Layout>& fragment, const Value& value) {
    for (auto& element : fragment.x) element = value;
    for (auto& element : fragment.ok_whole) element = value;
}

template <class Use, int m, int n, int k, class T, class Layout, class Source>
OK_ALWAYS void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& fragment, const Source* from, unsigned stride, OK_AT) {
    static_assert(!__is_same(Use, accumulator), "an accumulator's load_matrix_sync takes a layout_t");
    constexpr bool by_row = wmma::fragment<Use, m, n, k, T, Layout>::ok_by_row;
    detail::meet(at);
    detail::load(fragment, from, stride, by_row);
    detail::load_whole(fragment, from, stride, by_row);
    detail::meet(at);
}
template <int m, int n, int k, class T, class Source>
OK_ALWAYS void load_matrix_sync(fragment<accumulator, m, n, k, T>& fragment, const Source* from, unsigned stride, layout_t layout, OK_AT) {
    detail::meet(at);
    detail::load(fragment, from, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T, class Target>
OK_ALWAYS void store_matrix_sync(Target* to, const fragment<accumulator, m, n, k, T>& fragment, unsigned stride, layout_t layout, OK_AT) {
    using Fragment = wmma::fragment<accumulator, m, n, k, T>;
    const int lane = ok::ok_thread_rank() % 32;
    detail::meet(at);
    for (int i = 0; i < Fragment::num_elements; ++i)
        to[detail::place<Fragment>(detail::index_of(i, lane), stride, layout == mem_row_major)] = fragment.x[i];
    detail::meet(at);
}

// d = a b + c.
template <int m, int n, int k, class T, class ALayout, class BLayout, class Sum, class From>
OK_ALWAYS void mma_sync(fragment<accumulator, m, n, k, Sum>& d, const fragment<matrix_a, m, n, k, T, ALayout>& a,
                        const fragment<matrix_b, m, n, k, T, BLayout>& b, const fragment<accumulator, m, n, k, From>& c, OK_AT) {
    if (!detail::is_as_loaded(a) || !detail::is_as_loaded(b)) ok::trap("a wmma operand changed after it was loaded", at);
    detail::meet(at);
    const int lane = ok::ok_thread_rank() % 32;
    for (int i = 0; i < m * n / 32; ++i) {
        const int row = detail::index_of(i, lane) / n, column = detail::index_of(i, lane) % n;
        double sum = detail::number(c.x[i]);
        for (int j = 0; j < k; ++j) sum += detail::number(a.ok_whole[row * k + j]) * detail::number(b.ok_whole[j * n + column]);
        d.x[i] = static_cast<Sum>(sum);
    }
}

}  // namespace wmma
}  // namespace nvcuda
