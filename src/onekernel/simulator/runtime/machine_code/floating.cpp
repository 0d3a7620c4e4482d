// Arithmetic of floating-point numbers, for kernels in which a value decides what is accessed. Rounded as the C++ compiler
// rounds; the special functions (MUFU) are the C library's, whose last bits are not a GPU's.
#include <cmath>

#include "lanes.h"

namespace __ok {
namespace machine {
static float as_float(uint32_t v) { float f; memcpy(&f, &v, 4); return f; }
static uint32_t bits_of(float f) { uint32_t v; memcpy(&v, &f, 4); return v; }
static double as_double(uint32_t low, uint32_t high) {
    uint64_t v = uint64_t(high) << 32 | low;
    double d;
    memcpy(&d, &v, 8);
    return d;
}
static uint64_t bits_of(double d) { uint64_t v; memcpy(&v, &d, 8); return v; }

static float half_to_float(uint16_t h) {
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float f = exponent == 31 ? (mantissa ? NAN : INFINITY)
                             : exponent ? std::ldexp(1.0f + mantissa / 1024.0f, exponent - 15) : std::ldexp(mantissa / 1024.0f, -14);
    return h & 0x8000 ? -f : f;
}
static uint16_t float_to_half(float f) {
    uint32_t v = bits_of(f), sign = v >> 16 & 0x8000;
    if (std::isnan(f)) return 0x7fff;
    float a = std::fabs(f);
    if (a >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
    if (a == 0) return static_cast<uint16_t>(sign);
    int exponent;
    std::frexp(a, &exponent);
    int e = exponent - 1 < -14 ? -14 : exponent - 1;
    auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(a, 10 - e)));  // ties to even
    return static_cast<uint16_t>(sign | (units + (static_cast<uint32_t>(e + 14) << 10)));
}

static float signed_float(uint32_t v, int flags) {
    float f = as_float(v);
    if (flags & ABSOLUTE) f = std::fabs(f);
    return flags & NEGATIVE ? -f : f;
}

static bool compare_numbers(int mode, double a, double b) {
    bool unordered = std::isnan(a) || std::isnan(b);
    switch (mode) {
    case MODE_LT: return a < b;
    case MODE_EQ: return a == b;
    case MODE_LE: return a <= b;
    case MODE_GT: return a > b;
    case MODE_NE: return !unordered && a != b;
    case MODE_GE: return a >= b;
    case MODE_LTU: return unordered || a < b;
    case MODE_EQU: return unordered || a == b;
    case MODE_LEU: return unordered || a <= b;
    case MODE_GTU: return unordered || a > b;
    case MODE_NEU: return unordered || a != b;
    case MODE_GEU: return unordered || a >= b;
    case MODE_NUM: return !unordered;
    case MODE_NAN: return unordered;
    case MODE_T: return true;
    default: return false;
    }
}

static double operand_double(const Operand& o, const uint32_t* low, const uint32_t* high, int k) {
    double d = o.kind == IMMEDIATE ? as_double(0, low[k]) : as_double(low[k], high[k]);
    if (o.flags & ABSOLUTE) d = std::fabs(d);
    return o.flags & NEGATIVE ? -d : d;
}

static void doubles(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[6], low, high;
    const uint32_t* v[6];
    for (int k = 0; k < 6; k++) v[k] = raw(m, w, i.operands[k / 2], k % 2, room[k]);
    uint32_t truth = 0;
    for (int k = 0; k < WARP; k++) {
        double x[3];
        for (int j = 0; j < 3; j++) x[j] = operand_double(i.operands[j], v[2 * j], v[2 * j + 1], k);
        truth |= uint32_t(compare_numbers(i.mode, x[0], x[1])) << k;
        uint64_t r = bits_of(i.op == OP_DADD ? x[0] + x[1] : i.op == OP_DMUL ? x[0] * x[1] : std::fma(x[0], x[1], x[2]));
        low[k] = static_cast<uint32_t>(r);
        high[k] = static_cast<uint32_t>(r >> 32);
    }
    if (i.op == OP_DSETP) {
        uint32_t other = predicate(w, i.operands[2]);
        auto joined = [&](uint32_t a) { return OK_HAS(i, OR) ? a | other : OK_HAS(i, XOR) ? a ^ other : a & other; };
        set_predicate(w, i.predicates[1], joined(~truth), lanes);
        set_predicate(w, i.predicates[0], joined(truth), lanes);
        return;
    }
    write(w, i.destination, low, lanes);
    write(w, i.destination, high, lanes, 1);
}

static float special(int mode, float x) {
    switch (mode) {
    case MODE_RCP: return 1.0f / x;
    case MODE_RSQ: return 1.0f / std::sqrt(x);
    case MODE_EX2: return std::exp2(x);
    case MODE_LG2: return std::log2(x);
    case MODE_SIN: return std::sin(x);
    case MODE_COS: return std::cos(x);
    case MODE_SQRT: return std::sqrt(x);
    default: return std::tanh(x);
    }
}

// May a division by the fast way go wrong? Then the code calls the slow one.
static bool needs_slow_division(float a, float b) {
    int x = std::fpclassify(a) == FP_NORMAL ? std::ilogb(a) : -200, y = std::fpclassify(b) == FP_NORMAL ? std::ilogb(b) : 200;
    return std::isnan(a) || std::isinf(a) || y > 125 || y < -125 || (a != 0 && (x - y > 125 || x - y < -125 || x < -100));
}

static void singles(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[3], out;
    const uint32_t* v[3];
    for (int k = 0; k < 3; k++) v[k] = raw(m, w, i.operands[k], 0, room[k]);
    uint32_t truth = 0, p = 0;
    for (const Operand& o : i.operands)
        if (o.kind == PREDICATE || o.kind == UNIFORM_PREDICATE) p = predicate(w, o);
    for (int k = 0; k < WARP; k++) {
        float x[3], r = 0;
        for (int j = 0; j < 3; j++) x[j] = signed_float(v[j][k], i.operands[j].flags);
        switch (i.op) {
        case OP_FADD: r = x[0] + x[1]; break;
        case OP_FMUL: r = x[0] * x[1]; break;
        case OP_FFMA: r = std::fma(x[0], x[1], x[2]); break;
        case OP_FMNMX: r = p >> k & 1 ? std::fmin(x[0], x[1]) : std::fmax(x[0], x[1]); break;
        case OP_FSEL: r = p >> k & 1 ? x[0] : x[1]; break;
        case OP_FCHK: truth |= uint32_t(needs_slow_division(x[0], x[1])) << k; break;
        case OP_FSETP: case OP_FSET: truth |= uint32_t(compare_numbers(i.mode, x[0], x[1])) << k; break;
        case OP_FRND: r = OK_HAS(i, FLOOR) ? std::floor(x[0]) : OK_HAS(i, CEIL) ? std::ceil(x[0])
                        : OK_HAS(i, TRUNC) ? std::trunc(x[0]) : std::nearbyint(x[0]); break;
        default:
            if (i.mode == MODE_RCP64H) {
                out[k] = static_cast<uint32_t>(bits_of(1.0 / as_double(0, v[0][k])) >> 32);
                continue;
            }
            if (i.mode == MODE_RSQ64H) {
                out[k] = static_cast<uint32_t>(bits_of(1.0 / std::sqrt(as_double(0, v[0][k]))) >> 32);
                continue;
            }
            r = special(i.mode, x[0]);
        }
        if (OK_HAS(i, SAT)) r = std::isnan(r) ? 0 : std::fmin(std::fmax(r, 0.0f), 1.0f);
        out[k] = bits_of(r);
    }
    const uint32_t other = i.op == OP_FCHK ? ~0u : p;
    auto joined = [&](uint32_t a) { return OK_HAS(i, OR) ? a | other : OK_HAS(i, XOR) ? a ^ other : a & other; };
    if (i.op == OP_FSET) {
        const uint32_t yes = OK_HAS(i, BF) ? bits_of(1.0f) : ~0u;
        for (int k = 0; k < WARP; k++) out[k] = joined(truth) >> k & 1 ? yes : 0;
    }
    if (i.op == OP_FSETP || i.op == OP_FCHK) {
        if (i.predicates[1].kind) set_predicate(w, i.predicates[1], joined(~truth), lanes);
        set_predicate(w, i.predicates[0], joined(truth), lanes);
        return;
    }
    write(w, i.destination, out, lanes);
}

static float half_of(const Operand& o, uint32_t v, int part, int position) {
    if (o.kind == IMMEDIATE) part = 0;  // each half has an immediate of its own
    else if (o.flags & LOW_HALF) part = 0;
    else if (o.flags & HIGH_HALF) part = 1;
    (void)position;
    float f = half_to_float(static_cast<uint16_t>(v >> 16 * part));
    if (o.flags & ABSOLUTE) f = std::fabs(f);
    return o.flags & NEGATIVE ? -f : f;
}

// Pairs of 16-bit floats. Two immediates in a row are one operand: the upper half's first.
static void halves(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[6], out;
    const uint32_t* v[6];
    const Operand* parts[3][2] = {};
    int n = 0;
    for (int k = 0; k < 6 && n < 3; k++) {
        const Operand& o = i.operands[k];
        if (o.kind == NOTHING) break;
        bool pair = o.kind == IMMEDIATE && k + 1 < 6 && i.operands[k + 1].kind == IMMEDIATE;
        parts[n][1] = &o;
        parts[n++][0] = pair ? &i.operands[++k] : &o;
    }
    for (int k = 0; k < 6; k++) v[k] = raw(m, w, i.operands[k], 0, room[k]);
    auto at = [&](int operand, int part, int k) {
        const Operand& o = *parts[operand][part];
        return half_of(o, v[&o - i.operands][k], part, operand);
    };
    for (int k = 0; k < WARP; k++) {
        uint32_t both = 0;
        for (int part = 0; part < 2; part++) {
            float a = at(0, part, k), b = at(1, part, k);
            float r = i.op == OP_HADD2 ? a + b : i.op == OP_HMUL2 ? a * b : std::fma(a, b, at(2, part, k));
            if (OK_HAS(i, F32)) {
                both = bits_of(r);
                break;
            }
            both |= uint32_t(float_to_half(r)) << 16 * part;
        }
        out[k] = both;
    }
    write(w, i.destination, out, lanes);
}

static uint64_t whole_number(const Instruction& i, double x) {
    if (std::isnan(x)) return OK_HAS(i, U64) || OK_HAS(i, S64) ? 1ull << 63 : 0;
    x = OK_HAS(i, TRUNC) ? std::trunc(x) : OK_HAS(i, FLOOR) ? std::floor(x) : OK_HAS(i, CEIL) ? std::ceil(x) : std::nearbyint(x);
    auto within = [&](double least, double most) { return x < least ? least : x > most ? most : x; };
    if (OK_HAS(i, U64)) return static_cast<uint64_t>(within(0, 18446744073709549568.0));
    if (OK_HAS(i, S64)) return static_cast<uint64_t>(static_cast<int64_t>(within(-9223372036854775808.0, 9223372036854774784.0)));
    if (OK_HAS(i, U32)) return static_cast<uint32_t>(within(0, 4294967295.0));
    return static_cast<uint32_t>(static_cast<int32_t>(within(-2147483648.0, 2147483647.0)));
}

static float upwards(double exact) {
    auto f = static_cast<float>(exact);
    return f < exact ? std::nextafterf(f, INFINITY) : f;
}

static void conversions(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[4], low, high;
    const uint32_t* a = raw(m, w, i.operands[0], 0, room[0]);
    const uint32_t* b = raw(m, w, i.operands[0], 1, room[1]);
    const uint32_t* c = raw(m, w, i.operands[1], 0, room[2]);
    int flags = i.operands[0].flags;
    for (int k = 0; k < WARP; k++) {
        uint64_t both = uint64_t(b[k]) << 32 | a[k], r;
        if (i.op == OP_F2FP) {
            r = uint32_t(float_to_half(signed_float(a[k], flags))) << 16 | float_to_half(signed_float(c[k], i.operands[1].flags));
        } else if (i.op == OP_I2F || i.op == OP_I2FP) {
            int64_t n = OK_HAS(i, S64) || OK_HAS(i, U64) ? static_cast<int64_t>(both)
                        : OK_HAS(i, U32) ? int64_t(a[k]) : int64_t(static_cast<int32_t>(a[k]));
            if (flags & NEGATIVE) n = -n;
            double exact = OK_HAS(i, U64) ? static_cast<double>(both) : static_cast<double>(n);
            r = OK_HAS(i, TO_F64) ? bits_of(exact) : OK_HAS(i, TO_F16) ? float_to_half(static_cast<float>(exact))
                : bits_of(OK_HAS(i, RP) ? upwards(exact) : OK_HAS(i, U64) ? static_cast<float>(both) : static_cast<float>(n));
        } else {
            double x = OK_HAS(i, F64) ? as_double(a[k], b[k]) : OK_HAS(i, F16) ? half_to_float(static_cast<uint16_t>(a[k])) : as_float(a[k]);
            if (flags & ABSOLUTE) x = std::fabs(x);
            if (flags & NEGATIVE) x = -x;
            if (i.op == OP_F2I) r = whole_number(i, x);
            else r = OK_HAS(i, TO_F64) ? bits_of(x) : OK_HAS(i, TO_F16) ? float_to_half(static_cast<float>(x)) : bits_of(static_cast<float>(x));
        }
        low[k] = static_cast<uint32_t>(r);
        high[k] = static_cast<uint32_t>(r >> 32);
    }
    write(w, i.destination, low, lanes);
    bool pair = OK_HAS(i, TO_F64) || (i.op == OP_F2I && (OK_HAS(i, U64) || OK_HAS(i, S64)));
    if (pair) write(w, i.destination, high, lanes, 1);
}

bool run_floating(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    switch (i.op) {
    case OP_FADD: case OP_FMUL: case OP_FFMA: case OP_FSETP: case OP_FSET: case OP_FMNMX: case OP_FSEL: case OP_FCHK: case OP_MUFU: case OP_FRND:
        singles(m, w, i, lanes);
        return true;
    case OP_DADD: case OP_DMUL: case OP_DFMA: case OP_DSETP: doubles(m, w, i, lanes); return true;
    case OP_HADD2: case OP_HMUL2: case OP_HFMA2: halves(m, w, i, lanes); return true;
    case OP_I2F: case OP_I2FP: case OP_F2I: case OP_F2F: case OP_F2FP: conversions(m, w, i, lanes); return true;
    default: return false;
    }
}
}  // namespace machine
}  // namespace __ok
