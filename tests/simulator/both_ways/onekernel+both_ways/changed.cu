// Numbers that are changed in place, written by functions, read through pointers and as the bits of others.

#define T (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void and_in_place(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    v &= 0xFF;
    y[T] = v;
}

__global__ void shift_in_place(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    v >>= 16;
    y[T] = v;
}

__global__ void mod_in_place(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    v %= 256;
    y[T] = v;
}

__global__ void divided_in_place(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    v /= 65536;
    y[T] = v;
}

__device__ void take(unsigned* to, const unsigned* k, int i) { *to = k[i]; }  // narrows-global

__global__ void stored_through_pointer(const unsigned* k, float* y) {
    unsigned v;
    take(&v, k, T);
    y[T] = v & 0xFF;
}

__device__ void take_reference(unsigned& to, const unsigned* k, int i) { to = k[i]; }  // narrows-global

__global__ void stored_through_reference(const unsigned* k, float* y) {
    unsigned v;
    take_reference(v, k, T);
    y[T] = v & 0xFF;
}

__device__ float of_int(int v) { return v * 0.5f; }

__global__ void long_variable_given_to_int(const long long* k, float* y) {
    long long v = k[T];  // narrows-global
    y[T] = of_int(v);
}

__global__ void high_of_variable(const double* d, float* y) {
    double v = d[T];  // narrows-global
    y[T] = __double2hiint(v);
}

__global__ void low_of_variable(const double* d, float* y) {
    double v = d[T];  // narrows-global
    y[T] = __double2loint(v);
}

__global__ void bits_shifted(const float* x, float* y) {
    int v = __float_as_int(x[T]);  // narrows-global
    y[T] = v >> 16;
}

__global__ void bits_masked(const float* x, float* y) { y[T] = __float_as_uint(x[T]) & 0xFFFF; }  // narrows-global

__global__ void punned(const float* x, float* y) {
    float v = x[T];  // narrows-global
    unsigned bits = *(unsigned*)&v;
    y[T] = bits & 0xFF;
}

__global__ void punned_pointer(const float* x, float* y) {
    const unsigned* bits = reinterpret_cast<const unsigned*>(x);
    y[T] = bits[T] >> 24;  // narrows-global
}

struct Four { float a, b, c, d; };
struct alignas(16) Wide { float a, b, c, d; };

__device__ Wide load_wide(const float* x, int i) { return reinterpret_cast<const Wide*>(x)[i]; }  // narrows-global

__device__ Wide load_kept(const float* x, int i) {
    Wide w = reinterpret_cast<const Wide*>(x)[i];  // narrows-global
    return w;
}

__global__ void returned_variable(const float* x, float* y) {
    Wide w = load_kept(x, T);
    y[T] = w.a + w.b;
}

__global__ void returned_and_given(const float* x, float* y) {
    const Wide& w = load_wide(x, T);
    y[T] = w.c;
}

__device__ const float4& identity(const float4& v) { return v; }

__global__ void returned_by_what_it_was_given(const float* x, float* y) {
    float4 v = identity(reinterpret_cast<const float4*>(x)[T]);  // narrows-global
    y[T] = v.x + v.w;
}

__device__ void fill(const float* x, float4& v, int i) { v = reinterpret_cast<const float4*>(x)[i]; }  // narrows-global

__global__ void struct_by_reference_filled(const float* x, float* y) {
    float4 v;
    fill(x, v, T);
    y[T] = v.x;
}

__device__ void fill_pointer(const float* x, float4* v, int i) { *v = reinterpret_cast<const float4*>(x)[i]; }  // narrows-global

__global__ void struct_by_pointer_filled(const float* x, float* y) {
    float4 v;
    fill_pointer(x, &v, T);
    y[T] = v.x + v.y;
}

__global__ void through_a_pointer_of_its_own(const float* x, float* y) {
    float4 v = reinterpret_cast<const float4*>(x)[T];  // narrows-global
    const float* p = &v.x;
    y[T] = p[1];
}

__global__ void by_a_reference_of_memory(const float* x, float* y) {
    const float4& v = reinterpret_cast<const float4*>(x)[T];
    y[T] = v.y + v.z;
}

__global__ void scaled_in_place(const float* x, float* y) {
    float4 v = reinterpret_cast<const float4*>(x)[T];  // narrows-global
    v.x *= 2;
    y[T] = v.x;
}

__global__ void and_in_place_of_long(const long long* k, float* y) {
    long long v = k[T];  // narrows-global
    v &= 0xFFFFFFFF;
    y[T] = v;
}

// Numbers and types by their names, masks in other forms.
__global__ void chosen_masked(const unsigned* k, float* y) {
    y[T] = (threadIdx.x & 1 ? k[T] : k[T] + 1) & 0xFF;  // apart-global
}

__global__ void double_bits(const double* d, float* y) {
    long long v = __double_as_longlong(d[T]);  // narrows-global
    y[T] = (int)(v & 0xFFFFFFFF);
}

struct Bits { unsigned a : 8, b : 8, c : 16; };
__global__ void bit_field(const Bits* k, float* y) {
    Bits v = k[T];  // narrows-global
    y[T] = v.a;
}

__global__ void bit_field_direct(const Bits* k, float* y) {
    y[T] = k[T].a;
}

__global__ void masked_by_variable(const unsigned* k, float* y) {
    const unsigned m = 0xFF;
    y[T] = k[T] & m;  // narrows-global
}

constexpr unsigned LOW = 0xFF;
__global__ void masked_by_constant(const unsigned* k, float* y) {
    y[T] = k[T] & LOW;  // narrows-global
}

#define MASK 0xFF
__global__ void masked_by_macro(const unsigned* k, float* y) {
    y[T] = k[T] & MASK;  // narrows-global
}

__global__ void masked_first(const unsigned* k, float* y) {
    y[T] = 0xFF & k[T];  // narrows-global
}

template <typename N> __device__ N narrow(unsigned v) { return N(v); }
__global__ void by_template(const unsigned* k, float* y) {
    y[T] = narrow<unsigned char>(k[T]);  // narrows-global
}

using Byte = unsigned char;
__global__ void by_alias(const unsigned* k, float* y) {
    y[T] = (Byte)k[T];  // narrows-global
}

__global__ void in_parts(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    v >>= 8;
    v &= 0xFF;
    y[T] = v;
}

__global__ void loop_shift(const unsigned* k, float* y) {
    unsigned v = k[T];
    int s = 0;
    for (int i = 0; i < 2; i++) {
        s += v & 0xFF;
        v >>= 8;
    }
    y[T] = s;
}
