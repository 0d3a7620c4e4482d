// cooperative_groups::memcpy_async, wait and wait_prior.
#pragma once
#include "../cooperative_groups.h"
#include "../cuda/ok_shapes.h"
#include "../ok/async_copy.h"

namespace cooperative_groups {

template <class Group, class To, class From, class Size>
OK_ALWAYS void memcpy_async(const Group& group, To* to, const From* from, Size bytes, OK_AT) {
    __ok::copy_by_group(group.thread_rank(), group.size(), to, from, bytes, cuda::promised(bytes), at);
    __ok::ok_copies_closed();
}
// With the elements that either side has: the smaller number of them is copied.
template <class Group, class T>
OK_ALWAYS void memcpy_async(const Group& group, T* to, size_t room, const T* from, size_t count, OK_AT) {
    memcpy_async(group, to, from, (room < count ? room : count) * sizeof(T), at);
}
// Each copy is a stage. Waiting for a group's copies includes a barrier of the group.
template <class Group>
OK_ALWAYS void wait(const Group& group, OK_AT) {
    __ok::ok_copies_waited(0);
    group.sync(at);
}
template <unsigned stages, class Group>
OK_ALWAYS void wait_prior(const Group& group, OK_AT) {
    __ok::ok_copies_waited(stages);
    group.sync(at);
}

}  // namespace cooperative_groups
