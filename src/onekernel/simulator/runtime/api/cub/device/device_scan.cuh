// cub::DeviceScan, on the host in the order of the items. Input and output may be one.
// Source: CUB 3 (CUDA 13.0), cub/device/device_scan.cuh, for the members.
#pragma once
#include "../../ok/cub_operations.h"

#include "../../ok/device_calls.h"

namespace cub {

struct DeviceScan {
    template <class Input, class Output, class Operation, class T>
    static cudaError_t ExclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, Operation scan_op,
                                     T init_value, long long num_items, cudaStream_t stream = nullptr, OK_AT) {
        __ok::DeviceCall call("cub::DeviceScan", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_in", d_in).given("d_out", d_out).begins()) return call.error();
        T running = init_value;
        for (long long i = 0; i < num_items; ++i) {
            const T item = d_in[i];
            d_out[i] = running;
            running = scan_op(running, item);
        }
        return cudaSuccess;
    }
    template <class Input, class Output, class Operation>
    static cudaError_t InclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, Operation scan_op,
                                     long long num_items, cudaStream_t stream = nullptr, OK_AT) {
        __ok::DeviceCall call("cub::DeviceScan", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_in", d_in).given("d_out", d_out).begins()) return call.error();
        __ok::Item<Input> running{};
        for (long long i = 0; i < num_items; ++i) {
            running = i == 0 ? __ok::Item<Input>(d_in[i]) : scan_op(running, static_cast<__ok::Item<Input>>(d_in[i]));
            d_out[i] = running;
        }
        return cudaSuccess;
    }
    template <class Input, class Output>
    static cudaError_t ExclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, long long num_items,
                                    cudaStream_t stream = nullptr, OK_AT) {
        return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out, __ok::Plus(), __ok::Item<Input>(), num_items, stream, at);
    }
    template <class Input, class Output>
    static cudaError_t InclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, long long num_items,
                                    cudaStream_t stream = nullptr, OK_AT) {
        return InclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out, __ok::Plus(), num_items, stream, at);
    }
};

}  // namespace cub
