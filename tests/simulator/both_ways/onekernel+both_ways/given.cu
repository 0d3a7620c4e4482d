// What functions, methods and copies use of a struct or a vector that they are given.

struct P { float a, b, c, d; };
__global__ void struct_copy(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    P p = reinterpret_cast<const P*>(x)[i];
    reinterpret_cast<P*>(y)[i] = p;
}

struct P2 { float a, b, c, d; };
__global__ void struct_copy_two_used(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    P2 p = reinterpret_cast<const P2*>(x)[i];  // narrows-global
    y[i] = p.a + p.d;
}

struct alignas(16) P3 { float a, b, c, d; };
__global__ void aligned_struct_copy(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    P3 p = reinterpret_cast<const P3*>(x)[i];
    reinterpret_cast<P3*>(y)[i] = p;
}

struct alignas(16) P4 { float a, b, c, d; };
__global__ void struct_by_reference(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const P4& p = reinterpret_cast<const P4*>(x)[i];
    y[i] = p.a + p.c;
}

__global__ void local_array(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = x[4 * i + k];
    float r = 0;
    for (int k = 0; k < 4; k++) r += v[k];
    y[i] = r;
}

__global__ void local_array_dynamic(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = x[4 * i + k];
    y[i] = v[i & 3];
}

__global__ void local_array_used_half(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = x[i + 1024 * k];  // narrows-global
    y[i] = v[0] + v[3];
}

__device__ float half_of(float4 v) { return v.x + v.y; }
__global__ void half_of_float4_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = half_of(reinterpret_cast<const float4*>(x)[i]);  // narrows-global
}

__device__ float half_of_ref(const float4& v) { return v.z + v.w; }  // merges-global
__global__ void half_of_float4_by_reference(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = half_of_ref(reinterpret_cast<const float4*>(x)[i]);
}

struct alignas(16) P5 { float a, b, c, d; };
__device__ __forceinline__ float of_five(P5 v) { return v.a * 2; }
__global__ void half_of_struct_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = of_five(reinterpret_cast<const P5*>(x)[i]);  // narrows-global
}

__device__ float dot_two(float4 a, float4 b) { return a.x * b.x + a.y * b.y; }
__global__ void variable_given_half(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4*>(x)[i];  // narrows-global
    y[i] = dot_two(v, v);
}

__device__ float all_of(float4 v) { return v.x + v.y + v.z + v.w; }
__global__ void whole_float4_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = all_of(reinterpret_cast<const float4*>(x)[i]);
}

__device__ float inner_half(float4 v) { return v.x; }
__device__ float outer_half(float4 v) { return inner_half(v) + 1; }
__global__ void half_given_on(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = outer_half(reinterpret_cast<const float4*>(x)[i]);  // narrows-global
}

template <class V> __device__ float first_of(V v) { return v.x; }
__global__ void half_of_template_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = first_of(reinterpret_cast<const float4*>(x)[i]);  // narrows-global
}

struct alignas(16) P6 { float a, b, c, d; __device__ float norm() const { return a * a + b * b; } };
__global__ void half_of_member_function(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    P6 p = reinterpret_cast<const P6*>(x)[i];  // narrows-global
    y[i] = p.norm();
}

__global__ void half_of_lambda_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto f = [](float4 v) { return v.y + v.z; };
    y[i] = f(reinterpret_cast<const float4*>(x)[i]);  // narrows-global
}

__global__ void make_float2_of_four(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4*>(x)[i];  // narrows-global
    float2 w = make_float2(v.x, v.w);
    y[i] = w.x + w.y;
}

__global__ void direct_member(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = reinterpret_cast<const float4*>(x)[i].y;
}

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__global__ void operator_of_two(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 s4 = reinterpret_cast<const float4*>(x)[i] + reinterpret_cast<const float4*>(x)[i + 1024];  // narrows-global
    y[i] = s4.x;
}

__device__ float4 swz(float4 v) { return make_float4(v.w, v.z, v.y, v.x); }
__global__ void swizzled(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = swz(reinterpret_cast<const float4*>(x)[i]);  // narrows-global
    y[i] = v.x + v.y;
}

__global__ void low_and_half(const unsigned* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = k[i];
    y[i] = (v & 0xFF) + (v & 0xFFFF);
}

__global__ void struct_through_copy(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4*>(x)[i];  // narrows-global
    float4 w = v;
    y[i] = w.x + w.y;
}

__device__ float4 load(const float* p, int i) { return reinterpret_cast<const float4*>(p)[i]; }  // narrows-global
__global__ void returned_struct_half(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = load(x, i);
    y[i] = v.x + v.y;
}

__device__ float4 load2(const float* p, int i) { return reinterpret_cast<const float4*>(p)[i]; }  // narrows-global
__device__ float two(float4 v) { return v.x + v.y; }
__global__ void returned_struct_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = two(load2(x, i));
}

__device__ float4 load3(const float* p, int i) { return reinterpret_cast<const float4*>(p)[i]; }  // narrows-global
__global__ void returned_member(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = load3(x, i).z;
}

__device__ float4 plus(float4 a, float b) { return make_float4(a.x + b, a.y + b, a.z + b, a.w + b); }
__global__ void operator_whole(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = plus(reinterpret_cast<const float4*>(x)[i], 1.0f);
    reinterpret_cast<float4*>(y)[i] = a;
}

__global__ void swap_members(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4*>(x)[i];  // narrows-global
    float t = v.x;
    v.x = v.y;
    v.y = t;
    y[i] = v.x - v.y;
}

__global__ void struct_in_loop(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < 4; k++) { float4 v = reinterpret_cast<const float4*>(x)[i + 1024 * k]; r += v.x; } y[i] = r;  // narrows-global
}

struct alignas(8) D { float a, b; __device__ float first() const { return a; } };
__global__ void struct_pair_method(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    D d = reinterpret_cast<const D*>(x)[i];  // narrows-global
    y[i] = d.first();
}

struct alignas(8) D2 { float a, b; __device__ float first() const { return a; } };
__global__ void struct_method_direct(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = reinterpret_cast<const D2*>(x)[i].first();
}

struct alignas(8) D3 { float a, b; __device__ float sum() const { return this->a + this->b; } };
__global__ void struct_method_this(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    D3 d = reinterpret_cast<const D3*>(x)[i];
    y[i] = d.sum();
}

struct alignas(16) D5 { float a, b, c, e; __device__ float dot(const D5& o) const { return a * o.a; } };
__global__ void method_of_given(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    D5 d = reinterpret_cast<const D5*>(x)[i];  // narrows-global
    y[i] = d.dot(d);
}

__global__ void local_array_used_first(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = x[i + 1024 * k];  // narrows-global
    y[i] = v[0];
}

__global__ void local_array_written_only(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[2];
    v[0] = x[i];
    v[1] = x[i + 1024];
    y[i] = v[1];
}

__device__ float sum2(float4 v) { return v.x + v.y; }
__global__ void array_of_float4_half(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v[2];
    v[0] = reinterpret_cast<const float4*>(x)[i];  // narrows-global
    v[1] = reinterpret_cast<const float4*>(x)[i + 1024];  // narrows-global
    y[i] = sum2(v[0]) + v[1].w;
}
