// Textures and surfaces as the runtime knows them: what an object reads, and the two things that a kernel asks of one.
#pragma once
#include "runtime.h"

namespace __ok {

enum TexelKind : int { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum AddressMode : int { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct TextureObject {
    char* data;
    size_t width, height, pitch;  // in elements; height 0: one dimension. The pitch is in bytes
    int channels, bits;           // of an element, and of each of its channels
    TexelKind kind;
    bool linear_memory;           // read by tex1Dfetch alone
    bool linear_filter, normalized_coordinates, normalized_values;
    AddressMode address[2];
    float border[4];
};
// Handles count from 1. A surface has one from the same table.
extern "C" uint64_t ok_texture_create(const TextureObject* object);
extern "C" bool ok_texture_destroy(uint64_t handle);
extern "C" const TextureObject* ok_texture_find(uint64_t handle);
// The four channels at (x, y): floats, or integers, as bits. `whole`: x counts elements (tex1Dfetch).
extern "C" void ok_texture_fetch(uint64_t handle, int dimensions, bool whole, float x, float y, int element, uint32_t* out, Site at);
// Reads or writes `bytes` bytes at byte x of row y. `mode`: CUDA's cudaSurfaceBoundaryMode.
extern "C" void ok_surface_access(uint64_t handle, int dimensions, int x, int y, void* value, int bytes, int mode, bool writes, Site at);

}  // namespace __ok
