// Loads of which only a part is used.
struct Three {
    float a, b, c;
};
struct alignas(16) Four {
    float a, b, c, d;
};
struct Bits {
    unsigned kind : 3, level : 5, rest : 24;
};

__global__ void middle_of_four(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = reinterpret_cast<const float4*>(x)[i];  // narrows-global
    y[i] = v.y + v.z;
}

__global__ void half_of_four_by_ldg(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto v = __ldg(reinterpret_cast<const float4*>(x) + i);  // narrows-global
    v.x *= 2;
    y[i] = v.x + v.y;
}

__global__ void one_of_each_of_an_array(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v[2];
    for (int k = 0; k < 2; k++) v[k] = reinterpret_cast<const float4*>(x)[2 * i + k];  // narrows-global
    y[i] = v[0].x + v[1].y;
}

__global__ void one_of_two_doubles(const double* x, double* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double2 v = reinterpret_cast<const double2*>(x)[i];  // narrows-global
    y[i] = v.x;
}

__global__ void low_half(const __half* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 v = reinterpret_cast<const __half2*>(x)[i];  // narrows-global
    y[i] = __low2float(v);
}

__global__ void members_of_three(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Three v = reinterpret_cast<const Three*>(x)[i];  // narrows-global
    y[i] = v.a + v.c;
}

__global__ void members_of_four(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Four v = reinterpret_cast<const Four*>(x)[i];  // narrows-global
    y[i] = v.a + v.b;
}

__global__ void two_bit_fields(const unsigned* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Bits v = reinterpret_cast<const Bits*>(x)[i];  // narrows-global
    y[i] = v.kind * v.level;
}

__global__ void lowest_byte(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] & 0xFF;  // narrows-global
}

__global__ void upper_half(const unsigned* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] >> 16;  // narrows-global
}

__global__ void by_two_bits(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (x[i] & 3) {  // narrows-global
    case 0: y[i] = 5; break;
    case 1: y[i] = 7; break;  // apart-global
    case 2: y[i] = 3; break;  // apart-global
    default: y[i] = 8;  // apart-global
    }
}

__global__ void low_of_long(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long* longs = reinterpret_cast<const long long*>(x);
    y[i] = (int)longs[i];  // narrows-global
}

__global__ void long_into_int(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long* longs = reinterpret_cast<const long long*>(x);
    y[i] = longs[i];  // narrows-global
}

__global__ void int_into_char(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char v = x[i];  // narrows-global
    y[i] = v + 1;
}

__global__ void int_cast_to_char(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = static_cast<unsigned char>(x[i]);  // narrows-global
}

// What is used as a whole, or fills no byte.
__global__ void int_stored_as_char(const int* x, unsigned char* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

__global__ void float_cast_to_char(const float* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (unsigned char)x[i];
}

__global__ void long_compared(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long* longs = reinterpret_cast<const long long*>(x);
    y[i] = longs[i] > 3;
}

__global__ void passed_on(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] = v;
    if (v.x > 9) y[0] = v.x;
}

__global__ void one_bit(const int* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] & 1;
}

__global__ void two_of_four_bytes(const unsigned* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uchar4 v = reinterpret_cast<const uchar4*>(x)[i];
    y[i] = v.x + v.y;
}

__global__ void half_of_four_in_shared(const float* x, float* y) {
    __shared__ float4 s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = reinterpret_cast<const float4*>(x)[i];
    __syncthreads();
    const float4 v = s[127 - t];
    y[i] = v.x + v.y;
}
