// Streams and events. Work is done when its call returns, in the order of the calls: one order that CUDA allows. Whether
// CUDA might have chosen another is told by ok_stream_order.
#pragma once
#include "memory_api.h"

struct CUevent_st {
    bool timed, recorded;
};
typedef CUevent_st* cudaEvent_t;
typedef void (*cudaHostFn_t)(void*);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
                   cudaEventInterprocess = 4;

namespace __ok {
// What synchronising tells: the fault of a kernel, if there was one. Other errors are cudaGetLastError's alone.
inline cudaError_t synchronize() {
    const int error = ok_fault();
    return is_fault(error) ? result(error) : cudaSuccess;
}
// Waiting for a stream that is captured, or for all while one is.
inline bool forbidden(const volatile void* stream, bool any, cudaError_t& error) {
    error = static_cast<cudaError_t>(ok_capture_forbids(stream, any));
    return error != cudaSuccess && fail(error) != cudaSuccess;
}
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceSynchronize() {
    if (cudaError_t error; __ok::forbidden(nullptr, true, error)) return error;
    __ok::ok_stream_order(__ok::JOIN_DEVICE, nullptr, nullptr);
    return __ok::synchronize();
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return __ok::fail(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags, priority};
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamDestroy(cudaStream_t stream, OK_AT) {
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return __ok::fail(cudaErrorInvalidResourceHandle);
    return __ok::result(__ok::ok_stream_destroyed(stream, at));  // the object stays, so that no other has its address
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    *flags = reinterpret_cast<uintptr_t>(stream) <= 2 ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = reinterpret_cast<uintptr_t>(stream) <= 2 ? 0 : stream->priority;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (cudaError_t error; __ok::forbidden(stream, false, error)) return error;
    __ok::ok_stream_order(__ok::JOIN_STREAM, stream, nullptr);
    return __ok::synchronize();
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return __ok::ok_is_done(stream, nullptr) ? cudaStreamSynchronize(stream) : cudaErrorNotReady;
}
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    if (status == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *status = static_cast<cudaStreamCaptureStatus>(__ok::ok_capture_status(stream));
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
    if (event == nullptr) return __ok::fail(cudaErrorInvalidResourceHandle);
    if (!__ok::ok_capture_event(stream, event, false)) __ok::ok_stream_order(__ok::WAIT_EVENT, stream, event);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data, OK_AT) {
    if (function == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (const int how = __ok::ok_capturing(stream)) {
        if (how > 0) return __ok::fail(static_cast<cudaError_t>(how));
        return __ok::kept(stream, [=](cudaStream_t now) { (void)cudaLaunchHostFunc(now, function, data, at); });
    }
    if (!__ok::ok_may_call_host("a function of the host in the body of a conditional node", at)) return cudaErrorNotSupported;
    __ok::ok_stream_work("cudaLaunchHostFunc", "cudaLaunchHostFunc(stream, ...)", stream, nullptr, 0, at);
    __ok::ok_stream_order(__ok::JOIN_STREAM, stream, nullptr);  // what ended before is the function's, and of whom it tells
    function(data);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned,
                                         OK_AT) {
    if (function == nullptr) return __ok::fail(cudaErrorInvalidValue);
    __ok::ok_stream_work("cudaStreamAddCallback", "cudaStreamAddCallback(stream, ...)", stream, nullptr, 0, at);
    __ok::ok_stream_order(__ok::JOIN_STREAM, stream, nullptr);
    function(stream, __ok::synchronize(), data);
    return cudaSuccess;
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    if (event == nullptr || flags > 7) return __ok::fail(cudaErrorInvalidValue);
    *event = new CUevent_st{(flags & cudaEventDisableTiming) == 0, false};
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
    return cudaEventCreateWithFlags(event, flags);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (event == nullptr) return __ok::fail(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    if (event == nullptr) return __ok::fail(cudaErrorInvalidResourceHandle);
    if (!__ok::ok_capture_event(stream, event, true)) __ok::ok_stream_order(__ok::RECORD_EVENT, stream, event);
    event->recorded = true;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (event == nullptr) return __ok::fail(cudaErrorInvalidResourceHandle);
    if (const int error = __ok::ok_capture_waits_for(event)) return __ok::fail(static_cast<cudaError_t>(error));
    __ok::ok_stream_order(__ok::JOIN_EVENT, nullptr, event);
    return __ok::synchronize();
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    return event == nullptr || __ok::ok_is_done(nullptr, event) ? cudaEventSynchronize(event) : cudaErrorNotReady;
}
// Not a number: how long the simulator took says nothing about a GPU, and nobody should divide by it.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end, OK_AT) {
    if (milliseconds == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const cudaEvent_t events[] = {start, end};
    for (const cudaEvent_t event : events)
        if (event == nullptr || !event->timed || !event->recorded) return __ok::fail(cudaErrorInvalidResourceHandle);
    if (!__ok::ok_time_asked(start, end, at)) return __ok::fail(cudaErrorNotReady);
    *milliseconds = __builtin_nanf("");
    return cudaSuccess;
}
