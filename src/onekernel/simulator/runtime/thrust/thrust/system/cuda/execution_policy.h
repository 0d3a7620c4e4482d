// thrust::cuda::par and its streams, on the simulator's device: work is done when its call returns, whatever the stream.
#pragma once
#include <thrust/system/simulated/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {
struct par_t : simulated::detail::par_t {
    const par_t& on(CUstream_st*) const { return *this; }
};
inline const par_t par{}, par_nosync{};
}  // namespace system::cuda
namespace cuda {
using system::cuda::par;
using system::cuda::par_nosync;
}  // namespace cuda
THRUST_NAMESPACE_END
