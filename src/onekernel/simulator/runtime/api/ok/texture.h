// Textures and surfaces as the runtime knows them: what an object reads, and the two things that a kernel asks of one.
#pragma once
#include "runtime.h"

namespace __ok {

enum TexelKind : int { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum AddressMode : int { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct TextureObject {
    char* data;
    size_t width, height, depth;  // in elements; height 0: one dimension. The depth is 0, or that of a volume, or how many layers
    size_t pitch, plane;          // bytes from a row, and from a plane or layer, to the next
    bool layered;
    int channels, bits;           // of an element, and of each of its channels
    TexelKind kind;
    bool linear_memory;           // read by tex1Dfetch alone
    bool linear_filter, normalized_coordinates, normalized_values;
    AddressMode address[3];
    float border[4];
};
// Handles count from 1. A surface has one from the same table.
extern "C" uint64_t ok_texture_create(const TextureObject* object);
extern "C" bool ok_texture_destroy(uint64_t handle);
extern "C" const TextureObject* ok_texture_find(uint64_t handle);
// What a function reads: elements of linear memory (tex1Dfetch), or an array of so many dimensions, of several in layers.
enum TextureShape : int { SHAPE_ELEMENTS = 0, SHAPE_1D = 1, SHAPE_2D = 2, SHAPE_3D = 3, SHAPE_1D_LAYERS = 5, SHAPE_2D_LAYERS = 6 };
constexpr bool in_layers(TextureShape shape) { return shape > SHAPE_3D; }
constexpr int dimensions_of(TextureShape shape) { return shape & 3; }
// The four channels at (x, y, z): floats, or integers, as bits. `index`: of an element, or of a layer.
extern "C" void ok_texture_fetch(uint64_t handle, TextureShape shape, float x, float y, float z, int index, uint32_t* out, Site at);
// Reads or writes `bytes` bytes at byte x of row y of plane or layer z. `mode`: CUDA's cudaSurfaceBoundaryMode.
extern "C" void ok_surface_access(uint64_t handle, TextureShape shape, int x, int y, int z, void* value, int bytes, int mode, bool writes,
                                  Site at);

}  // namespace __ok
