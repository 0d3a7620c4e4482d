// Thrust's algorithms on device memory: each runs as Thrust's own sequential code, while that memory is open to the host.
// The device system `simulated` is Thrust's system `cpp` under another name (compilation/thrust.py), so that a pointer of the
// host is told from one of the device, as with a GPU.
#pragma once
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/system_error.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/unique.h>

#include <utility>

#include "libraries.h"

namespace __ok {
struct DeviceWork {
    OK_QUIET DeviceWork() { ok_library_work(true); }
    OK_QUIET ~DeviceWork() { ok_library_work(false); }
};
}  // namespace __ok

THRUST_NAMESPACE_BEGIN
namespace system::simulated::detail {

#define OK_ALGORITHM(name)                                                            \
    template <class Policy, class... Arguments>                                       \
    auto name(execution_policy<Policy>&, Arguments&&... arguments) {                  \
        ::__ok::DeviceWork work;                                                      \
        return ::thrust::name(::thrust::seq, std::forward<Arguments>(arguments)...);  \
    }
OK_ALGORITHM(adjacent_difference) OK_ALGORITHM(binary_search) OK_ALGORITHM(lower_bound) OK_ALGORITHM(upper_bound)
OK_ALGORITHM(equal_range) OK_ALGORITHM(copy) OK_ALGORITHM(copy_n) OK_ALGORITHM(copy_if) OK_ALGORITHM(count) OK_ALGORITHM(count_if)
OK_ALGORITHM(equal) OK_ALGORITHM(min_element) OK_ALGORITHM(max_element) OK_ALGORITHM(minmax_element) OK_ALGORITHM(fill)
OK_ALGORITHM(fill_n) OK_ALGORITHM(find) OK_ALGORITHM(find_if) OK_ALGORITHM(find_if_not) OK_ALGORITHM(for_each)
OK_ALGORITHM(for_each_n) OK_ALGORITHM(gather) OK_ALGORITHM(gather_if) OK_ALGORITHM(generate) OK_ALGORITHM(generate_n)
OK_ALGORITHM(inner_product) OK_ALGORITHM(all_of) OK_ALGORITHM(any_of) OK_ALGORITHM(none_of) OK_ALGORITHM(merge)
OK_ALGORITHM(merge_by_key) OK_ALGORITHM(mismatch) OK_ALGORITHM(partition) OK_ALGORITHM(partition_copy)
OK_ALGORITHM(stable_partition) OK_ALGORITHM(stable_partition_copy) OK_ALGORITHM(partition_point) OK_ALGORITHM(is_partitioned)
OK_ALGORITHM(reduce) OK_ALGORITHM(reduce_by_key) OK_ALGORITHM(remove) OK_ALGORITHM(remove_copy) OK_ALGORITHM(remove_if)
OK_ALGORITHM(remove_copy_if) OK_ALGORITHM(replace) OK_ALGORITHM(replace_if) OK_ALGORITHM(replace_copy) OK_ALGORITHM(replace_copy_if)
OK_ALGORITHM(reverse) OK_ALGORITHM(reverse_copy) OK_ALGORITHM(inclusive_scan) OK_ALGORITHM(exclusive_scan)
OK_ALGORITHM(inclusive_scan_by_key) OK_ALGORITHM(exclusive_scan_by_key) OK_ALGORITHM(scatter) OK_ALGORITHM(scatter_if)
OK_ALGORITHM(sequence) OK_ALGORITHM(set_difference) OK_ALGORITHM(set_difference_by_key) OK_ALGORITHM(set_intersection)
OK_ALGORITHM(set_intersection_by_key) OK_ALGORITHM(set_symmetric_difference) OK_ALGORITHM(set_symmetric_difference_by_key)
OK_ALGORITHM(set_union) OK_ALGORITHM(set_union_by_key) OK_ALGORITHM(shuffle) OK_ALGORITHM(shuffle_copy) OK_ALGORITHM(sort)
OK_ALGORITHM(sort_by_key) OK_ALGORITHM(stable_sort) OK_ALGORITHM(stable_sort_by_key) OK_ALGORITHM(is_sorted)
OK_ALGORITHM(is_sorted_until) OK_ALGORITHM(swap_ranges) OK_ALGORITHM(tabulate) OK_ALGORITHM(transform) OK_ALGORITHM(transform_if)
OK_ALGORITHM(transform_reduce) OK_ALGORITHM(transform_inclusive_scan) OK_ALGORITHM(transform_exclusive_scan)
OK_ALGORITHM(uninitialized_copy) OK_ALGORITHM(uninitialized_copy_n) OK_ALGORITHM(uninitialized_fill) OK_ALGORITHM(uninitialized_fill_n)
OK_ALGORITHM(unique) OK_ALGORITHM(unique_copy) OK_ALGORITHM(unique_by_key) OK_ALGORITHM(unique_by_key_copy) OK_ALGORITHM(unique_count)
#undef OK_ALGORITHM

// One element, of a reference into device memory.
template <class Policy, class Pointer>
auto get_value(execution_policy<Policy>&, Pointer pointer) {
    ::__ok::DeviceWork work;
    return typename ::thrust::iterator_value<Pointer>::type(*::thrust::raw_pointer_cast(pointer));
}
template <class Policy, class To, class From>
void assign_value(execution_policy<Policy>&, To to, From from) {
    ::__ok::DeviceWork work;
    *::thrust::raw_pointer_cast(to) = *::thrust::raw_pointer_cast(from);
}
template <class Policy, class A, class B>
void iter_swap(execution_policy<Policy>&, A a, B b) {
    ::__ok::DeviceWork work;
    auto kept = *::thrust::raw_pointer_cast(a);
    *::thrust::raw_pointer_cast(a) = *::thrust::raw_pointer_cast(b);
    *::thrust::raw_pointer_cast(b) = kept;
}
template <class Policy>
void* malloc(execution_policy<Policy>&, std::size_t bytes) {
    void* pointer = nullptr;
    return bytes != 0 && ::__ok::ok_library_alloc(&pointer, bytes, false) != 0 ? nullptr : pointer;
}
template <class Policy, class Pointer>
void free(execution_policy<Policy>&, Pointer pointer) {
    ::__ok::ok_library_free(::thrust::raw_pointer_cast(pointer));
}

// Where the host and the device meet, in a copy, the device works.
template <class A, class B>
tag& select_system(const execution_policy<A>&, const ::thrust::cpp::execution_policy<B>&) {
    static tag device;
    return device;
}
template <class A, class B>
tag& select_system(const ::thrust::cpp::execution_policy<A>&, const execution_policy<B>&) {
    static tag device;
    return device;
}

}  // namespace system::simulated::detail
THRUST_NAMESPACE_END
