// Boxes of a tensor of two dimensions: every swizzle, elements of 1, 2 and 4 bytes, boxes that hang over each edge, beginning at multiples of 16 bytes, and boxes in shared memory
// that do not begin where the swizzle's pattern does. Shared memory is compared byte by byte.
#include "common.h"

constexpr int ROWS = 40, COLS = 208, HIGH = 24, MOST = HIGH * 128 + 1024;   // a box of so many rows

__global__ void fetch(const __grid_constant__ CUtensorMap map, uint8_t* out, int bytes, int shift, int x, int y) {
    __shared__ alignas(1024) uint8_t tile[MOST];
    __shared__ uint64_t full;
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) tile[i] = 0xee;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, bytes);
        load_box(at(tile + shift), &map, x, y, &full);
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) out[i] = tile[i];
}

template <class T>
int check(CUtensorMapDataType type, int swizzle, int wide, int shift) {
    const int pitch = COLS * sizeof(T), row = wide * sizeof(T), bytes = HIGH * row;
    const int apart = swizzle ? 16 << swizzle : row;   // rows in shared memory: of a narrower one the rest is left as it was
    std::vector<T> host(ROWS * COLS);
    for (size_t i = 0; i < host.size(); ++i) host[i] = T(i * 29 + i / 256 + 1);
    T* base = on_device(host);
    uint8_t* out;
    DO(cudaMalloc(&out, MOST));
    const cuuint64_t sizes[2] = {COLS, ROWS}, strides[1] = {(cuuint64_t)pitch};
    const cuuint32_t box[2] = {(cuuint32_t)wide, HIGH};
    const CUtensorMap map = tensor(type, 2, base, sizes, strides, box, (CUtensorMapSwizzle)swizzle);
    long wrong = 0;
    for (int y : {-5, 0, 9, 30}) {
        for (int x : {-16, 0, 16, COLS - 16, COLS, COLS + 32}) {
            fetch<<<1, 128>>>(map, out, bytes, shift, x, y);
            DO(cudaGetLastError());
            const std::vector<uint8_t> got = on_host(out, MOST);
            std::vector<uint8_t> want(MOST, 0xee);
            for (int i = 0; i < bytes; ++i) {
                const int r = y + i / row, c = x + i % row / (int)sizeof(T);
                const bool inside = r >= 0 && r < ROWS && c >= 0 && c < COLS;
                want[swizzled(shift + i / row * apart + i % row, swizzle)] = inside ? ((const uint8_t*)&host[r * COLS + c])[i % sizeof(T)] : 0;
            }
            for (int i = 0; i < MOST; ++i) wrong += got[i] != want[i];
        }
    }
    DO(cudaFree(base));
    DO(cudaFree(out));
    char what[80];
    snprintf(what, sizeof what, "%d bytes, swizzle %d, %d wide, shifted %d", (int)sizeof(T), swizzle, wide, shift);
    return verdict(what, wrong);
}

int main() {
    int wrong = 0;
    for (int swizzle = 0; swizzle < 4; ++swizzle) {
        const int widest = swizzle ? 16 << swizzle : 128;
        for (int shift : {0, 128, 640}) {
            wrong |= check<uint8_t>(CU_TENSOR_MAP_DATA_TYPE_UINT8, swizzle, widest, shift);
            wrong |= check<uint16_t>(CU_TENSOR_MAP_DATA_TYPE_UINT16, swizzle, widest / 2, shift);
            wrong |= check<float>(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, swizzle, widest / 4, shift);
        }
        if (widest > 16) wrong |= check<uint16_t>(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, swizzle, widest / 4, 0);  // narrower than the swizzle
    }
    puts(wrong ? "wrong" : "right");
    return wrong;
}
