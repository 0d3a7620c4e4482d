// What CUDA 12 and older called otherwise, or had and CUDA 13 has not: for whole programs, which were written for any of them.
// An exercise is held to CUDA 13. Source: CUDA Toolkit Release Notes, "Deprecated or Dropped Features".
#pragma once
#include "device_api.h"
#include "managed_api.h"
#include "stream_api.h"

enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
namespace __ok {
inline cudaMemLocation place_of(int device) {
    return device == cudaCpuDeviceId ? cudaMemLocation{cudaMemLocationTypeHost, 0} : cudaMemLocation{cudaMemLocationTypeDevice, device};
}
}  // namespace __ok
// Banks are four bytes wide on every card since compute capability 5.0: asked for or not.
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
template <class K>
inline cudaError_t cudaFuncSetSharedMemConfig(K, cudaSharedMemConfig) { return cudaSuccess; }

OK_GONE inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(pointer, bytes, __ok::place_of(device), 0, stream);
}
OK_GONE inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(pointer, bytes, advice, __ok::place_of(device));
}
OK_GONE inline cudaError_t cudaThreadExit(OK_AT) { return cudaDeviceReset(at); }
OK_GONE inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
template <class K>
inline cudaError_t cudaThreadSetCacheConfig(K) { return cudaSuccess; }
