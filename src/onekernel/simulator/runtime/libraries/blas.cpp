// The linear algebra behind cublas_v2.h, on one core and in one order: sums run over ascending indices in double and are
// rounded once. A product of two floats is exact in double, so that fused multiply-add or not, the result is the same.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../api/ok/libraries.h"
#include "../memory/host_view.h"
#include "../memory/memory.h"

// Wider vectors where the processor has them; not its fused multiply-add, which would round doubles otherwise.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define OK_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define OK_WIDE
#endif

namespace __ok {
double stored(const void* data, long long i, int type);
void store_as(void* data, long long i, int type, double value);

namespace {
constexpr long long ROWS = 8, COLUMNS = 4, PANEL = 64;  // of a tile in registers; of B's columns that are packed at a time

struct Opened {
    Open open;
    DeviceView view;
};

// Element i of a vector of n; a negative increment walks from the other end, as BLAS has it.
long long strided(long long i, long long n, long long inc) { return inc < 0 ? (i - n + 1) * inc : i * inc; }

OK_WIDE void sum_tile(long long k, const double* a, const double* b, double* sums) {
    double s[COLUMNS][ROWS] = {};
    for (long long p = 0; p < k; p++)
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < ROWS; i++) s[j][i] += a[p * ROWS + i] * b[p * COLUMNS + j];
    std::copy(&s[0][0], &s[0][0] + ROWS * COLUMNS, sums);
}

// Rows `first` and on of op(A), `width` of them, as k groups of `width`; what lies beyond `rows` is 0.
void pack_rows(const void* a, long long lda, bool transpose, int type, long long first, long long rows, long long width, long long k,
          double* out) {
    for (long long p = 0; p < k; p++)
        for (long long i = 0; i < width; i++) {
            long long row = first + i;
            out[p * width + i] = row < rows ? stored(a, transpose ? p + row * lda : row + p * lda, type) : 0;
        }
}
}  // namespace

extern "C" void ok_gemm(const Gemm* g) {
    Opened opened;
    bool sums = g->alpha != 0 && g->k > 0;
    long long k = sums ? g->k : 0;
    std::vector<double> a(static_cast<size_t>(k * ROWS)), b(static_cast<size_t>(k * PANEL));
    double tile_sums[ROWS * COLUMNS] = {};
    for (long long panel = 0; panel < g->n; panel += PANEL) {
        long long last = std::min(g->n, panel + PANEL);
        for (long long j = panel; j < last && sums; j += COLUMNS)
            pack_rows(g->b, g->ldb, !g->transpose_b, g->type_ab, j, g->n, COLUMNS, k, b.data() + (j - panel) * k);
        for (long long i = 0; i < g->m; i += ROWS) {
            if (sums) pack_rows(g->a, g->lda, g->transpose_a, g->type_ab, i, g->m, ROWS, k, a.data());
            for (long long j = panel; j < last; j += COLUMNS) {
                if (sums) sum_tile(k, a.data(), b.data() + (j - panel) * k, tile_sums);
                for (long long c = j; c < std::min(last, j + COLUMNS); c++)
                    for (long long r = i; r < std::min(g->m, i + ROWS); r++) {
                        double value = g->alpha * tile_sums[(c - j) * ROWS + r - i];
                        if (!sums) value = 0;
                        if (g->beta != 0) value += g->beta * stored(g->c, r + c * g->ldc, g->type_c);
                        store_as(g->c, r + c * g->ldc, g->type_c, value);
                    }
            }
        }
    }
}

extern "C" void ok_gemv(bool transpose, long long m, long long n, double alpha, const void* a, long long lda, const void* x,
                        long long incx, double beta, void* y, long long incy, int type) {
    Opened opened;
    long long rows = transpose ? n : m, columns = transpose ? m : n;
    for (long long i = 0; i < rows; i++) {
        double sum = 0;
        for (long long j = 0; j < columns && alpha != 0; j++)
            sum += stored(a, transpose ? j + i * lda : i + j * lda, type) * stored(x, strided(j, columns, incx), type);
        long long at = strided(i, rows, incy);
        store_as(y, at, type, (alpha != 0 ? alpha * sum : 0) + (beta != 0 ? beta * stored(y, at, type) : 0));
    }
}

extern "C" void ok_ger(long long m, long long n, double alpha, const void* x, long long incx, const void* y, long long incy,
                       void* a, long long lda, int type) {
    Opened opened;
    for (long long j = 0; j < n; j++)
        for (long long i = 0; i < m; i++)
            store_as(a, i + j * lda, type, stored(a, i + j * lda, type) +
                        alpha * stored(x, strided(i, m, incx), type) * stored(y, strided(j, n, incy), type));
}

extern "C" void ok_geam(bool transpose_a, bool transpose_b, long long m, long long n, double alpha, const void* a, long long lda,
                        double beta, const void* b, long long ldb, void* c, long long ldc, int type) {
    Opened opened;
    for (long long j = 0; j < n; j++)
        for (long long i = 0; i < m; i++) {
            double value = alpha != 0 ? alpha * stored(a, transpose_a ? j + i * lda : i + j * lda, type) : 0;
            if (beta != 0) value += beta * stored(b, transpose_b ? j + i * ldb : i + j * ldb, type);
            store_as(c, i + j * ldc, type, value);
        }
}

extern "C" void ok_axpby(long long n, double alpha, const void* x, long long incx, double beta, void* y, long long incy, int type) {
    Opened opened;
    for (long long i = 0; i < n; i++) {
        long long at = strided(i, n, incy);
        double value = x ? alpha * stored(x, strided(i, n, incx), type) : 0;
        if (beta != 0 || !x) value += beta * stored(y, at, type);
        store_as(y, at, type, value);
    }
}

extern "C" void ok_swap(long long n, void* x, long long incx, void* y, long long incy, int type) {
    Opened opened;
    for (long long i = 0; i < n; i++) {
        double of_x = stored(x, strided(i, n, incx), type), of_y = stored(y, strided(i, n, incy), type);
        store_as(x, strided(i, n, incx), type, of_y);
        store_as(y, strided(i, n, incy), type, of_x);
    }
}

extern "C" double ok_reduce(int what, long long n, const void* x, long long incx, const void* y, long long incy, int type) {
    Opened opened;
    double sum = 0, best = 0;
    long long index = 0;
    for (long long i = 0; i < n; i++) {
        double value = stored(x, strided(i, n, incx), type), size = std::fabs(value);
        if (what == DOT) sum += value * stored(y, strided(i, n, incy), type);
        if (what == NORM) sum += value * value;
        if (what == SUM_OF_MAGNITUDES) sum += size;
        if (!index || (what == INDEX_OF_LARGEST ? size > best : size < best)) {
            best = size;
            index = i + 1;  // BLAS counts from 1
        }
    }
    return what == NORM ? std::sqrt(sum) : what >= INDEX_OF_LARGEST ? static_cast<double>(index) : sum;
}
}  // namespace __ok
