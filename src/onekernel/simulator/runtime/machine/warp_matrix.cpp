// Instructions of a whole warp on matrices: mma, ldmatrix, stmatrix, movmatrix. Where an element lies is PTX's: "Matrix
// Fragments for mma", one rule for all shapes: lane 4 g + t; a register of A holds the elements of row g (odd registers: g + 8)
// that begin at column t times what a register holds, the next pair of registers those of the next 4 such columns; of B
// likewise with rows for columns; of C and D the columns 2 t and 2 t + 1 of rows g and g + 8.
// Products and sums are made in double and rounded once. But: Tensor Cores add in an order, and with bits cut off, that NVIDIA
// does not publish, so that last bits of sums that are not exact differ.
#include "../api/ok/fp8_bits.h"
#include "../api/ok/narrow_float.h"
#include "../api/ok/warp_matrix.h"
#include "../report/findings.h"
#include "launch.h"
#include "state.h"

namespace __ok {
namespace {
using ptx::Element;
using ptx::WarpMatrix;

int bits_of(Element e) {
    switch (e) {
        case Element::f64: return 64;
        case Element::tf32: case Element::f32: case Element::s32: return 32;
        case Element::f16: case Element::bf16: return 16;
        case Element::u4: case Element::s4: return 4;
        default: return 8;
    }
}

inline double element(const uint32_t* registers, Element e, int index) {
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(registers);
    uint16_t half = reinterpret_cast<const uint16_t*>(registers)[bits_of(e) == 16 ? index : 0];
    uint32_t word = registers[bits_of(e) == 32 ? index : 0];
    switch (e) {
        case Element::f16: return half_value(half);
        case Element::bf16: return bfloat16_value(half);
        case Element::tf32: return bit_cast<float>(word & ~0x1fffu);  // the low 13 bits are not read
        case Element::f32: return bit_cast<float>(word);
        case Element::s32: return static_cast<int32_t>(word);
        case Element::f64: return reinterpret_cast<const double*>(registers)[index];
        case Element::u8: return bytes[index];
        case Element::s8: return static_cast<int8_t>(bytes[index]);
        case Element::u4: return bytes[index / 2] >> 4 * (index % 2) & 15;
        case Element::s4: return static_cast<int8_t>(bytes[index / 2] << (index % 2 ? 0 : 4)) >> 4;
        case Element::e4m3: return fp8_value<E4M3>(bytes[index]);
        case Element::e5m2: return fp8_value<E5M2>(bytes[index]);
    }
    return 0;
}

// Calls with_number(the function that reads an element of this type): the types of most products are told apart once for all elements.
template <class F>
void by_type(Element e, F with_number) {
    switch (e) {
        case Element::f16: return with_number([](const uint32_t* registers, int index) { return element(registers, Element::f16, index); });
        case Element::bf16: return with_number([](const uint32_t* registers, int index) { return element(registers, Element::bf16, index); });
        case Element::f32: return with_number([](const uint32_t* registers, int index) { return element(registers, Element::f32, index); });
        default: return with_number([e](const uint32_t* registers, int index) { return element(registers, e, index); });
    }
}

void put_element(uint32_t* registers, Element e, int index, double value, bool saturates) {
    switch (e) {
        case Element::f16: reinterpret_cast<uint16_t*>(registers)[index] = narrow<HalfFormat>(value); break;
        case Element::f64: reinterpret_cast<double*>(registers)[index] = value; break;
        case Element::s32: {
            int64_t whole = static_cast<int64_t>(value);  // exact: it has fewer than 53 bits
            if (saturates) whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            registers[index] = static_cast<uint32_t>(whole);
            break;
        }
        default: registers[index] = bit_cast<uint32_t>(static_cast<float>(value));
    }
}

// Calls place(lane, element of the lane's registers, row, column) for all elements of A: `rows` x `k`, as B's transpose has them.
template <class F>
void each_of_operand(Element e, int rows, int k, F place) {
    int each = bits_of(e) >= 32 ? 1 : 32 / bits_of(e), registers = rows / 8 * (k / (4 * each));
    for (int lane = 0; lane < WARP; lane++)
        for (int r = 0; r < registers; r++)
            for (int i = 0; i < each; i++) {
                int high = rows == 16 ? r % 2 : 0, step = rows == 16 ? r / 2 : r;
                place(lane, r * each + i, lane / 4 + 8 * high, step * 4 * each + lane % 4 * each + i);
            }
}
template <class F>
void each_of_sum(int m, F place) {
    for (int lane = 0; lane < WARP; lane++)
        for (int i = 0; i < m / 4; i++) place(lane, i, lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
}

void multiply(WarpMatrix* const* lanes) {
    constexpr int M = 16, N = 8, K = 64;
    const WarpMatrix& first = *lanes[0];
    static thread_local double a[M][K], b[K][N], sum[M][N];
    by_type(first.of_a, [&](auto number) {
        each_of_operand(first.of_a, first.m, first.k, [&](int lane, int i, int row, int column) { a[row][column] = number(lanes[lane]->a, i); });
    });
    by_type(first.of_b, [&](auto number) {
        each_of_operand(first.of_b, 8, first.k, [&](int lane, int i, int column, int row) { b[row][column] = number(lanes[lane]->b, i); });
    });
    by_type(first.of_c, [&](auto number) {
        each_of_sum(first.m, [&](int lane, int i, int row, int column) { sum[row][column] = number(lanes[lane]->c, i); });
    });
    for (int row = 0; row < first.m; row++) {
        double of_row[N];  // in registers
        for (int column = 0; column < N; column++) of_row[column] = sum[row][column];
        for (int k = 0; k < first.k; k++)
            for (int column = 0; column < N; column++) of_row[column] += a[row][k] * b[k][column];
        for (int column = 0; column < N; column++) sum[row][column] = of_row[column];
    }
    each_of_sum(first.m, [&](int lane, int i, int row, int column) { put_element(lanes[lane]->d, first.of_d, i, sum[row][column], first.flag); });
}

// An 8 x 8 matrix of 16-bit numbers between its rows and the lanes' registers: lane 4 g + t holds columns 2 t and 2 t + 1 of
// row g, or of the transpose's.
typedef uint16_t Matrix[8][8];
void to_lanes(const Matrix& x, WarpMatrix* const* lanes, int index, bool transposed) {
    for (int lane = 0; lane < WARP; lane++) {
        int g = lane / 4, t = lane % 4 * 2;
        uint16_t low = transposed ? x[t][g] : x[g][t], high = transposed ? x[t + 1][g] : x[g][t + 1];
        lanes[lane]->d[index] = low | uint32_t(high) << 16;
    }
}
void from_lanes(Matrix& x, WarpMatrix* const* lanes, int index, bool transposed) {
    for (int lane = 0; lane < WARP; lane++) {
        int g = lane / 4, t = lane % 4 * 2;
        uint32_t both = lanes[lane]->d[index];
        (transposed ? x[t][g] : x[g][t]) = static_cast<uint16_t>(both);
        (transposed ? x[t + 1][g] : x[g][t + 1]) = static_cast<uint16_t>(both >> 16);
    }
}

void move(WarpMatrix* const* lanes) {
    const WarpMatrix first = *lanes[0];
    for (int i = 0; i < first.m; i++) {
        Matrix x;
        if (first.work == ptx::LOAD_MATRICES)
            for (int row = 0; row < 8; row++) __builtin_memcpy(x[row], lanes[8 * i + row]->a, sizeof x[row]);
        else from_lanes(x, lanes, i, first.work == ptx::STORE_MATRICES && first.flag);
        if (first.work == ptx::STORE_MATRICES)
            for (int row = 0; row < 8; row++) __builtin_memcpy(lanes[8 * i + row]->a, x[row], sizeof x[row]);
        else to_lanes(x, lanes, i, first.flag);
    }
}
}  // namespace

bool same_instruction(const Thread& a, const Thread& b) { return a.at.line == b.at.line && a.at.file == b.at.file; }

// All lanes of `group` have come. True where they are a warp.
void compute_warp_matrix(Worker& w, int warp, unsigned group) {
    Thread* lanes = w.threads + warp * WARP;
    const Thread& leader = lanes[__builtin_ctz(group)];
    WarpMatrix* records[WARP];
    for (int i = 0; i < WARP; i++) records[i] = group >> i & 1 ? reinterpret_cast<WarpMatrix*>(lanes[i].value) : nullptr;
    const WarpMatrix& first = *reinterpret_cast<WarpMatrix*>(leader.value);
    if (~group) {
        int in_warp = w.launch->threads - warp * WARP;
        Finding("partial-warp", uint64_t(leader.at.line)).form(in_warp < WARP ? "small" : "exited").at(leader.at).here().text("instruction", first.name)
            .number("lanes", __builtin_popcount(group)).add();
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    if (first.work == ptx::MULTIPLY) multiply(records);
    else move(records);
}

extern "C" void ok_warp_matrix(WarpMatrix* mine, Site at) {
    ok_collective(MATRIX, ~0u, reinterpret_cast<uint64_t>(mine), 0, 32, 8, nullptr, at);
}
}  // namespace __ok
