// What kernels do with texture and surface objects (CUDA C++ Programming Guide, "Texture Functions", "Surface Functions").
#pragma once
#include "bits.h"
#include "texture_api.h"

namespace __ok {

template <class T>
OK_ALWAYS T fetched(uint64_t handle, TextureShape shape, float x, float y, float z, int index, Site at) {
    using Part = typename Channels<T>::type;
    uint32_t raw[4];
    ok_texture_fetch(handle, shape, x, y, z, index, raw, at);
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
OK_ALWAYS void surface_access(uint64_t handle, TextureShape shape, int x, int y, int z, T* value, cudaSurfaceBoundaryMode mode, bool writes, Site at) {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "a surface has no elements of three channels, nor of more than 16 bytes");
    ok_surface_access(handle, shape, x, y, z, value, sizeof(T), mode, writes, at);
}
template <class T>
OK_ALWAYS T surface_read(uint64_t handle, TextureShape shape, int x, int y, int z, cudaSurfaceBoundaryMode mode, Site at) {
    T out;
    surface_access(handle, shape, x, y, z, &out, mode, false, at);
    return out;
}

}  // namespace __ok

// A function of textures, and its form that stores what it returns. PLACE: its parameters; USED: their names; then the shape
// and where in it.
#define OK_TEXTURE(NAME, PLACE, USED, ...)                                               \
    template <class T>                                                                   \
    OK_ALWAYS T NAME(cudaTextureObject_t object, OK_LIST PLACE, OK_AT) {                 \
        return __ok::fetched<T>(object, __ok::__VA_ARGS__, at);                          \
    }                                                                                    \
    template <class T>                                                                   \
    OK_ALWAYS void NAME(T* out, cudaTextureObject_t object, OK_LIST PLACE, OK_AT) {      \
        *out = NAME<T>(object, OK_LIST USED, at);                                        \
    }
#define OK_LIST(...) __VA_ARGS__
OK_TEXTURE(tex1Dfetch, (int x), (x), SHAPE_ELEMENTS, 0, 0, 0, x)
OK_TEXTURE(tex1D, (float x), (x), SHAPE_1D, x, 0, 0, 0)
OK_TEXTURE(tex2D, (float x, float y), (x, y), SHAPE_2D, x, y, 0, 0)
OK_TEXTURE(tex3D, (float x, float y, float z), (x, y, z), SHAPE_3D, x, y, z, 0)
OK_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), SHAPE_1D_LAYERS, x, 0, 0, layer)
OK_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer), SHAPE_2D_LAYERS, x, y, 0, layer)
#undef OK_TEXTURE

// The same for surfaces: a read in two forms, and a write.
#define OK_SURFACE(NAME, PLACE, USED, ...)                                                                                              \
    template <class T>                                                                                                                  \
    OK_ALWAYS T NAME##read(cudaSurfaceObject_t object, OK_LIST PLACE, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, OK_AT) {     \
        return __ok::surface_read<T>(object, __ok::__VA_ARGS__, mode, at);                                                              \
    }                                                                                                                                   \
    template <class T>                                                                                                                  \
    OK_ALWAYS void NAME##read(T* out, cudaSurfaceObject_t object, OK_LIST PLACE, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,   \
                              OK_AT) {                                                                                                  \
        *out = NAME##read<T>(object, OK_LIST USED, mode, at);                                                                           \
    }                                                                                                                                   \
    template <class T>                                                                                                                  \
    OK_ALWAYS void NAME##write(T value, cudaSurfaceObject_t object, OK_LIST PLACE, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, \
                               OK_AT) {                                                                                                 \
        __ok::surface_access(object, __ok::__VA_ARGS__, &value, mode, true, at);                                                        \
    }
OK_SURFACE(surf1D, (int x), (x), SHAPE_1D, x, 0, 0)
OK_SURFACE(surf2D, (int x, int y), (x, y), SHAPE_2D, x, y, 0)
OK_SURFACE(surf3D, (int x, int y, int z), (x, y, z), SHAPE_3D, x, y, z)
OK_SURFACE(surf1DLayered, (int x, int layer), (x, layer), SHAPE_1D_LAYERS, x, 0, layer)
OK_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), SHAPE_2D_LAYERS, x, y, layer)
#undef OK_SURFACE
#undef OK_LIST
