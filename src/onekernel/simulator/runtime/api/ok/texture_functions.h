// What kernels do with texture and surface objects (CUDA C++ Programming Guide, "Texture Functions", "Surface Functions").
#pragma once
#include "bits.h"
#include "texture_api.h"

namespace __ok {

template <class T>
OK_ALWAYS T fetched(uint64_t handle, int dimensions, bool whole, float x, float y, int element, Site at) {
    using Part = typename Channels<T>::type;
    uint32_t raw[4];
    ok_texture_fetch(handle, dimensions, whole, x, y, element, raw, at);
    Part parts[4];
    for (int i = 0; i < 4; ++i) {
        if constexpr (std::is_floating_point_v<Part>) parts[i] = bit_cast<float>(raw[i]);
        else parts[i] = static_cast<Part>(raw[i]);
    }
    T out;
    __builtin_memcpy(static_cast<void*>(&out), parts, sizeof out);
    return out;
}
// A surface holds elements of one, two or four channels, as nvcc has it; one access moves one of them.
template <class T>
OK_ALWAYS void surface_access(uint64_t handle, int dimensions, int x, int y, T* value, cudaSurfaceBoundaryMode mode, bool writes, Site at) {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "a surface has no elements of three channels, nor of more than 16 bytes");
    ok_surface_access(handle, dimensions, x, y, value, sizeof(T), mode, writes, at);
}
template <class T>
OK_ALWAYS T surface_read(uint64_t handle, int dimensions, int x, int y, cudaSurfaceBoundaryMode mode, Site at) {
    T out;
    surface_access(handle, dimensions, x, y, &out, mode, false, at);
    return out;
}

}  // namespace __ok

template <class T>
OK_ALWAYS T tex1Dfetch(cudaTextureObject_t object, int x, OK_AT) {
    return __ok::fetched<T>(object, 1, true, 0, 0, x, at);
}
template <class T>
OK_ALWAYS T tex1D(cudaTextureObject_t object, float x, OK_AT) {
    return __ok::fetched<T>(object, 1, false, x, 0, 0, at);
}
template <class T>
OK_ALWAYS T tex2D(cudaTextureObject_t object, float x, float y, OK_AT) {
    return __ok::fetched<T>(object, 2, false, x, y, 0, at);
}
template <class T>
OK_ALWAYS void tex1Dfetch(T* out, cudaTextureObject_t object, int x, OK_AT) {
    *out = tex1Dfetch<T>(object, x, at);
}
template <class T>
OK_ALWAYS void tex1D(T* out, cudaTextureObject_t object, float x, OK_AT) {
    *out = tex1D<T>(object, x, at);
}
template <class T>
OK_ALWAYS void tex2D(T* out, cudaTextureObject_t object, float x, float y, OK_AT) {
    *out = tex2D<T>(object, x, y, at);
}
template <class T>
OK_ALWAYS T surf1Dread(cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {
    return __ok::surface_read<T>(object, 1, x, 0, mode, at);
}
template <class T>
OK_ALWAYS T surf2Dread(cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {
    return __ok::surface_read<T>(object, 2, x, y, mode, at);
}
template <class T>
OK_ALWAYS void surf1Dread(T* out, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {
    *out = surf1Dread<T>(object, x, mode, at);
}
template <class T>
OK_ALWAYS void surf2Dread(T* out, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {
    *out = surf2Dread<T>(object, x, y, mode, at);
}
template <class T>
OK_ALWAYS void surf1Dwrite(T value, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {
    __ok::surface_access(object, 1, x, 0, &value, mode, true, at);
}
template <class T>
OK_ALWAYS void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {
    __ok::surface_access(object, 2, x, y, &value, mode, true, at);
}
