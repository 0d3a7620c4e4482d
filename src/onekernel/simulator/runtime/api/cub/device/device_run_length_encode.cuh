// cub::DeviceRunLengthEncode::Encode, on the host in the order of the items.
// Source: CUB 3 (CUDA 13.0), cub/device/device_run_length_encode.cuh, for the members.
#pragma once
#include "../../ok/device_calls.h"

namespace cub {

struct DeviceRunLengthEncode {
    template <class Input, class Unique, class Lengths, class Count>
    static cudaError_t Encode(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Unique d_unique_out, Lengths d_counts_out,
                              Count d_num_runs_out, long long num_items, cudaStream_t stream = nullptr, OK_AT) {
        __ok::DeviceCall call("cub::DeviceRunLengthEncode", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_in", d_in).given("d_unique_out", d_unique_out).given("d_counts_out", d_counts_out)
                 .given("d_num_runs_out", d_num_runs_out).begins())
            return call.error();
        long long runs = 0;
        for (long long i = 0, first = 0; i < num_items; ++i) {
            if (i + 1 < num_items && d_in[i + 1] == d_in[first]) continue;
            d_unique_out[runs] = d_in[first];
            d_counts_out[runs++] = static_cast<__ok::Item<Lengths>>(i + 1 - first);
            first = i + 1;
        }
        *d_num_runs_out = static_cast<__ok::Item<Count>>(runs);
        return cudaSuccess;
    }
};

}  // namespace cub
