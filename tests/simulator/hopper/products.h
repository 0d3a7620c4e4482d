// wgmma of the shapes that these programs try, the operands' names and registers written out as PTX wants them.
#pragma once
#include "common.h"

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D8(i) D4(i), D4(i + 4)
#define D16(i) D8(i), D8(i + 8)
#define D32(i) D16(i), D16(i + 16)
#define D64(i) D32(i), D32(i + 32)
#define R4 "%0, %1, %2, %3"
#define R12 R4 ", %4, %5, %6, %7, %8, %9, %10, %11"
#define R32 R12 ", %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define R48 R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define R96 R48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, " \
            "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define R128 R96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, " \
             "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// d = +-a b (+ d where `add`), of 64 x N x 16; kTurnedA, kTurnedB: that operand runs along M, or N.
template <class T, int N, int kTurnedA, int kTurnedB, int kSignA, int kSignB>
struct Product;
#define PRODUCT(T, name, N, names, sums, first, second, third, fourth, fifth, sixth, seventh)                                                  \
    template <int kTurnedA, int kTurnedB, int kSignA, int kSignB>                                                                              \
    struct Product<T, N, kTurnedA, kTurnedB, kSignA, kSignB> {                                                                                 \
        static __device__ void run(float (&d)[N / 2], uint64_t a, uint64_t b, int add) {                                                       \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" third ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N "k16.f32." name "." name      \
                         " {" names "}, %" first ", %" second ", p, %" fourth ", %" fifth ", %" sixth ", %" seventh ";\n}"                     \
                         : sums : "l"(a), "l"(b), "r"(add), "n"(kSignA), "n"(kSignB), "n"(kTurnedA), "n"(kTurnedB));                           \
        }                                                                                                                                      \
    };
#define PRODUCTS(T, name)                                                                                                        \
    PRODUCT(T, name, 8, R4, D4(0), "4", "5", "6", "7", "8", "9", "10")                                                           \
    PRODUCT(T, name, 24, R12, D8(0) D_COMMA D4(8), "12", "13", "14", "15", "16", "17", "18")                                     \
    PRODUCT(T, name, 64, R32, D32(0), "32", "33", "34", "35", "36", "37", "38")                                                  \
    PRODUCT(T, name, 96, R48, D32(0) D_COMMA D16(32), "48", "49", "50", "51", "52", "53", "54")                                  \
    PRODUCT(T, name, 192, R96, D64(0) D_COMMA D32(64), "96", "97", "98", "99", "100", "101", "102")                              \
    PRODUCT(T, name, 256, R128, D64(0) D_COMMA D64(64), "128", "129", "130", "131", "132", "133", "134")
#define D_COMMA ,
PRODUCTS(__nv_bfloat16, "bf16")
PRODUCTS(__half, "f16")

__device__ inline void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void products_end() {
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// `leading` and `stride` in bytes; `bits` of the swizzle: 0 to 3 for none, 32, 64 and 128 bytes.
__device__ inline uint64_t descriptor(uint32_t address, int leading, int stride, int bits) {
    return (uint64_t)((address & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)(bits ? 4 - bits : 0) << 62;
}

// Where sum i of this thread lies in the 64 rows of D.
__device__ inline int row_of(int i) { return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8; }
__device__ inline int column_of(int i) { return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2; }
