// Structs, vectors and narrow types, for audits/agreement/others_run.py.

struct Particle {
    float x, y, z, vx, vy, vz, mass, charge;
};
struct Three {
    float a, b, c;
};
struct alignas(16) Four {
    float a, b, c, d;
};

// Eight floats an element, of which six are read and three stored.
__global__ void particles_step(float* raw, float dt, int n) {
    Particle* p = reinterpret_cast<Particle*>(raw);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
    p[i].z += dt * p[i].vz;
}

// Twelve bytes an element, moved whole.
__global__ void copy_three(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) reinterpret_cast<Three*>(y)[i] = reinterpret_cast<const Three*>(x)[i];
}

// An aligned struct, made in place.
__global__ void made_in_place(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) reinterpret_cast<Four*>(y)[i] = Four{x[i], 2 * x[i], 3 * x[i], 4 * x[i]};
}

// An aligned struct, read member by member.
__global__ void member_by_member(const float* x, float* y, int n) {
    const Four* f = reinterpret_cast<const Four*>(x);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = f[i].a + f[i].b * f[i].c - f[i].d;
}

// Sixteen bytes a load, two loads a thread and turn.
__global__ void sum_int4(const int* x, int* sums, int fours) {
    const int4* v = reinterpret_cast<const int4*>(x);
    int sum = 0;
    for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x); i + 1 < fours; i += 2 * gridDim.x * blockDim.x) {
        const int4 a = v[i], b = v[i + 1];
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A picture's pixels of four bytes to one byte.
__global__ void grey(const uchar4* pixels, unsigned char* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 p = pixels[i];
    y[i] = (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
}

extern "C" cudaError_t grey_of_bytes(const unsigned char* x, unsigned char* y, int n) {
    grey<<<n / 128, 128>>>(reinterpret_cast<const uchar4*>(x), y, n);
    return cudaGetLastError();
}

// Two stores to the same element, the second by some lanes alone.
__global__ void stored_again(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i];
    y[i] = v;
    if (i % 32 < 4) y[i] = 2 * v;
}
