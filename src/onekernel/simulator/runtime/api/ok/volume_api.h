// CUDA arrays of three dimensions and of layers, and copies and fills of boxes: cudaMemcpy3D and its kin, between rows with a
// pitch and arrays (CUDA Runtime API, "Memory Management"). A box is as many copies of planes as it is deep.
#pragma once
#include "texture_api.h"

struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* ptr, size_t pitch, size_t xsize, size_t ysize) { return {ptr, pitch, xsize, ysize}; }

namespace __ok {
// One side of a copy, as its box begins; false where the box does not lie in it, which is told of rows.
inline bool box_of(const cudaArray* array, const cudaPos& pos, const cudaPitchedPtr& rows, const cudaExtent& bytes, bool writes, Site at,
                   RowsAt& out) {
    if ((array == nullptr) == (rows.ptr == nullptr)) return false;  // the one or the other
    if (array == nullptr) {
        const size_t plane = rows.pitch * rows.ysize;
        out = {static_cast<char*>(rows.ptr) + pos.x + pos.y * rows.pitch + pos.z * plane, rows.pitch, plane};
        if (bytes.height == 1 && bytes.depth == 1 && out.pitch < bytes.width) out.pitch = bytes.width;
        return bytes.depth <= 1 || pos.y + bytes.height <= rows.ysize || !ok_low_planes(pos.y + bytes.height, rows.ysize, writes, at);
    }
    const size_t row = array->ok_row(), x = pos.x * (row / array->width), high = array->ok_rows(), deep = array->ok_planes();
    out = {array->data + pos.z * array->ok_plane() + pos.y * row + x, row, array->ok_plane()};
    return x <= row && bytes.width <= row - x && pos.y <= high && bytes.height <= high - pos.y && pos.z <= deep && bytes.depth <= deep - pos.z;
}
inline cudaError_t copy_box(const Queue& queue, bool host_waits, const cudaMemcpy3DParms* p) {
    if (p == nullptr) return fail(cudaErrorInvalidValue);
    cudaExtent bytes = p->extent;
    if (const cudaArray* array = p->srcArray ? p->srcArray : p->dstArray) bytes.width *= array->ok_row() / array->width;
    if (bytes.width == 0 || bytes.height == 0 || bytes.depth == 0) return cudaSuccess;
    RowsAt from{}, to{};
    if (!box_of(p->srcArray, p->srcPos, p->srcPtr, bytes, false, queue.at, from) ||
        !box_of(p->dstArray, p->dstPos, p->dstPtr, bytes, true, queue.at, to))
        return fail(cudaErrorInvalidValue);
    if (const int error = ok_rows(&to, &from, bytes.width, bytes.height, bytes.depth, queue.at)) return result(error);
    const auto plane = [](const RowsAt& side, size_t z) { return static_cast<char*>(const_cast<void*>(side.first)) + z * side.plane; };
    for (size_t z = 0; z < bytes.depth; ++z)
        if (const cudaError_t error = queued_copy(queue, host_waits, plane(to, z), to.pitch, plane(from, z), from.pitch, bytes.width,
                                                  bytes.height, p->kind))
            return error;
    return cudaSuccess;
}
inline cudaError_t fill_box(const Queue& queue, const cudaPitchedPtr& rows, int value, const cudaExtent& extent) {
    if (rows.ptr == nullptr) return fail(cudaErrorInvalidValue);
    for (size_t z = 0; z < extent.depth; ++z) {
        char* plane = static_cast<char*>(rows.ptr) + z * rows.pitch * rows.ysize;
        if (const cudaError_t error = queued_fill(queue, plane, rows.pitch, value, extent.width, extent.height)) return error;
    }
    return cudaSuccess;
}
}  // namespace __ok

// One, two or three dimensions, by which extents are 0; of layers the depth says how many there are.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent size,
                                                          unsigned flags = 0, OK_AT) {
    const bool layered = flags & cudaArrayLayered;
    if (flags & cudaArrayCubemap) {
        __ok::ok_unsupported("cudaArrayCubemap", at);
        return __ok::fail(cudaErrorNotSupported);
    }
    const bool gathers = flags & cudaArrayTextureGather;  // two dimensions alone
    if ((layered ? size.depth == 0 : size.depth != 0 && size.height == 0) || (gathers && (size.height == 0 || size.depth != 0)))
        return __ok::fail(cudaErrorInvalidValue);
    return __ok::array_made(array, desc, size, flags, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent, OK_AT) {
    if (made == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *made = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&made->ptr, &made->pitch, extent.width, extent.height * extent.depth, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p, OK_AT) {
    return __ok::copy_box({"cudaMemcpy3D", "cudaMemcpy3DAsync(..., stream)", nullptr, at}, true, p);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = nullptr, OK_AT) {
    return __ok::copy_box({"cudaMemcpy3DAsync", "cudaMemcpy3DAsync(..., stream)", stream, at}, false, p);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemset3D(cudaPitchedPtr rows, int value, cudaExtent extent, OK_AT) {
    return __ok::fill_box({"cudaMemset3D", "cudaMemset3DAsync(..., stream)", nullptr, at}, rows, value, extent);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr rows, int value, cudaExtent extent, cudaStream_t stream = nullptr, OK_AT) {
    return __ok::fill_box({"cudaMemset3DAsync", "cudaMemset3DAsync(..., stream)", stream, at}, rows, value, extent);
}

// From device to device, of which there is one.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                                            cudaStream_t stream = nullptr, OK_AT) {
    if (to_device != 0 || from_device != 0) return __ok::fail(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes, OK_AT) {
    if (to_device != 0 || from_device != 0) return __ok::fail(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice, at);
}
