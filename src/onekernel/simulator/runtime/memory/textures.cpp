// Textures and surfaces: which elements a fetch reads, and how it mixes them (CUDA C++ Programming Guide, "Texture Fetching").
// The weights of linear filtering have 8 bits behind the point, as documented; how the hardware rounds them and the sums is not.
#include "../api/ok/texture.h"

#include <cmath>
#include <vector>

#include "../api/ok/narrow_float.h"
#include "../checkers/async_copies.h"
#include "../machine/launch.h"
#include "../report/findings.h"

namespace __ok {
namespace {
std::vector<TextureObject> objects;  // by handle; without data: destroyed

struct Texel {
    float value[4] = {};
    int32_t whole[4] = {};  // of elements that are read as integers
};

// One index along a dimension of `size` elements, or -1 for the border.
long long addressed(long long i, long long size, AddressMode mode) {
    if (i >= 0 && i < size) return i;
    switch (mode) {
        case ADDRESS_WRAP: return ((i % size) + size) % size;
        case ADDRESS_MIRROR: {
            const long long turn = ((i % (2 * size)) + 2 * size) % (2 * size);
            return turn < size ? turn : 2 * size - 1 - turn;
        }
        case ADDRESS_BORDER: return -1;
        default: return i < 0 ? 0 : size - 1;
    }
}

Texel texel_at(Worker& w, const TextureObject& t, long long x, long long y, long long z, uintptr_t pc) {
    Texel out;
    if (x < 0 || y < 0 || z < 0) {
        for (int c = 0; c < 4; c++) out.value[c] = t.border[c], out.whole[c] = static_cast<int32_t>(t.border[c]);
        return out;
    }
    const int bytes = t.channels * t.bits / 8;
    const char* at = t.data + z * t.plane + y * t.pitch + x * bytes;
    texture_access(w, reinterpret_cast<uintptr_t>(at), bytes, false, pc);
    for (int c = 0; c < t.channels; c++) {
        uint32_t raw = 0;
        __builtin_memcpy(&raw, at + c * t.bits / 8, t.bits / 8);
        if (t.kind == TEXEL_FLOAT) {
            out.value[c] = t.bits == 16 ? half_value(static_cast<unsigned short>(raw)) : bit_cast<float>(raw);
            continue;
        }
        const int32_t whole = t.kind == TEXEL_UNSIGNED ? static_cast<int32_t>(raw)
                              : t.bits == 8 ? static_cast<int8_t>(raw) : t.bits == 16 ? static_cast<int16_t>(raw) : static_cast<int32_t>(raw);
        out.whole[c] = whole;
        const float most = static_cast<float>((1u << (t.bits - (t.kind == TEXEL_SIGNED))) - 1);
        if (t.normalized_values) out.value[c] = fmaxf(static_cast<float>(whole) / most, -1.0f);
    }
    return out;
}

// Whether what an object reads has as many dimensions, and layers, as the function that is called.
bool has_shape(const TextureObject& t, TextureShape shape) {
    if (t.linear_memory || shape == SHAPE_ELEMENTS) return t.linear_memory && shape == SHAPE_ELEMENTS;
    const int dimensions = t.depth && !t.layered ? 3 : t.height ? 2 : 1;
    return t.layered == in_layers(shape) && dimensions == dimensions_of(shape);
}

// Where a coordinate falls: the element, and the next one's weight.
struct Sample {
    long long first;
    float weight;
};
Sample placed(const TextureObject& t, float x, size_t size, AddressMode mode) {
    if (t.normalized_coordinates) x *= static_cast<float>(size);
    if (x != x) x = 0;
    // What lies far outside goes by its address mode, whose period is 2 * size.
    const double far = 4.0 * static_cast<double>(size) + 4;
    if (!(fabs(x) < 1e9)) x = static_cast<float>(mode == ADDRESS_CLAMP || mode == ADDRESS_BORDER ? copysign(far, x) : 0);
    if (!t.linear_filter) return {static_cast<long long>(floorf(x)), 0};
    const float shifted = x - 0.5f, whole = floorf(shifted);
    return {static_cast<long long>(whole), rintf((shifted - whole) * 256) / 256};
}
}  // namespace

extern "C" uint64_t ok_texture_create(const TextureObject* object) {
    objects.push_back(*object);
    return objects.size();
}

extern "C" const TextureObject* ok_texture_find(uint64_t handle) {
    return handle && handle <= objects.size() && objects[handle - 1].data ? &objects[handle - 1] : nullptr;
}

extern "C" bool ok_texture_destroy(uint64_t handle) {
    if (!ok_texture_find(handle)) return false;
    objects[handle - 1].data = nullptr;
    return true;
}

extern "C" void ok_texture_fetch(uint64_t handle, TextureShape shape, float x, float y, float z, int index, uint32_t* out, Site at) {
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Worker& w = *worker;
    const TextureObject* found = ok_texture_find(handle);
    if (!w.current || !found) trap("a texture object that was not created, or has been destroyed", at);
    const TextureObject& t = *found;
    if (!has_shape(t, shape)) trap("a function for textures of other dimensions or layers: tex1Dfetch is for linear memory", at);
    Texel sum;
    if (shape == SHAPE_ELEMENTS) {
        if (index >= 0 && static_cast<size_t>(index) < t.width) sum = texel_at(w, t, index, 0, 0, pc);
        else if (options) Finding("texture-outside", pc).code_at(pc).here().number("element", index).number("held", static_cast<long long>(t.width)).add();
    } else {
        const float place[3] = {x, y, z};
        const size_t size[3] = {t.width, t.height, t.depth};
        const int dimensions = dimensions_of(shape);
        Sample at_axis[3] = {};
        for (int d = 0; d < dimensions; d++) at_axis[d] = placed(t, place[d], size[d], t.address[d]);
        const long long layer = in_layers(shape) ? addressed(index, static_cast<long long>(t.depth), ADDRESS_CLAMP) : 0;
        for (int corner = 0; corner < (t.linear_filter ? 1 << dimensions : 1); corner++) {
            long long element[3] = {0, 0, layer};
            float weight = 1;
            for (int d = 0; d < dimensions; d++) {
                const int next = corner >> d & 1;
                element[d] = addressed(at_axis[d].first + next, static_cast<long long>(size[d]), t.address[d]);
                weight *= next ? at_axis[d].weight : 1 - at_axis[d].weight;
            }
            const Texel texel = texel_at(w, t, element[0], element[1], element[2], pc);
            if (!t.linear_filter) sum = texel;
            for (int c = 0; c < 4; c++)
                if (t.linear_filter && weight != 0) sum.value[c] += weight * texel.value[c];
        }
    }
    const bool floats = t.kind == TEXEL_FLOAT || t.normalized_values;
    for (int c = 0; c < 4; c++) out[c] = floats ? bit_cast<uint32_t>(sum.value[c]) : static_cast<uint32_t>(sum.whole[c]);
}

extern "C" void ok_surface_access(uint64_t handle, TextureShape shape, int x, int y, int z, void* value, int bytes, int mode, bool writes,
                                  Site at) {
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Worker& w = *worker;
    const TextureObject* found = ok_texture_find(handle);
    if (!w.current || !found) trap("a surface object that was not created, or has been destroyed", at);
    const TextureObject& t = *found;
    if (!has_shape(t, shape)) trap("a surface that is used as one of other dimensions or layers", at);
    const long long width = static_cast<long long>(t.pitch), rows = t.height ? static_cast<long long>(t.height) : 1;
    const long long planes = t.depth ? static_cast<long long>(t.depth) : 1;
    const bool outside = x < 0 || x + bytes > width || y < 0 || y >= rows || z < 0 || z >= planes;
    constexpr int ZERO = 0, CLAMP = 1;
    if (outside && mode == CLAMP) {
        x = static_cast<int>(x < 0 ? 0 : x + bytes > width ? width - bytes : x);
        y = static_cast<int>(addressed(y, rows, ADDRESS_CLAMP));
        z = static_cast<int>(addressed(z, planes, ADDRESS_CLAMP));
    } else if (outside) {
        if (!writes) __builtin_memset(value, 0, static_cast<size_t>(bytes));
        if (mode == ZERO) return;
        Finding(writes ? "out-of-bounds-write" : "out-of-bounds-read", pc).form(t.depth ? "volume" : "surface").code_at(pc).here()
            .number("x", x).number("y", y).number("z", z).number("width", width).number("rows", rows).number("planes", planes)
            .number("bytes", bytes).add();
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    char* place = t.data + static_cast<size_t>(z) * t.plane + static_cast<size_t>(y) * t.pitch + x;
    texture_access(w, reinterpret_cast<uintptr_t>(place), bytes, writes, pc);
    __builtin_memcpy(writes ? place : value, writes ? value : place, static_cast<size_t>(bytes));
}
}  // namespace __ok
