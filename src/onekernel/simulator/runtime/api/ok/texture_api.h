// CUDA arrays, texture and surface objects on the host (CUDA C++ Programming Guide, "Texture and Surface Memory"). Arrays of three
// dimensions and of layers are made in volume_api.h; cubes and mipmaps are refused by name.
#pragma once
#include <type_traits>

#include "copy_api.h"
#include "texture.h"

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2, cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
enum cudaResourceType {
    cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D = 3
};
constexpr unsigned cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4,
                   cudaArrayTextureGather = 8;

struct cudaExtent {
    size_t width, height, depth;  // width: in bytes; in elements where an array takes part
};
struct cudaArray {
    cudaChannelFormatDesc desc;
    size_t width, height, depth;  // in elements; 0: it has no such dimension. Of layers the depth is how many there are
    unsigned flags;
    char* data;
    size_t ok_row() const { return width * static_cast<size_t>(desc.x + desc.y + desc.z + desc.w) / 8; }
    size_t ok_rows() const { return height ? height : 1; }
    size_t ok_plane() const { return ok_row() * ok_rows(); }
    size_t ok_planes() const { return depth ? depth : 1; }
};
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
        struct { int reserved[32]; } reserved;
    } res;
    unsigned flags;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;

namespace __ok {

// A vector's components, or the number itself.
template <class T, class = void>
struct Channels {
    using type = T;
};
template <class T>
struct Channels<T, std::void_t<decltype(T::x)>> {
    using type = decltype(T::x);
};

inline bool channels_of(const cudaChannelFormatDesc& d, TextureObject& out) {
    const int sizes[] = {d.x, d.y, d.z, d.w};
    out.channels = 0;
    for (int size : sizes) {
        if (size != 0 && size != d.x) return false;
        out.channels += size != 0;
    }
    out.bits = d.x;
    out.kind = static_cast<TexelKind>(d.f);
    const bool fits = d.x == 8 || d.x == 16 || d.x == 32;
    return fits && d.f >= 0 && d.f <= 2 && out.channels != 3 && !(d.f == cudaChannelFormatKindFloat && d.x == 8);
}

inline bool resource_of(const cudaResourceDesc* resource, TextureObject& out) {
    if (resource == nullptr) return false;
    out.linear_memory = resource->resType == cudaResourceTypeLinear;
    if (resource->resType == cudaResourceTypeArray) {
        const cudaArray* array = resource->res.array.array;
        if (array == nullptr || !channels_of(array->desc, out)) return false;
        out.data = array->data, out.width = array->width, out.height = array->height, out.depth = array->depth;
        out.pitch = array->ok_row(), out.plane = array->ok_plane(), out.layered = array->flags & cudaArrayLayered;
        return true;
    }
    if (resource->resType == cudaResourceTypeLinear) {
        const auto& linear = resource->res.linear;
        if (!channels_of(linear.desc, out)) return false;
        out.data = static_cast<char*>(linear.devPtr), out.height = 0, out.pitch = linear.sizeInBytes;
        out.width = linear.sizeInBytes / static_cast<size_t>(out.channels * out.bits / 8);
    } else if (resource->resType == cudaResourceTypePitch2D) {
        const auto& rows = resource->res.pitch2D;
        if (!channels_of(rows.desc, out) || rows.pitchInBytes % static_cast<size_t>(CARD.pitch_alignment)) return false;
        out.data = static_cast<char*>(rows.devPtr), out.width = rows.width, out.height = rows.height, out.pitch = rows.pitchInBytes;
        if (out.pitch < out.width * static_cast<size_t>(out.channels * out.bits / 8) || out.height == 0) return false;
    } else {
        return false;
    }
    return out.width != 0 && ok_device_find(out.data, nullptr, nullptr);
}

inline cudaError_t array_copy(const Queue& queue, bool host_waits, const cudaArray* array, size_t x, size_t y, void* other, size_t pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, bool to_array) {
    const size_t row = array == nullptr ? 0 : array->ok_row(), rows = array == nullptr ? 0 : array->ok_rows();
    if (array == nullptr || x > row || width > row - x || y > rows || height > rows - y) return fail(cudaErrorInvalidValue);
    char* place = array->data + y * row + x;
    return to_array ? queued_copy(queue, host_waits, place, row, other, pitch, width, height, kind)
                    : queued_copy(queue, host_waits, other, pitch, place, row, width, height, kind);
}
// `bytes` bytes of rows without gaps, from (x, y) on: CUDA's one-dimensional forms.
inline cudaError_t array_copy(const Queue& queue, bool host_waits, const cudaArray* array, size_t x, size_t y, void* other, size_t bytes,
                              cudaMemcpyKind kind, bool to_array) {
    if (array == nullptr) return fail(cudaErrorInvalidValue);
    const size_t row = array->ok_row(), from = y * row + x, all = array->ok_plane();
    if (from > all || bytes > all - from) return fail(cudaErrorInvalidValue);
    char* place = array->data + from;
    return to_array ? queued_copy(queue, host_waits, place, bytes, other, bytes, bytes, 1, kind)
                    : queued_copy(queue, host_waits, other, bytes, place, bytes, bytes, 1, kind);
}

inline cudaError_t array_made(cudaArray_t* array, const cudaChannelFormatDesc* desc, const cudaExtent& size, unsigned flags, Site at) {
    TextureObject format{};
    if (array == nullptr || desc == nullptr || size.width == 0 || !channels_of(*desc, format)) return fail(cudaErrorInvalidValue);
    cudaArray made{*desc, size.width, size.height, size.depth, flags, nullptr};
    const cudaError_t error = allocate(&made.data, made.ok_plane() * made.ok_planes(), at);
    if (error == cudaSuccess) *array = new cudaArray(made);
    return error;
}

}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    using Part = typename __ok::Channels<T>::type;
    constexpr int bits = 8 * sizeof(Part), count = sizeof(T) / sizeof(Part);
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            std::is_floating_point_v<Part>  ? cudaChannelFormatKindFloat
            : std::is_unsigned_v<Part>      ? cudaChannelFormatKindUnsigned
                                            : cudaChannelFormatKindSigned};
}
OK_LIBRARY_HOST_ONLY inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                                                        size_t height = 0, unsigned flags = 0, OK_AT) {
    if (flags & ~(cudaArraySurfaceLoadStore | cudaArrayTextureGather)) return __ok::fail(cudaErrorInvalidValue);
    return __ok::array_made(array, desc, {width, height, 0}, flags, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaFreeArray(cudaArray_t array, OK_AT) {
    if (array == nullptr) return cudaSuccess;
    __ok::ok_stream_order(__ok::JOIN_DEVICE, nullptr, nullptr);
    const cudaError_t error = __ok::release(array->data, at);
    delete array;
    return error;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
    if (array == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (extent != nullptr) *extent = {array->width, array->height, array->depth};
    if (desc != nullptr) *desc = array->desc;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
    if (desc == nullptr || array == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *desc = array->desc;
    return cudaSuccess;
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                                            size_t width, size_t height, cudaMemcpyKind kind, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync(..., stream)", nullptr, at};
    return __ok::array_copy(queue, true, to, x, y, const_cast<void*>(from), pitch, width, height, kind, true);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                                                 size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy2DToArrayAsync", "cudaMemcpy2DToArrayAsync(..., stream)", stream, at};
    return __ok::array_copy(queue, false, to, x, y, const_cast<void*>(from), pitch, width, height, kind, true);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                                              size_t width, size_t height, cudaMemcpyKind kind, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy2DFromArray", "cudaMemcpy2DFromArrayAsync(..., stream)", nullptr, at};
    return __ok::array_copy(queue, true, from, x, y, to, pitch, width, height, kind, false);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                                                   size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy2DFromArrayAsync", "cudaMemcpy2DFromArrayAsync(..., stream)", stream, at};
    return __ok::array_copy(queue, false, from, x, y, to, pitch, width, height, kind, false);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                                          cudaMemcpyKind kind, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyToArray", "cudaMemcpy2DToArrayAsync(..., stream)", nullptr, at};
    return __ok::array_copy(queue, true, to, x, y, const_cast<void*>(from), bytes, kind, true);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                                            cudaMemcpyKind kind, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyFromArray", "cudaMemcpy2DFromArrayAsync(..., stream)", nullptr, at};
    return __ok::array_copy(queue, true, from, x, y, to, bytes, kind, false);
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                                                const cudaTextureDesc* desc, const cudaResourceViewDesc* view, OK_AT) {
    if (view != nullptr) {
        __ok::ok_unsupported("cudaResourceViewDesc", at);
        return __ok::fail(cudaErrorNotSupported);
    }
    __ok::TextureObject made{};
    if (object == nullptr || desc == nullptr || !__ok::resource_of(resource, made)) return __ok::fail(cudaErrorInvalidValue);
    made.linear_filter = desc->filterMode == cudaFilterModeLinear && !made.linear_memory;
    made.normalized_coordinates = desc->normalizedCoords != 0;
    made.normalized_values = desc->readMode == cudaReadModeNormalizedFloat && made.kind != __ok::TEXEL_FLOAT;
    if (made.normalized_values && made.bits == 32) return __ok::fail(cudaErrorInvalidNormSetting);
    if (made.linear_filter && made.kind != __ok::TEXEL_FLOAT && !made.normalized_values) return __ok::fail(cudaErrorInvalidFilterSetting);
    for (int i = 0; i < 3; ++i) {
        made.address[i] = static_cast<__ok::AddressMode>(desc->addressMode[i]);
        // Wrapping and mirroring are for normalized coordinates; without them they clamp.
        const bool turns = made.address[i] == __ok::ADDRESS_WRAP || made.address[i] == __ok::ADDRESS_MIRROR;
        if (turns && !made.normalized_coordinates) made.address[i] = __ok::ADDRESS_CLAMP;
    }
    for (int i = 0; i < 4; ++i) made.border[i] = desc->borderColor[i];
    *object = __ok::ok_texture_create(&made);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    return __ok::ok_texture_destroy(object) ? cudaSuccess : __ok::fail(cudaErrorInvalidValue);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
    __ok::TextureObject made{};
    if (object == nullptr || !__ok::resource_of(resource, made) || resource->resType != cudaResourceTypeArray ||
        !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
        return __ok::fail(cudaErrorInvalidValue);
    *object = __ok::ok_texture_create(&made);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaDestroyTextureObject(object); }
