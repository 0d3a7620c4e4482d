// cub::DeviceReduce, on the host in the order of the items.
// Source: CUB 3 (CUDA 13.0), cub/device/device_reduce.cuh, for the members.
#pragma once
#include <limits>

#include "../../ok/cub_operations.h"
#include "../../ok/device_calls.h"
#include "../key_value_pair.cuh"

namespace cub {

struct DeviceReduce {
    template <class Input, class Output, class Operation, class T>
    static cudaError_t Reduce(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, long long num_items,
                              Operation reduction_op, T initial_value, cudaStream_t stream = nullptr, OK_AT) {
        __ok::DeviceCall call("cub::DeviceReduce", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_in", d_in).given("d_out", d_out).begins()) return call.error();
        T sum = initial_value;
        for (long long i = 0; i < num_items; ++i) sum = reduction_op(sum, static_cast<__ok::Item<Input>>(d_in[i]));
        *d_out = sum;
        return cudaSuccess;
    }
    template <class Input, class Output>
    static cudaError_t Sum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, long long num_items,
                           cudaStream_t stream = nullptr, OK_AT) {
        return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, __ok::Plus(), __ok::Item<Input>(), stream, at);
    }
    template <class Input, class Output>
    static cudaError_t Min(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, long long num_items,
                           cudaStream_t stream = nullptr, OK_AT) {
        return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, __ok::Minimum(),
                      std::numeric_limits<__ok::Item<Input>>::max(), stream, at);
    }
    template <class Input, class Output>
    static cudaError_t Max(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, long long num_items,
                           cudaStream_t stream = nullptr, OK_AT) {
        return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, __ok::Maximum(),
                      std::numeric_limits<__ok::Item<Input>>::lowest(), stream, at);
    }
    template <class Input, class Output>
    static cudaError_t ArgMin(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, int num_items,
                              cudaStream_t stream = nullptr, OK_AT) {
        return extreme(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, stream, at, [](auto a, auto b) { return a < b; });
    }
    template <class Input, class Output>
    static cudaError_t ArgMax(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, int num_items,
                              cudaStream_t stream = nullptr, OK_AT) {
        return extreme(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, stream, at, [](auto a, auto b) { return b < a; });
    }

private:
    template <class Input, class Output, class Before>
    static cudaError_t extreme(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, int num_items,
                               cudaStream_t stream, __ok::Site at, Before before) {
        __ok::DeviceCall call("cub::DeviceReduce", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_in", d_in).given("d_out", d_out).begins()) return call.error();
        int best = 0;
        for (int i = 1; i < num_items; ++i)
            if (before(static_cast<__ok::Item<Input>>(d_in[i]), static_cast<__ok::Item<Input>>(d_in[best]))) best = i;
        if (num_items > 0) *d_out = {best, d_in[best]};
        return cudaSuccess;
    }
};

}  // namespace cub
