// What CUB's device-wide algorithms have in common: their two calls, and their work on the host while device memory is open.
#pragma once
#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

#include "../cuda_runtime.h"
#include "libraries.h"

namespace __ok {
template <class Iterator>
using Item = typename std::iterator_traits<Iterator>::value_type;

// The first call, without storage, asks how much is needed; the second one works. Pointers are checked: one byte of each.
class DeviceCall {
public:
    OK_QUIET DeviceCall(const char* function, void* storage, size_t& bytes, cudaStream_t stream, Site at) : call_{function, stream, at} {
        if (storage == nullptr) {
            bytes = 256;
            return;
        }
        works_ = true;
        operand("d_temp_storage", storage, static_cast<long long>(bytes), true);
        if (bytes < 256) {
            ok_library_refused(&call_, "cudaErrorInvalidValue", "least", "temp_storage_bytes", static_cast<long long>(bytes), 256);
            error_ = cudaErrorInvalidValue;
        }
    }
    OK_QUIET ~DeviceCall() {
        if (opened_) ok_library_work(false);
    }
    template <class Iterator>
    OK_QUIET DeviceCall& given(const char* name, Iterator iterator) {
        if constexpr (std::is_pointer_v<Iterator>) operand(name, iterator, 1, false);
        return *this;
    }
    // Whether the work is to be done now; device memory is open from here to the end of the call.
    OK_QUIET bool begins() {
        if (!works_ || error_ != cudaSuccess) return false;
        ok_library_work(true);
        return opened_ = true;
    }
    OK_QUIET cudaError_t error() const { return error_ == cudaSuccess ? cudaSuccess : fail(error_); }

private:
    OK_QUIET void operand(const char* name, const void* pointer, long long bytes, bool writes) {
        const Operand o{name, pointer, 1, bytes, 1, INT8, false, writes};
        if (works_ && error_ == cudaSuccess && !ok_library_operands(&call_, &o, 1)) error_ = cudaErrorInvalidValue;
    }
    LibraryCall call_;
    bool works_ = false, opened_ = false;
    cudaError_t error_ = cudaSuccess;
};
}  // namespace __ok
