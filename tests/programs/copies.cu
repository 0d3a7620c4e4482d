// Copies that do not fit their memory, one for each number on the command line; from 100 on, right ones that look like them.
// `N:code` marks what is said of number N, at its line.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int WIDE = 20, HIGH = 16, DEEP = 3;
constexpr size_t ROW = WIDE * sizeof(float);
__constant__ float table[8];

__global__ void look_up(float* y) { y[threadIdx.x] = table[threadIdx.x]; }

static cudaError_t copy_local(const float* d, size_t bytes) {
    float few[10];
    const cudaError_t error = cudaMemcpy(few, d, bytes, cudaMemcpyDeviceToHost);  // <- 7:copy-out-of-bounds
    if (few[9] != 0) printf("%g\n", few[9]);
    return error;
}
static cudaMemcpy3DParms box(float* h, size_t pitch, cudaPitchedPtr to, cudaExtent extent) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(h, pitch, WIDE, HIGH);
    p.dstPtr = to;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    return p;
}

int main(int, char** arguments) {
    const int which = atoi(arguments[1]);
    std::vector<float> h(WIDE * HIGH * DEEP, 1.0f);
    std::vector<float> plane(WIDE * HIGH);
    float* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, ROW, HIGH);
    cudaMemset2D(d, pitch, 0, ROW, HIGH);
    if (which == 1)
        cudaMemcpy2D(d, WIDE, h.data(), ROW, ROW, HIGH, cudaMemcpyHostToDevice);  // <- 1:narrow-pitch
    if (which == 2)
        cudaMemcpy2D(d, pitch, h.data(), WIDE, ROW, HIGH, cudaMemcpyHostToDevice);  // <- 2:narrow-pitch
    if (which == 3) cudaMemset2D(d, WIDE, 0, ROW, HIGH);  // <- 3:narrow-pitch
    if (which == 4)
        cudaMemcpy2D(d, pitch, h.data(), ROW, ROW, HIGH + 1, cudaMemcpyHostToDevice);  // <- 4:copy-out-of-bounds
    if (which == 5)  // the device's pitch for both
        cudaMemcpy2D(plane.data(), pitch, d, pitch, ROW, HIGH, cudaMemcpyDeviceToHost);  // <- 5:copy-out-of-bounds
    if (which == 6) {
        int* fewer = (int*)malloc(WIDE * HIGH * sizeof(int));
        double* numbers;
        cudaMalloc(&numbers, WIDE * HIGH * sizeof(double));
        cudaMemset(numbers, 0, WIDE * HIGH * sizeof(double));
        cudaMemcpy(fewer, numbers, WIDE * HIGH * sizeof(double), cudaMemcpyDeviceToHost);  // <- 6:copy-out-of-bounds
        cudaFree(numbers);
        free(fewer);
    }
    if (which == 7) return copy_local(d, 4096);
    if (which == 8) {
        float* short_one = new float[WIDE];
        for (int i = 0; i < WIDE; i++) short_one[i] = 1;
        cudaMemcpy(d, short_one, ROW * 2, cudaMemcpyHostToDevice);  // <- 8:copy-out-of-bounds
        delete[] short_one;
    }
    cudaPitchedPtr volume = {};
    cudaMalloc3D(&volume, make_cudaExtent(ROW, HIGH, DEEP));
    if (which == 9) {
        cudaMemcpy3DParms p = box(h.data(), WIDE, volume, make_cudaExtent(ROW, HIGH, DEEP));
        cudaMemcpy3D(&p);  // <- 9:narrow-pitch
    }
    if (which == 10) {
        cudaMemcpy3DParms p = box(h.data(), ROW, volume, make_cudaExtent(ROW, HIGH + 1, DEEP));
        cudaMemcpy3D(&p);  // <- 10:low-planes 10:unasked-error
    }
    if (which == 11) {
        cudaMemcpy3DParms p = box(h.data(), ROW, volume, make_cudaExtent(ROW, HIGH, DEEP + 1));
        cudaMemcpy3D(&p);  // <- 11:copy-out-of-bounds
    }
    float* y;
    cudaMalloc(&y, sizeof table);
    if (which == 12) {
        cudaMemcpyToSymbol(table, h.data(), 4 * sizeof(float), 6 * sizeof(float));  // <- 12:unasked-error
    }
    if (which == 101) {
        cudaMemcpy2D(d, pitch, h.data(), ROW, ROW, HIGH, cudaMemcpyHostToDevice);
        cudaMemcpy2D(plane.data(), ROW, d, pitch, ROW, HIGH, cudaMemcpyDeviceToHost);
        if (plane[WIDE * HIGH - 1] != 1) return 1;
    }
    if (which == 102) {  // a tile of a larger matrix: its last row ends before the pitch does
        cudaMemcpy2D(d, pitch, h.data() + 10, ROW, ROW / 2, HIGH, cudaMemcpyHostToDevice);
        cudaMemcpy2D(plane.data() + 10, ROW, d, pitch, ROW / 2, HIGH, cudaMemcpyDeviceToHost);
    }
    if (which == 103) {  // blocks that grew, shrank and were freed
        for (int n = 1; n < 2000; n += 7) {
            float* one = (float*)malloc(n * sizeof(float));
            one = (float*)realloc(one, 4 * n * sizeof(float));
            cudaMemcpy(one, d, std::min<size_t>(4 * n * sizeof(float), ROW), cudaMemcpyDeviceToHost);
            free(one);
            float* other = (float*)calloc(2 * n, sizeof(float));
            cudaMemcpy(other, d, std::min<size_t>(2 * n * sizeof(float), ROW), cudaMemcpyDeviceToHost);
            free(other);
        }
        std::vector<float> grows;
        for (int i = 0; i < WIDE; i++) {
            grows.push_back(1.0f);
            cudaMemcpy(d, grows.data(), grows.size() * sizeof(float), cudaMemcpyHostToDevice);
        }
    }
    if (which == 104) return copy_local(d, 10 * sizeof(float));
    if (which == 105) {
        cudaMemcpy3DParms p = box(h.data(), ROW, volume, make_cudaExtent(ROW, HIGH, DEEP));
        cudaMemcpy3D(&p);
        p.dstPos = make_cudaPos(ROW / 2, HIGH - 1, DEEP - 1);
        p.extent = make_cudaExtent(ROW / 2, 1, 1);
        if (cudaMemcpy3D(&p)) return 1;
    }
    if (which == 106) {
        float part[4] = {1, 2, 3, 4};
        cudaMemcpyToSymbol(table, part, sizeof part);
        cudaMemcpyToSymbol(table, part, sizeof part, 4 * sizeof(float));
        look_up<<<1, 8>>>(y);
        cudaMemcpyFromSymbol(part, table, 2 * sizeof(float), 5 * sizeof(float));
        if (part[0] != 2 || part[1] != 3) return 1;
    }
    cudaDeviceSynchronize();
    cudaFree(y);
    cudaFree(d);
    cudaFree(volume.ptr);
}
