// What NVIDIA's samples call to check for errors and choose a card, ours: written from how the samples use it.
#pragma once
#include <cstdio>
#include <cstdlib>

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

// Any library's status is 0 where all is well.
template <class T>
inline void check(T result, const char* call, const char* file, int line) {
    if (result == T{}) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line, static_cast<int>(result), call);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void ok_last_error(const char* message, const char* file, int line, bool leave) {
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%d): CUDA error: %s: (%d) %s\n", file, line, message, static_cast<int>(error), cudaGetErrorString(error));
    if (leave) exit(EXIT_FAILURE);
}
#define getLastCudaError(message) ok_last_error(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) ok_last_error(message, __FILE__, __LINE__, false)

inline int ftoi(float value) { return static_cast<int>(value >= 0 ? value + 0.5f : value - 0.5f); }

// Cores for fp32 of a multiprocessor (CUDA C++ Programming Guide, "Arithmetic Instructions").
inline int _ConvertSMVer2Cores(int major, int minor) {
    return major < 5 ? 192 : major == 5 ? 128 : major == 6 ? (minor ? 128 : 64) : major == 7 ? 64 : major == 8 && minor == 0 ? 64 : 128;
}
inline const char* _ConvertSMVer2ArchName(int major, int) {
    return major == 5 ? "Maxwell" : major == 6 ? "Pascal" : major == 7 ? "Volta" : major == 8 ? "Ampere" : major == 9 ? "Hopper" : "Graphics Device";
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int, const char**) {
    cudaDeviceProp properties;
    checkCudaErrors(cudaSetDevice(0));
    checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
    printf("GPU Device 0: \"%s\" with compute capability %d.%d\n\n", _ConvertSMVer2ArchName(properties.major, properties.minor),
           properties.major, properties.minor);
    return 0;
}
inline int gpuDeviceInit(int device) {
    if (cudaSetDevice(device) != cudaSuccess) return -1;
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("gpuDeviceInit() CUDA Device [%d]: \"%s\n", device, _ConvertSMVer2ArchName(properties.major, properties.minor));
    return device;
}
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
    const bool able = properties.major > major || (properties.major == major && properties.minor >= minor);
    if (able)
        printf("  Device 0: <%16s >, Compute SM %d.%d detected\n", _ConvertSMVer2ArchName(properties.major, properties.minor),
               properties.major, properties.minor);
    else
        printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
    return able;
}
