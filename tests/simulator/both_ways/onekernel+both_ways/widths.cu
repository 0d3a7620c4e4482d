// Accesses of every width and in every form: conversions, structs, loops of a known length, shared memory.

#define T (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void short_of_unsigned_by_function(const unsigned* k, float* y) {
    auto low = [](unsigned v) { return static_cast<unsigned short>(v); };
    y[T] = low(k[T]);  // narrows-global
}

__global__ void masked_twice(const unsigned* k, float* y) {
    unsigned v = k[T], w = v & 0xFFFF;  // narrows-global
    y[T] = w & 0xFF;
}

__global__ void compound_of_variable(const unsigned* k, float* y) {
    const unsigned v = k[T] & 0xFFu, w = v * 3;  // narrows-global
    y[T] = w;
}

__global__ void bool_of_int(const int* k, float* y) {
    bool v = k[T];
    y[T] = v ? 1.f : 2.f;
}

__global__ void sign_of_long(const long long* k, float* y) {
    y[T] = k[T] < 0 ? 1.f : 2.f;  // narrows-global
}

__global__ void sign_of_int(const int* k, float* y) {
    y[T] = k[T] < 0;
}

__global__ void odd(const int* k, float* y) {
    y[T] = k[T] & 1;
}

__global__ void odd_variable(const int* k, float* y) {
    int v = k[T];
    if (v & 1) y[T] = 1;
    else y[T] = 2;  // apart-global
}

__global__ void long_to_float(const long long* k, float* y) {
    y[T] = (float)(int)k[T];  // narrows-global
}

__global__ void double_to_float(const double* d, float* y) {
    y[T] = (float)d[T];
}

__global__ void int_of_long_array(const long long* k, float* y) {
    int v[2];
    v[0] = k[2 * T]; v[1] = k[2 * T + 1];  // merges-global
    y[T] = v[0] + v[1];
}

__global__ void compared_low(const unsigned* k, float* y) {
    y[T] = (k[T] & 0xFF) == 7 ? 1.f : 0.f;  // narrows-global
}

__global__ void bfe(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    y[T] = (v << 24) >> 24;
}

__global__ void xor_low(const unsigned* k, float* y) {
    unsigned v = k[T] ^ 0x55;  // narrows-global
    y[T] = v & 0xFF;
}

__global__ void sum_low(const unsigned* k, float* y) {
    unsigned v = k[T] + 3;  // narrows-global
    y[T] = v & 0xFF;
}

__global__ void add_low_direct(const unsigned* k, float* y) {
    y[T] = (unsigned char)(k[T] + 5);  // narrows-global
}

__global__ void mul_low_char(const int* k, float* y) {
    char v = 3 * k[T] + 1;  // narrows-global
    y[T] = v;
}

__global__ void popc_low(const unsigned* k, float* y) {
    y[T] = __popc(k[T] & 0xFFFF);  // narrows-global
}

__global__ void ternary_low(const unsigned* k, float* y) {
    unsigned v = k[T];  // narrows-global
    y[T] = threadIdx.x & 1 ? v & 0xFF : v & 0xFF;
}

__global__ void long_index(const long long* k, const float* x, float* y) {
    int i = (int)(k[T] & 1023);  // narrows-global
    y[T] = x[i & 1023];
}

__global__ void half2_high(const half2* h, float* y) {
    half2 v = h[T];  // narrows-global
    y[T] = __high2float(v);
}

__global__ void half2_as_uint(const half2* h, float* y) {
    unsigned v = *(const unsigned*)&h[T];  // narrows-global
    y[T] = v >> 16;
}

__global__ void uint2_one(const uint2* k, float* y) {
    uint2 v = k[T];  // narrows-global
    y[T] = v.y;
}

__global__ void uint2_as_long(const uint2* k, float* y) {
    unsigned long long v = *(const unsigned long long*)&k[T];  // narrows-global
    y[T] = (unsigned)(v >> 32);
}

__global__ void int4_reduced(const int4* k, float* y) {
    int4 v = k[T];  // narrows-global
    int s = v.x;
    s += v.z;
    y[T] = s;
}

__global__ void float4_array_cast(const float4* x, float* y) {
    float4 v = x[T];  // narrows-global
    float* p = (float*)&v;
    y[T] = p[0] + p[3];
}

__global__ void float2_pair_swap(const float2* x, float2* y) {
    float2 v = x[T];
    float t = v.x;
    v.x = v.y;
    v.y = t;
    y[T] = v;
}

struct Particle { float x, y, z, m; };

__global__ void particle_copy_modified(const Particle* p, Particle* q) {
    Particle v = p[T];
    v.x += 1;
    q[T] = v;
}

__global__ void particle_one_updated(Particle* p) {
    p[T].x += p[T].m;
}

__global__ void particle_reference(Particle* p) {
    Particle& v = p[T];
    v.x += v.m;
}

__global__ void particle_pointer(const Particle* p, float* y) {
    const Particle* v = p + T;
    y[T] = v->x * v->m;
}

__global__ void predicated(const float* x, float* y) {
    float v = 0;
    if (threadIdx.x & 1) v = x[T];
    y[T] = v;
}

__global__ void predicated_pair(const float* x, float* y) {
    float a = 0, b = 0;
    if (threadIdx.x < 16) {
        a = x[2 * T];
        b = x[2 * T + 1];  // merges-global
    }
    y[T] = a + b;
}

__global__ void ldg_loop(const float* x, float* y) {
    float s = 0;
    for (int i = 0; i < 4; i++) s += __ldg(x + (i & 1)) * i;  // repeats-global
    y[T] = s;
}

__global__ void restrict_loop(const float* __restrict__ x, const float* __restrict__ f, float* __restrict__ y) {
    for (int i = 0; i < 4; i++) y[T * 4 + i] = x[T * 4 + i] * f[0];
}

__global__ void invariant_through_member(const float* x, const int* n, float* y) {
    float s = 0;
    for (int i = 0; i < 8; i++) s += x[i * 128 + threadIdx.x] * n[0];
    y[T] = s;
}

__global__ void broadcast_shared(const float* x, float* y) {
    __shared__ float s[128];
    s[threadIdx.x] = x[T];
    __syncthreads();
    float a = 0;
    for (int i = 0; i < 16; i++) a += s[i];  // merges-shared
    y[T] = a;
}

__global__ void broadcast_shared_int(const int* x, float* y) {
    __shared__ int s[128];
    s[threadIdx.x] = x[T];
    __syncthreads();
    int a = 0;
    for (int i = 0; i < 8; i++) a += s[2 * i] & 0xFF;
    y[T] = a;
}

__global__ void shared_char(const int* x, float* y) {
    __shared__ char s[128];
    s[threadIdx.x] = x[T];
    __syncthreads();
    y[T] = s[127 - threadIdx.x];
}

__global__ void shared_chars_of_row(const int* x, float* y) {
    __shared__ unsigned char s[512];
    for (int i = 0; i < 4; i++) s[4 * threadIdx.x + i] = x[T] + i;  // merges-shared, repeats-global
    __syncthreads();
    int a = 0;
    for (int i = 0; i < 4; i++) a += s[4 * (127 - threadIdx.x) + i];  // merges-shared
    y[T] = a;
}

__global__ void shared_wide_low(const long long* x, float* y) {
    __shared__ long long s[128];
    s[threadIdx.x] = x[T];
    __syncthreads();
    y[T] = (int)s[127 - threadIdx.x];
}

__global__ void shared_struct_member(const float* x, float* y) {
    __shared__ float4 s[128];
    s[threadIdx.x] = make_float4(x[T], 1, 2, 3);
    __syncthreads();
    float4 v = s[127 - threadIdx.x];
    y[T] = v.x + v.y;
}

__global__ void unrolled_pair_store(const float* x, float* y) {
    for (int i = 0; i < 2; i++) y[2 * T + i] = x[T] * i;  // repeats-global
}

__global__ void unrolled_four_char(const unsigned char* x, float* y) {
    int s = 0;
    for (int i = 0; i < 4; i++) s += x[4 * T + i];
    y[T] = s;
}

__global__ void constant_trip_step(const float* x, float* y) {
    float s = 0;
    for (int i = threadIdx.x; i < 1024; i += 128) s += x[i];
    y[T] = s;
}

__global__ void min_trip(const float* x, float* y, int n) {
    float s = 0;
    for (int i = 0; i < min(n, 4); i++) s += x[T];
    y[T] = s;
}

__global__ void while_known(const float* x, float* y) {
    int i = 4;
    float s = 0;
    while (i--) s += x[4 * T + i];
    y[T] = s;
}

__global__ void store_same_twice(const float* x, float* y) {
    y[T] = 0;
    y[T] = x[T];  // repeats-global
}

__global__ void read_modify_twice(const float* x, float* y) {
    y[T] += x[T];
    y[T] += 1;
}

__global__ void swap_two(float* x, float* y) {
    float a = x[T];
    x[T] = y[T];
    y[T] = a;
}

__global__ void static_cast_char_var(const int* k, float* y) {
    int v = k[T];  // narrows-global
    char c = static_cast<char>(v);
    y[T] = c;
}

__global__ void int_param_reused(const int* k, float* y) {
    int v = k[T];  // narrows-global
    v = v & 0xFF;
    y[T] = v;
}

__global__ void loop_masked(const unsigned* k, float* y) {
    unsigned s = 0;
    for (int i = 0; i < 4; i++) {
        unsigned v = k[4 * T + i];  // narrows-global
        s += v & 0xFF;
    }
    y[T] = s;
}

__global__ void array_then_masked(const unsigned* k, float* y) {
    unsigned v[2];
    v[0] = k[2 * T];
    v[1] = k[2 * T + 1];  // merges-global
    y[T] = (v[0] & 0xFF) + (v[1] & 0xFF);
}
