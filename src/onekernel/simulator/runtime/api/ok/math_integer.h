// Integer intrinsics of the CUDA Math API ("Integer Intrinsics") and the integer overloads of min and max.
#pragma once
#include "bits.h"

OK_ALWAYS int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
OK_ALWAYS int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
OK_ALWAYS int __ffs(int x) { return __builtin_ffs(x); }
OK_ALWAYS int __ffsll(long long x) { return __builtin_ffsll(x); }
OK_ALWAYS int __popc(unsigned x) { return __builtin_popcount(x); }
OK_ALWAYS int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// The place of the offset'th bit of the mask from bit `base` on, that one among them; downwards for a negative offset, for 0
// the base alone (PTX ISA, "fns"). All ones where there is none.
OK_ALWAYS unsigned __fns(unsigned mask, unsigned base, int offset) {
    const int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
        const bool set = mask >> at & 1;
        if (offset == 0) return set ? base : ~0u;
        if (set && --left == 0) return static_cast<unsigned>(at);
    }
    return ~0u;
}
OK_ALWAYS unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
OK_ALWAYS unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}

// Each nibble of the selector picks a byte of y:x; its high bit copies that byte's sign instead.
OK_ALWAYS unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
    unsigned out = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> 4 * i & 0xf;
        unsigned byte = static_cast<unsigned>(both >> 8 * (nibble & 7)) & 0xff;
        if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * i;
    }
    return out;
}

// hi:lo shifted, the upper (l) or lower (r) word kept; the c forms clamp the shift at 32 instead of wrapping it.
OK_ALWAYS unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
    const unsigned n = shift < 32 ? shift : 32;
    return static_cast<unsigned>(((static_cast<unsigned long long>(hi) << 32 | lo) << n) >> 32);
}
OK_ALWAYS unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
    const unsigned n = shift < 32 ? shift : 32;
    return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) >> n);
}
OK_ALWAYS unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
    return __funnelshift_lc(lo, hi, shift & 31);
}
OK_ALWAYS unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
    return __funnelshift_rc(lo, hi, shift & 31);
}

OK_ALWAYS int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
OK_ALWAYS unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
OK_ALWAYS long long __mul64hi(long long x, long long y) {
    return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
OK_ALWAYS unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
namespace __ok {
OK_ALWAYS unsigned sign24(int x) { return static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(x) << 8) >> 8); }
}  // namespace __ok
OK_ALWAYS int __mul24(int x, int y) { return static_cast<int>(__ok::sign24(x) * __ok::sign24(y)); }
OK_ALWAYS unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
OK_ALWAYS unsigned __sad(int x, int y, unsigned z) {
    return z + (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                      : static_cast<unsigned>(y) - static_cast<unsigned>(x));
}
OK_ALWAYS unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
OK_ALWAYS int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
OK_ALWAYS int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
OK_ALWAYS unsigned __uhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
OK_ALWAYS unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// Four products of bytes added to c.
OK_ALWAYS int __dp4a(int a, int b, int c) {
    unsigned sum = static_cast<unsigned>(c);
    for (int i = 0; i < 32; i += 8)
        sum += static_cast<unsigned>(static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i));
    return static_cast<int>(sum);
}
OK_ALWAYS unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}

// Two products of a 16-bit half and a byte, of the lower or the upper two bytes, added to c.
#define OK_DP2A(name, first)                                                                                      \
    OK_ALWAYS int name(int a, int b, int c) {                                                                     \
        const unsigned low = static_cast<unsigned>(static_cast<short>(a) * static_cast<signed char>(b >> first)); \
        const unsigned high = static_cast<unsigned>((a >> 16) * static_cast<signed char>(b >> (first + 8)));      \
        return static_cast<int>(static_cast<unsigned>(c) + low + high);                                           \
    }                                                                                                             \
    OK_ALWAYS unsigned name(unsigned a, unsigned b, unsigned c) {                                                 \
        return c + (a & 0xffff) * (b >> first & 0xff) + (a >> 16) * (b >> (first + 8) & 0xff);                    \
    }
OK_DP2A(__dp2a_lo, 0)
OK_DP2A(__dp2a_hi, 16)
#undef OK_DP2A

// The overloads that CUDA has, no more: a call that is ambiguous to nvcc stays ambiguous here.
#define OK_MIN_MAX(result, a_type, b_type)                                                                        \
    OK_ALWAYS constexpr result min(a_type a, b_type b) {                                                          \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }                                                                                                             \
    OK_ALWAYS constexpr result max(a_type a, b_type b) {                                                          \
        return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }
#define OK_MIN_MAX_SIGNS(type)                              \
    OK_MIN_MAX(type, type, type)                            \
    OK_MIN_MAX(unsigned type, unsigned type, unsigned type) \
    OK_MIN_MAX(unsigned type, type, unsigned type)          \
    OK_MIN_MAX(unsigned type, unsigned type, type)
OK_MIN_MAX_SIGNS(int)
OK_MIN_MAX_SIGNS(long)
OK_MIN_MAX_SIGNS(long long)
#undef OK_MIN_MAX_SIGNS
#undef OK_MIN_MAX

#define OK_NAMED_MIN_MAX(prefix, type)                                   \
    OK_ALWAYS type prefix##min(type a, type b) { return a < b ? a : b; } \
    OK_ALWAYS type prefix##max(type a, type b) { return a > b ? a : b; }
OK_NAMED_MIN_MAX(u, unsigned)
OK_NAMED_MIN_MAX(ll, long long)
OK_NAMED_MIN_MAX(ull, unsigned long long)
#undef OK_NAMED_MIN_MAX
