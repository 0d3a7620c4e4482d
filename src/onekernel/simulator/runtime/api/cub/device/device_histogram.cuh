// cub::DeviceHistogram, on the host in the order of the samples.
// Source: CUB 3 (CUDA 13.0), cub/device/device_histogram.cuh, for the members; those of one channel.
#pragma once
#include "../../ok/device_calls.h"

namespace cub {

struct DeviceHistogram {
    // `num_levels` boundaries of `num_levels - 1` bins alike, the last boundary not included.
    template <class Samples, class Counter, class Level>
    static cudaError_t HistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples, Counter* d_histogram,
                                     int num_levels, Level lower_level, Level upper_level, long long num_samples,
                                     cudaStream_t stream = nullptr, OK_AT) {
        return histogram(d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels - 1, num_samples, stream, at, [=](auto sample) {
            if (!(sample >= lower_level && sample < upper_level)) return -1;
            if constexpr (std::is_integral_v<Level>)
                return static_cast<int>(static_cast<long long>(sample - lower_level) * (num_levels - 1) / static_cast<long long>(upper_level - lower_level));
            else
                return static_cast<int>((sample - lower_level) * (static_cast<Level>(num_levels - 1) / (upper_level - lower_level)));
        });
    }
    template <class Samples, class Counter, class Level>
    static cudaError_t HistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples, Counter* d_histogram,
                                      int num_levels, const Level* d_levels, long long num_samples, cudaStream_t stream = nullptr, OK_AT) {
        return histogram(d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels - 1, num_samples, stream, at, [=](auto sample) {
            int bin = -1;
            while (bin + 1 < num_levels && sample >= d_levels[bin + 1]) ++bin;
            return bin < num_levels - 1 ? bin : -1;
        });
    }

private:
    template <class Samples, class Counter, class Bin>
    static cudaError_t histogram(void* d_temp_storage, size_t& temp_storage_bytes, Samples samples, Counter* counts, int bins, long long n,
                                 cudaStream_t stream, __ok::Site at, Bin bin_of) {
        __ok::DeviceCall call("cub::DeviceHistogram", d_temp_storage, temp_storage_bytes, stream, at);
        if (!call.given("d_samples", samples).given("d_histogram", counts).begins()) return call.error();
        for (int i = 0; i < bins; ++i) counts[i] = 0;
        for (long long i = 0; i < n; ++i)
            if (const int bin = bin_of(samples[i]); bin >= 0 && bin < bins) counts[bin] += 1;
        return cudaSuccess;
    }
};

}  // namespace cub
