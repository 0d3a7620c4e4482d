// Dead loads, barriers, invariants, branches, copies, known trips: what nvcc drops, hoists, merges or leaves.

__global__ void dead_behind_constant(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i];
    float r = x[i + 1024];
    if (false) r += v;
    y[i] = r;
}

__global__ void dead_never_used(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i + 2048];
    (void)v;
    y[i] = x[i];
}

__global__ void times_zero_int(const float* x, const int* k, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int v = k[i];
    y[i] = x[i] + v * 0;
}

__global__ void overwritten_store(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1.0f;
    y[i] = x[i];  // repeats-global
}

__global__ void store_then_load(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
    y[i] = y[i] * 2;
}

template <bool F>
__global__ void dead_template_flag(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = x[i];
    float v = x[i + 1024];
    if (F) r += v;
    y[i] = r;
}

__global__ void before_and_after_barrier(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128];
    t[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = t[127 - threadIdx.x] + x[i];
}

__global__ void before_and_after_barrier_restrict(const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128];
    t[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = t[127 - threadIdx.x] + x[i];  // repeats-global
}

__global__ void shared_atomic_between(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    float a = x[i];
    if (a > 0) atomicAdd(&n, 1);
    __syncthreads();
    y[i] = x[i] + n;
}

__global__ void global_atomic_between_restrict(const float* __restrict__ x, int* c, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i];
    atomicAdd(c, 1);
    y[i] = a + x[i];  // repeats-global
}

__global__ void invariant_non_restrict(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < 8; k++) { r += x[i + 1024 * k] * x[0]; y[i] = r; }  // repeats-global
}

__global__ void invariant_restrict(const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < 8; k++) { r += x[i + 1024 * k] * x[0]; y[i] = r; }
}

__global__ void invariant_runtime_length(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < n; k++) r += x[i + 1024 * k] * x[7];
    y[i] = r;
}

__global__ void invariant_while_break(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    int k = 0;
    while (true) { r += x[i + 1024 * k] * x[3]; if (++k == 8) break; } y[i] = r;
}

__global__ void invariant_while_data_break(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    int k = 0;
    while (k < 12) { r += x[i + 1024 * k] * x[3]; if (r > 20.0f) break; k++; } y[i] = r;
}

__global__ void invariant_while_goto(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    int k = 0;
    again: r += x[i + 1024 * k] * x[5];
    if (++k < 6) goto again;
    y[i] = r;
}

__global__ void invariant_nested(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int a = 0; a < n; a++) for (int b = 0; b < 4; b++) r += x[i + 128 * a] * x[b];  // repeats-global
    y[i] = r;
}

__global__ void invariant_stored_each_turn(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) y[i] += x[i];  // repeats-global
}

__global__ void accumulates_in_memory_restrict(const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++) y[i] += x[i + 1024 * k];
}

__global__ void accumulates_in_memory_const_index(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += x[i + 1024 * k];  // repeats-global
}

__global__ void accumulates_in_shared(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128];
    t[threadIdx.x] = 0;
    for (int k = 0; k < n; k++) t[threadIdx.x] += x[i + 1024 * k];  // repeats-shared
    y[i] = t[threadIdx.x];  // repeats-shared
}

__global__ void same_load_in_both_branches(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r;
    if (i % 2) r = x[i] + 1;
    else r = x[i] * 2;  // apart-global
    y[i] = r;
}

__global__ void select_of_two(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = i % 2 ? x[i] : x[i + 1024];  // apart-global
}

__global__ void select_by_min(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = x[i + 1024];
    y[i] = a < b ? a : b;
}

__global__ void clamped_index(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = i > 1000 ? 1000 : i;
    y[i] = x[j] + x[i];  // repeats-global
}

__global__ void stencil_guarded(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float l = i > 0 ? x[i - 1] : 0.0f, r = i < 1023 ? x[i + 1] : 0.0f;
    y[i] = l + x[i] + r;
}

__global__ void short_circuit(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] > 0 && x[i + 1024] > 0 ? 1.0f : 0.0f;
}

__global__ void switch_loads(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r;
    switch (i & 3) { case 0: r = x[i]; break; case 1: r = x[i + 1]; break; case 2: r = x[i + 2]; break; default: r = x[i + 3]; } y[i] = r;  // apart-global
}

__global__ void if_stores_both(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > 0) y[i] = 1;
    else y[i] = -1;  // apart-global
}

__global__ void memcpy_of_four(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4];
    memcpy(v, x + 4 * i, 16);
    y[i] = v[0] + v[1] + v[2] + v[3];
}

__global__ void memcpy_to_global(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    memcpy(y + i, x + i, 4);
}

__global__ void memset_of_four(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 256) memset(y + 4 * i, 0, 16);
}

__global__ void shared_window_unrolled(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[136];
    t[threadIdx.x] = x[i];
    if (threadIdx.x < 8) t[128 + threadIdx.x] = x[i + 128];
    __syncthreads();
    float r = 0;
    for (int k = 0; k < 4; k++) r += t[threadIdx.x + k] * t[threadIdx.x + k + 1];  // repeats-shared
    y[i] = r;
}

__global__ void shared_rows_unrolled(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[32][4];
    t[threadIdx.x / 4][threadIdx.x % 4] = x[i];
    __syncthreads();
    float r = 0;
    for (int k = 0; k < 4; k++) r += t[threadIdx.x / 4][k];  // merges-shared
    y[i] = r;
}

__global__ void shared_broadcast_unrolled(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128];
    t[threadIdx.x] = x[i];
    __syncthreads();
    float r = 0;
    for (int k = 0; k < 128; k++) r += t[k];  // merges-shared
    y[i] = r;
}

__global__ void shared_broadcast_runtime(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128];
    t[threadIdx.x] = x[i];
    __syncthreads();
    float r = 0;
    for (int k = 0; k < n; k++) r += t[k];  // merges-shared
    y[i] = r;
}

__global__ void shared_dynamic_unrolled(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    extern __shared__ float d[];
    d[threadIdx.x] = x[i];
    __syncthreads();
    float r = 0;
    for (int k = 0; k < 8; k++) r += d[(threadIdx.x & ~7) + k];  // merges-shared
    y[i] = r;
}

__global__ void shared_stores_of_four(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[512];
    for (int k = 0; k < 4; k++) t[4 * threadIdx.x + k] = x[i] + k;  // merges-shared, repeats-global
    __syncthreads();
    y[i] = t[threadIdx.x];
}

__global__ void shared_reread_after_other_store(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128], u[128];
    t[threadIdx.x] = x[i];
    float a = t[threadIdx.x ^ 0];
    u[threadIdx.x] = a;
    y[i] = t[threadIdx.x] + u[threadIdx.x];  // repeats-shared
}

__global__ void shared_tree_unrolled(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[128];
    t[threadIdx.x] = x[i];
    __syncthreads();
    #pragma unroll
    for (int w = 64; w; w /= 2) { if (threadIdx.x < w) t[threadIdx.x] += t[threadIdx.x + w]; __syncthreads(); }
    if (threadIdx.x == 0) y[blockIdx.x] = t[0];
}

__global__ void by_pointer_walk(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float* p = x + 4 * i;
    const float* e = p + 4;
    float r = 0;
    while (p != e) r += *p++;
    y[i] = r;
}

__global__ void by_range_for(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float (&row)[4] = reinterpret_cast<const float(*)[4]>(x)[i];
    float r = 0;
    for (float v : row) r += v;
    y[i] = r;
}

__global__ void by_lambda_twice(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto at = [&](int k) { return x[i + k]; };
    y[i] = at(0) * at(0) + at(1024);
}

struct Sq { const float* p; __device__ float operator()(int k) const { return p[k] * p[k]; } };
__global__ void by_functor(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Sq f{x};
    y[i] = f(i) + f(i);
}

__global__ void volatile_twice(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const volatile float* v = x;
    y[i] = v[i] + v[i];
}

__constant__ float table[4] = {1, 2, 3, 4};
__global__ void constant_memory(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * table[i & 3] + table[2];
}

__global__ void ldg_twice(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __ldg(x + i) + __ldg(x + i);  // repeats-global
}

__global__ void ldg_around_store(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = __ldg(x + i);
    y[i] = a;
    y[i] = a + __ldg(x + i);  // repeats-global
}

__global__ void stores_of_four_scalars(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 256) { y[4 * i] = x[i]; y[4 * i + 1] = x[i] + 1; y[4 * i + 2] = x[i] + 2; y[4 * i + 3] = x[i] + 3; }  // merges-global, repeats-global
}

__global__ void loads_of_two_scalars(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[2 * i] + x[2 * i + 1];  // merges-global
}

__global__ void known_trips(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < 8; k++) r += x[8 * i + k];
    y[i] = r;
}

template <int N>
__global__ void known_trips_by_template(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < N; k++) r += x[N * i + k];
    y[i] = r;
}

__global__ void known_trips_backwards(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 7; k >= 0; k--) r += x[8 * i + k];
    y[i] = r;
}

__global__ void known_trips_strided_twice(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < 4; k++) r += x[i + 128 * k];
    for (int k = 0; k < 4; k++) r *= x[i + 128 * k];  // repeats-global
    y[i] = r;
}

__global__ void double_buffer(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float next = x[i];
    for (int k = 0; k < n; k++) { float now = next; next = x[i + 1024 * (k + 1)]; y[i] = now; }  // repeats-global
}

__global__ void last_turn_reloaded(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 0; k < n; k++) r += x[i + 1024 * k];
    r -= x[i + 1024 * (n - 1)];  // repeats-global
    y[i] = r;
}

__global__ void prefix_pair(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 1; k < n; k++) r += x[i + 128 * k] - x[i + 128 * (k - 1)];  // repeats-global
    y[i] = r;
}

__global__ void prefix_pair_known(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 1; k < 6; k++) r += x[i + 128 * k] - x[i + 128 * (k - 1)];  // repeats-global
    y[i] = r;
}

__global__ void uchar_four(const unsigned char* b, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char* p = b + 4 * i;
    y[i] = p[0] + p[1] + p[2] + p[3];  // merges-global
}

__global__ void half2_of_two(const __half* h, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __half2float(h[2 * i]) + __half2float(h[2 * i + 1]);  // merges-global
}

__global__ void union_bits(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    union { float f; unsigned u; } v;
    v.f = x[i];
    y[i] = v.u >> 31;
}

__global__ void float_as_int_byte(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __float_as_int(x[i]) >> 24;
}

__global__ void sign_of_float(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __float_as_uint(x[i]) >> 31;
}

__global__ void overwritten_variable(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    v = x[i + 1024];
    y[i] = v;
}
