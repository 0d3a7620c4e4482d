// What a lane brings to an instruction of the whole warp on matrices, and takes from it. The runtime computes all lanes' at
// once, when the last has come (machine/warp_matrix.cpp).
#pragma once
#include "runtime.h"

namespace __ok {
namespace ptx {

enum class Element : uint8_t { f16, bf16, tf32, f32, f64, s32, u8, s8, u4, s4, e4m3, e5m2 };
enum WarpMatrixWork : uint8_t { MULTIPLY, LOAD_MATRICES, STORE_MATRICES, TRANSPOSE };

struct WarpMatrix {
    WarpMatrixWork work;
    uint8_t m, n, k;      // of a product; else m is the number of 8 x 8 matrices
    bool flag;            // a product: it saturates; else each matrix is transposed
    Element of_a, of_b, of_c, of_d;
    const char* name;     // of the instruction
    // Registers, in the order of PTX's fragments. A row of 16 bytes that a lane has loaded or will store is in `a`.
    alignas(16) uint32_t a[16];
    uint32_t b[8], c[8], d[8];
};

}  // namespace ptx
extern "C" void ok_warp_matrix(ptx::WarpMatrix* mine, Site at);
}  // namespace __ok
