// cub::DeviceSelect, on the host in the order of the items.
// Source: CUB 3 (CUDA 13.0), cub/device/device_select.cuh, for the members.
#pragma once
#include "../../ok/device_calls.h"

namespace cub {

struct DeviceSelect {
    template <class Input, class Output, class Count, class Selection>
    static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, Count d_num_selected_out,
                          long long num_items, Selection select_op, cudaStream_t stream = nullptr, OK_AT) {
        return select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items, stream, at,
                      [&](long long i) { return static_cast<bool>(select_op(d_in[i])); });
    }
    template <class Input, class Flags, class Output, class Count>
    static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Flags d_flags, Output d_out,
                               Count d_num_selected_out, long long num_items, cudaStream_t stream = nullptr, OK_AT) {
        return select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items, stream, at,
                      [&](long long i) { return static_cast<bool>(d_flags[i]); });
    }
    template <class Input, class Output, class Count>
    static cudaError_t Unique(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, Count d_num_selected_out,
                              long long num_items, cudaStream_t stream = nullptr, OK_AT) {
        return select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items, stream, at,
                      [&](long long i) { return i == 0 || !(d_in[i] == d_in[i - 1]); });
    }

private:
    template <class Input, class Output, class Count, class Chosen>
    static cudaError_t select(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, Count count, long long n,
                              cudaStream_t stream, __ok::Site at, Chosen chosen) {
        __ok::DeviceCall call("cub::DeviceSelect", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_in", d_in).given("d_out", d_out).given("d_num_selected_out", count).begins()) return call.error();
        std::vector<__ok::Item<Input>> kept;
        for (long long i = 0; i < n; ++i)
            if (chosen(i)) kept.push_back(d_in[i]);
        for (size_t i = 0; i < kept.size(); ++i) d_out[i] = kept[i];
        *count = static_cast<__ok::Item<Count>>(kept.size());
        return cudaSuccess;
    }
};

}  // namespace cub
