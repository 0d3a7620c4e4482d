// A call of cuBLAS: its arguments checked in cuBLAS's order, its scalars fetched, its work done by the runtime.
#pragma once
#include <vector>

#include "../cublas_api.h"

namespace __ok {

// The types of a product as the runtime has them; not all combinations are cuBLAS's.
struct Types {
    int ab = 0, c = 0, scalar = 0;
    bool known = false;
    OK_QUIET static int element(cudaDataType type) {
        switch (type) {
            case CUDA_R_32F: return FLOAT32;
            case CUDA_R_64F: return FLOAT64;
            case CUDA_R_16F: return FLOAT16;
            case CUDA_R_16BF: return BFLOAT16;
            case CUDA_R_8I: return INT8;
            case CUDA_R_32I: return INT32;
            default: return -1;
        }
    }
    OK_QUIET static cudaDataType data(cublasComputeType_t compute) {
        switch (compute) {
            case CUBLAS_COMPUTE_16F:
            case CUBLAS_COMPUTE_16F_PEDANTIC: return CUDA_R_16F;
            case CUBLAS_COMPUTE_64F:
            case CUBLAS_COMPUTE_64F_PEDANTIC: return CUDA_R_64F;
            case CUBLAS_COMPUTE_32I:
            case CUBLAS_COMPUTE_32I_PEDANTIC: return CUDA_R_32I;
            default: return CUDA_R_32F;
        }
    }
    OK_QUIET Types(cudaDataType a, cudaDataType b, cudaDataType out, cublasComputeType_t compute) : Types(a, b, out, data(compute)) {}
    OK_QUIET Types(cudaDataType a, cudaDataType b, cudaDataType out, cudaDataType compute)
        : ab(element(a)), c(element(out)), scalar(element(compute)) {
        const bool narrow = ab == FLOAT16 || ab == BFLOAT16;
        known = a == b && (scalar == FLOAT64   ? ab == FLOAT64 && c == FLOAT64
                           : scalar == INT32   ? ab == INT8 && c == INT32
                           : scalar == FLOAT16 ? ab == FLOAT16 && c == FLOAT16
                           : scalar == FLOAT32 ? (ab == FLOAT32 || ab == INT8 ? c == FLOAT32 : narrow && (c == ab || c == FLOAT32))
                                               : false);
    }
};

struct Product {
    cublasOperation_t transa, transb;
    long long m, n, k;
    const void *alpha, *beta;
    int ab, c, scalar;
    long long lda, ldb, ldc;
};

class Blas {
public:
    OK_QUIET Blas(cublasHandle_t handle, const char* function, Site at)
        : handle_(handle), call_{function, handle ? handle->stream : nullptr, at},
          status_(handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED) {}

    OK_QUIET cublasStatus_t unsupported() {
        if (good()) refuse(CUBLAS_STATUS_NOT_SUPPORTED, "types", "types", 0, 0);
        return status_;
    }

    OK_QUIET cublasStatus_t gemm(const Product& p, const void* a, const void* b, void* c) { return strided(p, a, 0, b, 0, c, 0, 1); }
    OK_QUIET cublasStatus_t strided(const Product& p, const void* a, long long step_a, const void* b, long long step_b, void* c,
                                    long long step_c, int batches) {
        least("batchCount", batches, 0);
        if (!begin(p)) return status_;
        for (int i = 0; i < batches && good(); i++)
            multiply(p, static_cast<const char*>(a) + i * step_a * element_bytes(p.ab),
                     static_cast<const char*>(b) + i * step_b * element_bytes(p.ab), static_cast<char*>(c) + i * step_c * element_bytes(p.c));
        return status_;
    }
    OK_QUIET cublasStatus_t batched(const Product& p, const void* a, const void* b, const void* c, int batches) {
        least("batchCount", batches, 0);
        if (!begin(p) || batches == 0) return status_;
        std::vector<const void*> as(batches), bs(batches), cs(batches);
        if (!ok_library_pointers(&call_, "Aarray", a, batches, as.data()) || !ok_library_pointers(&call_, "Barray", b, batches, bs.data()) ||
            !ok_library_pointers(&call_, "Carray", c, batches, cs.data()))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        for (int i = 0; i < batches && good(); i++) multiply(p, as[i], bs[i], const_cast<void*>(cs[i]));
        return status_;
    }

    OK_QUIET cublasStatus_t gemv(cublasOperation_t trans, long long m, long long n, const void* alpha, const void* a, long long lda,
                                 const void* x, long long incx, const void* beta, void* y, long long incy, int type) {
        operation("trans", trans);
        least("m", m, 0), least("n", n, 0), leading("lda", lda, m), step("incx", incx), step("incy", incy);
        double by = scalar("alpha", alpha, type), kept = scalar("beta", beta, type);
        if (!good() || m == 0 || n == 0) return status_;
        const bool turned = trans != CUBLAS_OP_N;
        const Operand operands[] = {{"A", a, m, n, lda, type, true, false},
                                    vector("x", x, turned ? m : n, incx, type, true, false),
                                    vector("y", y, turned ? n : m, incy, type, kept != 0, true)};
        return work(operands, 3, [=]() OK_QUIET { ok_gemv(turned, m, n, by, a, lda, x, incx, kept, y, incy, type); });
    }
    OK_QUIET cublasStatus_t ger(long long m, long long n, const void* alpha, const void* x, long long incx, const void* y, long long incy,
                                void* a, long long lda, int type) {
        least("m", m, 0), least("n", n, 0), step("incx", incx), step("incy", incy), leading("lda", lda, m);
        double by = scalar("alpha", alpha, type);
        const Operand operands[] = {vector("x", x, m, incx, type, true, false), vector("y", y, n, incy, type, true, false),
                                    {"A", a, m, n, lda, type, true, true}};
        return work(operands, 3, [=]() OK_QUIET { ok_ger(m, n, by, x, incx, y, incy, a, lda, type); });
    }
    OK_QUIET cublasStatus_t geam(cublasOperation_t transa, cublasOperation_t transb, long long m, long long n, const void* alpha,
                                 const void* a, long long lda, const void* beta, const void* b, long long ldb, void* c, long long ldc, int type) {
        const bool ta = transa != CUBLAS_OP_N, tb = transb != CUBLAS_OP_N;
        operation("transa", transa), operation("transb", transb), least("m", m, 0), least("n", n, 0);
        leading("lda", lda, ta ? n : m), leading("ldb", ldb, tb ? n : m), leading("ldc", ldc, m);
        double by = scalar("alpha", alpha, type), and_by = scalar("beta", beta, type);
        Operand operands[3] = {{"C", c, m, n, ldc, type, false, true}};
        int count = 1;
        if (by != 0) operands[count++] = {"A", a, ta ? n : m, ta ? m : n, lda, type, true, false};
        if (and_by != 0) operands[count++] = {"B", b, tb ? n : m, tb ? m : n, ldb, type, true, false};
        return work(operands, count, [=]() OK_QUIET { ok_geam(ta, tb, m, n, by, a, lda, and_by, b, ldb, c, ldc, type); });
    }
    OK_QUIET cublasStatus_t axpy(long long n, const void* alpha, const void* x, long long incx, void* y, long long incy, int type) {
        double by = scalar("alpha", alpha, type);
        const Operand operands[] = {vector("x", x, n, incx, type, true, false), vector("y", y, n, incy, type, true, true)};
        if (n <= 0) return status_;
        return work(operands, 2, [=]() OK_QUIET { ok_axpby(n, by, x, incx, 1, y, incy, type); });
    }
    OK_QUIET cublasStatus_t scal(long long n, const void* alpha, void* x, long long incx, int type) {
        double by = scalar("alpha", alpha, type);
        const Operand operand = vector("x", x, n, incx, type, true, true);
        if (n <= 0 || incx <= 0) return status_;
        return work(&operand, 1, [=]() OK_QUIET { ok_axpby(n, 0, nullptr, 1, by, x, incx, type); });
    }
    OK_QUIET cublasStatus_t copy(long long n, const void* x, long long incx, void* y, long long incy, int type) {
        const Operand operands[] = {vector("x", x, n, incx, type, true, false), vector("y", y, n, incy, type, false, true)};
        if (n <= 0) return status_;
        return work(operands, 2, [=]() OK_QUIET { ok_axpby(n, 1, x, incx, 0, y, incy, type); });
    }
    OK_QUIET cublasStatus_t swap(long long n, void* x, long long incx, void* y, long long incy, int type) {
        const Operand operands[] = {vector("x", x, n, incx, type, true, true), vector("y", y, n, incy, type, true, true)};
        if (n <= 0) return status_;
        return work(operands, 2, [=]() OK_QUIET { ok_swap(n, x, incx, y, incy, type); });
    }
    OK_QUIET cublasStatus_t reduce(int what, long long n, const void* x, long long incx, const void* y, long long incy, void* result,
                                   int type, int result_type) {
        if (good() && result == nullptr) refuse(CUBLAS_STATUS_INVALID_VALUE, "null", "result", 0, 0);
        const Operand operands[] = {vector("x", x, n, incx, type, true, false), vector("y", y, n, incy, type, true, false)};
        const bool empty = n <= 0 || (what != DOT && incx <= 0);
        if (!good() || (!empty && !reached(operands, what == DOT ? 2 : 1))) return status_;
        double value = empty ? 0 : ok_reduce(what, n, x, incx, y, incy, type);
        if (!ok_library_scalar_out(&call_, "result", result, result_type, on_device(), value)) status_ = CUBLAS_STATUS_EXECUTION_FAILED;
        return status_;
    }

private:
    OK_QUIET bool good() const { return status_ == CUBLAS_STATUS_SUCCESS; }
    OK_QUIET bool on_device() const { return handle_->pointers == CUBLAS_POINTER_MODE_DEVICE; }
    OK_QUIET void refuse(cublasStatus_t status, const char* form, const char* name, long long value, long long least) {
        status_ = status;
        ok_library_refused(&call_, status == CUBLAS_STATUS_INVALID_VALUE ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_NOT_SUPPORTED",
                           form, name, value, least);
    }
    OK_QUIET void operation(const char* name, cublasOperation_t value) {
        if (good() && static_cast<unsigned>(value) > CUBLAS_OP_C) refuse(CUBLAS_STATUS_INVALID_VALUE, "operation", name, value, 0);
    }
    OK_QUIET void least(const char* name, long long value, long long least) {
        if (good() && value < least) refuse(CUBLAS_STATUS_INVALID_VALUE, "least", name, value, least);
    }
    OK_QUIET void leading(const char* name, long long value, long long rows) {
        if (good() && value < (rows > 1 ? rows : 1)) refuse(CUBLAS_STATUS_INVALID_VALUE, "leading", name, value, rows > 1 ? rows : 1);
    }
    OK_QUIET void step(const char* name, long long value) {
        if (good() && value == 0) refuse(CUBLAS_STATUS_INVALID_VALUE, "step", name, 0, 0);
    }
    OK_QUIET double scalar(const char* name, const void* pointer, int type) {
        double value = 0;
        if (good() && pointer == nullptr) refuse(CUBLAS_STATUS_INVALID_VALUE, "null", name, 0, 0);
        if (good() && !ok_library_scalar_in(&call_, name, pointer, type, on_device(), &value)) status_ = CUBLAS_STATUS_EXECUTION_FAILED;
        return value;
    }
    OK_QUIET bool reached(const Operand* operands, int count) {
        if (!ok_library_operands(&call_, operands, count)) status_ = CUBLAS_STATUS_EXECUTION_FAILED;
        return good();
    }
    // What reads and writes `operands`, of which there are at most three. In a stream that is captured it becomes part of the graph,
    // with the scalars of this moment; what the host waits for, or reads from the device, cannot.
    template <class Work>
    OK_QUIET cublasStatus_t work(const Operand* operands, int count, Work does) {
        if (!good()) return status_;
        const int how = ok_capturing(call_.stream);
        if (how == 0) {
            if (reached(operands, count)) does();
        } else if (how > 0) {
            status_ = CUBLAS_STATUS_EXECUTION_FAILED;
        } else {
            struct Later {
                LibraryCall call;
                Operand operands[3];
                int count;
                Work does;
                OK_QUIET void operator()(cudaStream_t stream) {
                    call.stream = stream;
                    if (ok_library_operands(&call, operands, count)) does();
                }
            };
            Later later{call_, {}, count, does};
            for (int i = 0; i < count; i++) later.operands[i] = operands[i];
            (void)kept(handle_->stream, later);
        }
        return status_;
    }
    OK_QUIET static Operand vector(const char* name, const void* data, long long n, long long inc, int type, bool reads, bool writes) {
        return {name, data, 1, n, inc < 0 ? -inc : inc, type, reads, writes};
    }
    // The values of a product that hold for each of a batch.
    OK_QUIET bool begin(const Product& p) {
        operation("transa", p.transa), operation("transb", p.transb);
        least("m", p.m, 0), least("n", p.n, 0), least("k", p.k, 0);
        leading("lda", p.lda, p.transa == CUBLAS_OP_N ? p.m : p.k), leading("ldb", p.ldb, p.transb == CUBLAS_OP_N ? p.k : p.n);
        leading("ldc", p.ldc, p.m);
        alpha_ = scalar("alpha", p.alpha, p.scalar), beta_ = scalar("beta", p.beta, p.scalar);
        return good() && p.m > 0 && p.n > 0;
    }
    OK_QUIET void multiply(const Product& p, const void* a, const void* b, void* c) {
        const bool ta = p.transa != CUBLAS_OP_N, tb = p.transb != CUBLAS_OP_N;
        const Operand operands[] = {{"C", c, p.m, p.n, p.ldc, p.c, beta_ != 0, true},
                                    {"A", a, ta ? p.k : p.m, ta ? p.m : p.k, p.lda, p.ab, true, false},
                                    {"B", b, tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, p.ab, true, false}};
        const Gemm gemm{ta, tb, p.m, p.n, p.k, alpha_, beta_, a, p.lda, b, p.ldb, c, p.ldc, p.ab, p.c};
        work(operands, alpha_ == 0 || p.k == 0 ? 1 : 3, [=]() OK_QUIET { ok_gemm(&gemm); });
    }

    cublasHandle_t handle_;
    LibraryCall call_;
    cublasStatus_t status_;
    double alpha_ = 0, beta_ = 0;
};

}  // namespace __ok
