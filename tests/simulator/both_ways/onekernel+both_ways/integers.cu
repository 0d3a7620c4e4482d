// Integers, and halves, of which some bytes are used.

__global__ void int_mod_256(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] % 256u;  // narrows-global
}

__global__ void masked_variable(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];  // narrows-global
    y[i] = v & 0xFF;
}

__global__ void cast_variable(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];  // narrows-global
    y[i] = static_cast<unsigned char>(v);
}

__device__ unsigned low_byte(unsigned v) { return v & 0xFFu; }
__global__ void masked_given(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = low_byte(k[i]);  // narrows-global
}

__global__ void tested_bit(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] & 0x10000 ? 1.0f : 0.0f;
}

__global__ void double_high(const double* d, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __double2hiint(d[i]);  // narrows-global
}

__device__ int as_int(int v) { return v * 2; }
__global__ void long_given_to_int(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long* l = reinterpret_cast<const long long*>(k);
    y[i] = as_int(l[i]);  // narrows-global
}

__global__ void shift8_mask(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (k[i] >> 8) & 0xFF;  // narrows-global
}

__global__ void low_twice(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];  // narrows-global
    y[i] = (v & 0xFF) * (1 + (v & 0xFF));
}

__global__ void rgb(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];
    y[i] = (v & 0xFF) + (v >> 8 & 0xFF) + (v >> 16 & 0xFF);
}

__global__ void rg(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];
    y[i] = (v & 0xFF) + (v >> 8 & 0xFF);
}

__global__ void low_high(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];
    y[i] = (v & 0xFF) + (v >> 24);
}

__global__ void mask_ff00(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] & 0xFF00;
}

__global__ void mask_high(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] & 0xFFFF0000u;
}

__global__ void shift8(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] >> 8;
}

__global__ void signed_shift24(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] >> 24;  // narrows-global
}

__global__ void signed_mod(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] % 256;
}

__global__ void unsigned_mod_var(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];  // narrows-global
    y[i] = v % 256;
}

__global__ void unsigned_mod(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] % 256;  // narrows-global
}

__global__ void unsigned_mod_64k(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] % 65536;  // narrows-global
}

__global__ void unsigned_mod_32(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] % 32;
}

__global__ void unsigned_div(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = k[i] / 65536;  // narrows-global
}

__global__ void cast_short(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (short)k[i];  // narrows-global
}

__global__ void cast_short_var(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = k[i];  // narrows-global
    y[i] = (short)v;
}

__global__ void cast_uint8_var(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = k[i];  // narrows-global
    y[i] = (unsigned char)(v);
}

__global__ void given_to_uchar_var(const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = k[i];  // narrows-global
    unsigned char c = v;
    y[i] = c;
}

__global__ void bit_of_variable(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];
    y[i] = (v >> 31) ? 1 : 0;
}

__global__ void byte_perm(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __byte_perm(k[i], 0, 0x4440);
}

__global__ void uchar4_two(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 v = reinterpret_cast<const uchar4*>(k)[i];
    y[i] = v.x + v.y;
}

__global__ void uchar4_one(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 v = reinterpret_cast<const uchar4*>(k)[i];  // narrows-global
    y[i] = v.z;
}

__global__ void long_hi_var(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long v = l[i];  // narrows-global
    y[i] = (int)(v >> 32);
}

__global__ void long_lo_mask(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (unsigned)(l[i] & 0xFFFFFFFF);  // narrows-global
}

__global__ void long_lo_mask_var(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long v = l[i];  // narrows-global
    y[i] = (unsigned)(v & 0xFFFFFFFFll);
}

__global__ void long_lo_var(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long v = l[i];  // narrows-global
    int a = (int)v;
    y[i] = a;
}

__global__ void long_lo_var_index(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long v = l[i];  // narrows-global
    int a = v;
    y[a & 7] = 1;
}

__global__ void long_in_expr(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = l[i] + 1;  // narrows-global
    y[i] = a;
}

__global__ void long_in_expr_mul(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = 3 * l[i];  // narrows-global
    y[i] = a;
}

__device__ float ff(int v) { return v + 1; }
__global__ void size_given(const long long* l, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = ff(l[i]);  // narrows-global
}

__global__ void half22_x(const __half* h, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 f = __half22float2(reinterpret_cast<const __half2*>(h)[i]);  // narrows-global
    y[i] = f.x;
}

__global__ void half2_member(const __half* h, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 v = reinterpret_cast<const __half2*>(h)[i];  // narrows-global
    y[i] = __half2float(v.x);
}

__global__ void low2half(const __half* h, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __half2float(__low2half(reinterpret_cast<const __half2*>(h)[i]));  // narrows-global
}
