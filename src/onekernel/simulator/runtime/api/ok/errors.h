// cudaError_t: values, names and sentences of the CUDA 13.0 runtime ("Data types used by CUDA Runtime", cudaError).
// Errors of features that the simulator does not have (graphics, PTX loading, MPS, NVLink) are left out.
#pragma once
#include "core.h"

#define OK_ERRORS(X)                                                                                   \
    X(InvalidValue, 1, "invalid argument")                                                             \
    X(MemoryAllocation, 2, "out of memory")                                                            \
    X(InitializationError, 3, "initialization error")                                                  \
    X(CudartUnloading, 4, "driver shutting down")                                                      \
    X(InvalidConfiguration, 9, "invalid configuration argument")                                       \
    X(InvalidPitchValue, 12, "invalid pitch argument")                                                 \
    X(InvalidSymbol, 13, "invalid device symbol")                                                      \
    X(InvalidHostPointer, 16, "invalid host pointer")                                                  \
    X(InvalidDevicePointer, 17, "invalid device pointer")                                              \
    X(InvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                 \
    X(InvalidFilterSetting, 26, "linear filtering not supported for non-float type")                   \
    X(InvalidNormSetting, 27, "read as normalized float not supported for 32-bit non float type")      \
    X(InsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")          \
    X(DevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")                     \
    X(MissingConfiguration, 52, "__global__ function call is not configured")                          \
    X(PriorLaunchFailure, 53, "unspecified launch failure in prior launch")                            \
    X(InvalidDeviceFunction, 98, "invalid device function")                                            \
    X(NoDevice, 100, "no CUDA-capable device is detected")                                             \
    X(InvalidDevice, 101, "invalid device ordinal")                                                    \
    X(InvalidKernelImage, 200, "device kernel image is invalid")                                       \
    X(DeviceUninitialized, 201, "invalid device context")                                              \
    X(NoKernelImageForDevice, 209, "no kernel image is available for execution on the device")         \
    X(ECCUncorrectable, 214, "uncorrectable ECC error encountered")                                    \
    X(UnsupportedLimit, 215, "limit is not supported on this architecture")                            \
    X(PeerAccessUnsupported, 217, "peer access is not supported between these two devices")            \
    X(InvalidPtx, 218, "a PTX JIT compilation failed")                                                 \
    X(UnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.")      \
    X(InvalidSource, 300, "device kernel image is invalid")                                            \
    X(FileNotFound, 301, "file not found")                                                             \
    X(OperatingSystem, 304, "OS call failed or operation not supported on this OS")                    \
    X(InvalidResourceHandle, 400, "invalid resource handle")                                           \
    X(IllegalState, 401, "the operation cannot be performed in the present state")                     \
    X(SymbolNotFound, 500, "named symbol not found")                                                   \
    X(NotReady, 600, "device not ready")                                                               \
    X(IllegalAddress, 700, "an illegal memory access was encountered")                                 \
    X(LaunchOutOfResources, 701, "too many resources requested for launch")                            \
    X(LaunchTimeout, 702, "the launch timed out and was terminated")                                   \
    X(PeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                 \
    X(PeerAccessNotEnabled, 705, "peer access has not been enabled")                                   \
    X(Assert, 710, "device-side assert triggered")                                                     \
    X(HostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    X(HostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")       \
    X(HardwareStackError, 714, "hardware stack error")                                                 \
    X(IllegalInstruction, 715, "an illegal instruction was encountered")                               \
    X(MisalignedAddress, 716, "misaligned address")                                                    \
    X(InvalidAddressSpace, 717, "operation not supported on global/shared address space")              \
    X(InvalidPc, 718, "invalid program counter")                                                       \
    X(LaunchFailure, 719, "unspecified launch failure")                                                \
    X(CooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                         \
    X(NotPermitted, 800, "operation not permitted")                                                    \
    X(NotSupported, 801, "operation not supported")                                                    \
    X(SystemNotReady, 802, "system not yet initialized")                                               \
    X(StreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")               \
    X(StreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")        \
    X(StreamCaptureUnjoined, 904, "capturing stream has unjoined work")                                \
    X(StreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream")\
    X(CapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")   \
    X(Timeout, 909, "wait operation timed out")                                                        \
    X(GraphExecUpdateFailure, 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update")\
    X(InvalidClusterSize, 912, "a kernel launch error has occurred due to cluster misconfiguration")   \
    X(Unknown, 999, "unknown error")

enum [[nodiscard]] cudaError {  // g++ tells where a program does not look at one: compilation/warnings.py
    cudaSuccess = 0,
#define OK_ERROR(name, value, text) cudaError##name = value,
    OK_ERRORS(OK_ERROR)
#undef OK_ERROR
};
typedef enum cudaError cudaError_t;

OK_LIBRARY_HOST_ONLY inline const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess: return "cudaSuccess";
#define OK_ERROR(name, value, text) \
    case cudaError##name: return "cudaError" #name;
            OK_ERRORS(OK_ERROR)
#undef OK_ERROR
    }
    return "unrecognized error code";
}

OK_LIBRARY_HOST_ONLY inline const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess: return "no error";
#define OK_ERROR(name, value, text) \
    case cudaError##name: return text;
            OK_ERRORS(OK_ERROR)
#undef OK_ERROR
    }
    return "unrecognized error code";
}

namespace __ok {
// What an API call returns: a failure is remembered for cudaGetLastError.
inline cudaError_t fail(cudaError_t error) { return static_cast<cudaError_t>(ok_fail(error)); }
inline cudaError_t result(int error) { return static_cast<cudaError_t>(error); }
// A kernel's fault spoils the context: every later call of the runtime returns it.
inline bool is_fault(int error) {
    return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout || (error >= 710 && error <= 719);
}
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetLastError() { return __ok::result(__ok::ok_error(true)); }
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaPeekAtLastError() { return __ok::result(__ok::ok_error(false)); }
