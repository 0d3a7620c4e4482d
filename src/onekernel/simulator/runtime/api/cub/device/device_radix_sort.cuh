// cub::DeviceRadixSort: a stable sort on the host, by the bits that are asked for.
// Source: CUB 3 (CUDA 13.0), cub/device/device_radix_sort.cuh, for the members.
#pragma once
#include "../../ok/device_calls.h"
#include "../../ok/radix_keys.h"

namespace cub {

template <class T>
struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;
    DoubleBuffer() = default;
    DoubleBuffer(T* d_current, T* d_alternate) : d_buffers{d_current, d_alternate} {}
    T* Current() { return d_buffers[selector]; }
    T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
#define OK_RADIX(suffix, descending)                                                                                                    \
    template <class Key>                                                                                                                \
    static cudaError_t SortKeys##suffix(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in, Key* d_keys_out,        \
                                        long long num_items, int begin_bit = 0, int end_bit = 8 * sizeof(Key),                          \
                                        cudaStream_t stream = nullptr, OK_AT) {                                                         \
        return sort(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, static_cast<const char*>(nullptr),                       \
                    static_cast<char*>(nullptr), num_items, begin_bit, end_bit, descending, stream, at);                                \
    }                                                                                                                                   \
    template <class Key>                                                                                                                \
    static cudaError_t SortKeys##suffix(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,                    \
                                        long long num_items, int begin_bit = 0, int end_bit = 8 * sizeof(Key),                          \
                                        cudaStream_t stream = nullptr, OK_AT) {                                                         \
        const cudaError_t error = SortKeys##suffix(d_temp_storage, temp_storage_bytes, d_keys.Current(), d_keys.Alternate(), num_items, \
                                                   begin_bit, end_bit, stream, at);                                                     \
        if (d_temp_storage != nullptr) d_keys.selector ^= 1;                                                                            \
        return error;                                                                                                                   \
    }                                                                                                                                   \
    template <class Key, class Value>                                                                                                   \
    static cudaError_t SortPairs##suffix(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in, Key* d_keys_out,       \
                                         const Value* d_values_in, Value* d_values_out, long long num_items, int begin_bit = 0,         \
                                         int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr, OK_AT) {                         \
        return sort(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items, begin_bit,         \
                    end_bit, descending, stream, at);                                                                                   \
    }                                                                                                                                   \
    template <class Key, class Value>                                                                                                   \
    static cudaError_t SortPairs##suffix(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,                   \
                                         DoubleBuffer<Value>& d_values, long long num_items, int begin_bit = 0,                         \
                                         int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr, OK_AT) {                         \
        const cudaError_t error = SortPairs##suffix(d_temp_storage, temp_storage_bytes, d_keys.Current(), d_keys.Alternate(),           \
                                                    d_values.Current(), d_values.Alternate(), num_items, begin_bit, end_bit, stream, at); \
        if (d_temp_storage != nullptr) d_keys.selector ^= 1, d_values.selector ^= 1;                                                    \
        return error;                                                                                                                   \
    }
    OK_RADIX(, false)
    OK_RADIX(Descending, true)
#undef OK_RADIX

private:
    template <class Key, class Value>
    static cudaError_t sort(void* d_temp_storage, size_t& temp_storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
                            Value* values_out, long long n, int begin, int end, bool descending, cudaStream_t stream, __ok::Site at) {
        using Bits = typename __ok::RadixKey<Key>::Bits;
        __ok::DeviceCall call("cub::DeviceRadixSort", d_temp_storage, temp_storage_bytes, stream, at);
        call.given("d_keys_in", keys_in).given("d_keys_out", keys_out);
        if (values_in) call.given("d_values_in", values_in).given("d_values_out", values_out);
        if (!call.begins()) return call.error();
        struct Entry {
            Bits bits;
            long long from;
        };
        const Bits mask = end - begin >= int(8 * sizeof(Key)) ? Bits(~Bits(0)) : Bits(((Bits(1) << (end - begin)) - 1) << begin);
        std::vector<Entry> entries(static_cast<size_t>(n));
        for (long long i = 0; i < n; ++i) entries[i] = {__ok::RadixKey<Key>::bits(keys_in[i]), i};
        std::stable_sort(entries.begin(), entries.end(), [=](const Entry& a, const Entry& b) {
            return descending ? Bits(b.bits & mask) < Bits(a.bits & mask) : Bits(a.bits & mask) < Bits(b.bits & mask);
        });
        std::vector<Value> values(values_in ? static_cast<size_t>(n) : 0);
        for (long long i = 0; i < n && values_in; ++i) values[i] = values_in[entries[i].from];
        for (long long i = 0; i < n; ++i) {
            keys_out[i] = __ok::RadixKey<Key>::key(entries[i].bits);
            if (values_in) values_out[i] = values[i];
        }
        return cudaSuccess;
    }
};

}  // namespace cub
