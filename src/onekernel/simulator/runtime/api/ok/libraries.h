// What the headers of CUDA's libraries ask of the runtime: their arguments checked, and the work done on the host.
#pragma once
#include "runtime.h"

namespace __ok {
// How an element is stored. Sums are made in double.
enum Element : int { FLOAT32, FLOAT64, FLOAT16, BFLOAT16, INT8, INT32, ELEMENTS };
inline int element_bytes(int type) {
    constexpr int BYTES[ELEMENTS] = {4, 8, 2, 2, 1, 4};
    return BYTES[type];
}

// What a call is given: `columns` columns of `rows` elements, `stride` elements from one column to the next. A vector is one
// row whose columns lie `stride` elements apart.
struct Operand {
    const char* name;  // of the parameter, as the library's manual has it
    const void* data;
    long long rows, columns, stride;
    int type;
    bool reads, writes;
};
// The call that stands at a line of the file: findings name the function.
struct LibraryCall {
    const char* function;
    const volatile void* stream;
    Site at;
};
// Whether the call may be made: every operand lies in device memory that holds it, and what is read was written. If it may,
// the stream has work, and what is written counts as initialised.
extern "C" bool ok_library_operands(const LibraryCall* call, const Operand* operands, int count);
// A warning: the library returns `status` because of the parameter `name`, which is `value`. `form` is the sentence's.
extern "C" void ok_library_refused(const LibraryCall* call, const char* status, const char* form, const char* name, long long value,
                                   long long least);
// Copies the `count` pointers of an array in device memory. False: told.
extern "C" bool ok_library_pointers(const LibraryCall* call, const char* name, const void* array, int count, const void** out);
// Reads or writes a scalar that lies where the pointer mode says. False: told, and nothing was done.
extern "C" bool ok_library_scalar_in(const LibraryCall* call, const char* name, const void* pointer, int type, bool on_device, double* out);
extern "C" bool ok_library_scalar_out(const LibraryCall* call, const char* name, void* pointer, int type, bool on_device, double value);

// --- libraries that are compiled with the program ------------------------------------------------------------------
// From here to the end of the work device memory is open to the host, and what is written there counts as written.
extern "C" void ok_library_work(bool begins);
extern "C" int ok_library_alloc(void** out, size_t bytes, bool managed);
// As cudaFree, which waits for all streams.
extern "C" void ok_library_free(void* pointer);

// --- linear algebra, of matrices by columns. The operands were checked ----------------------------------------------
struct Gemm {
    bool transpose_a, transpose_b;
    long long m, n, k;
    double alpha, beta;
    const void* a;
    long long lda;
    const void* b;
    long long ldb;
    void* c;
    long long ldc;
    int type_ab, type_c;
};
extern "C" void ok_gemm(const Gemm* gemm);
// y = alpha op(A) x + beta y, A being m x n as it is stored.
extern "C" void ok_gemv(bool transpose, long long m, long long n, double alpha, const void* a, long long lda, const void* x,
                        long long incx, double beta, void* y, long long incy, int type);
extern "C" void ok_ger(long long m, long long n, double alpha, const void* x, long long incx, const void* y, long long incy,
                       void* a, long long lda, int type);
// C = alpha op(A) + beta op(B), C being m x n.
extern "C" void ok_geam(bool transpose_a, bool transpose_b, long long m, long long n, double alpha, const void* a, long long lda,
                        double beta, const void* b, long long ldb, void* c, long long ldc, int type);
// y = alpha x + beta y: axpy (beta 1), copy (alpha 1, beta 0). Without x, y = beta y: scal.
extern "C" void ok_axpby(long long n, double alpha, const void* x, long long incx, double beta, void* y, long long incy, int type);
extern "C" void ok_swap(long long n, void* x, long long incx, void* y, long long incy, int type);
enum Reduction : int { DOT, NORM, SUM_OF_MAGNITUDES, INDEX_OF_LARGEST, INDEX_OF_SMALLEST };
extern "C" double ok_reduce(int what, long long n, const void* x, long long incx, const void* y, long long incy, int type);
}  // namespace __ok
