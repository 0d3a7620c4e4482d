// What the host may ask about devices, streams and events, and device functions that few programs call; `expect` counts what is wrong.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static int wrong = 0;
static void expect(bool holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++wrong;
}

__global__ void seldom(const float* v, float* out, int* products) {
    const double d[] = {1, 2, 2};
    out[0] = normf(5, v);
    out[1] = rnormf(5, v);
    out[2] = norm(3, d);
    out[3] = rnorm(3, d);
    out[4] = rnorm3d(1, 2, 2);
    out[5] = rnorm4d(1, 1, 1, 1);
    products[0] = __dp2a_lo(int(0xfffe0003), int(0x0504ff02), 10);   // 3 * 2 + -2 * -1 + 10
    products[1] = __dp2a_hi(int(0xfffe0003), int(0x0504ff02), 10);   // 3 * 4 + -2 * 5 + 10
    products[2] = __dp2a_lo(0xfffe0003u, 0x0504ff02u, 10u);          // 3 * 2 + 65534 * 255 + 10
}

int main() {
    const float v[] = {1, 2, 3, 4, 5};
    float *x, *out, h[6];
    int *products, p[3];
    cudaMalloc(&x, sizeof v), cudaMalloc(&out, sizeof h), cudaMalloc(&products, sizeof p);
    cudaMemcpy(x, v, sizeof v, cudaMemcpyHostToDevice);
    int grid, block, same_grid, same_block;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, seldom);
    cudaOccupancyMaxPotentialBlockSizeWithFlags(&same_grid, &same_block, seldom, 0, 0, cudaOccupancyDefault);
    expect(grid == same_grid && block == same_block, "MaxPotentialBlockSizeWithFlags");
    seldom<<<1, 1>>>(x, out, products);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(p, products, sizeof p, cudaMemcpyDeviceToHost);
    const float wanted[] = {std::sqrt(55.f), 1 / std::sqrt(55.f), 3, 1 / 3.f, 1 / 3.f, 0.5f};
    for (int i = 0; i < 6; i++) expect(std::fabs(h[i] - wanted[i]) < 1e-6f, "norm");
    expect(p[0] == 18 && p[1] == 12 && p[2] == 6 + 65534 * 255 + 10, "dp2a");

    char bus[16];
    int device = 9;
    expect(cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess && strlen(bus) == 12, "PCIBusId");
    expect(cudaDeviceGetByPCIBusId(&device, bus) == cudaSuccess && device == 0, "ByPCIBusId");
    expect(cudaDeviceGetPCIBusId(bus, 5, 0) == cudaErrorInvalidValue, "a short name");
    expect(cudaInitDevice(0, 0, 0) == cudaSuccess && cudaInitDevice(1, 0, 0) == cudaErrorInvalidDevice, "InitDevice");
    unsigned flags = 0;
    cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
    cudaGetDeviceFlags(&flags);
    expect((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync, "DeviceFlags");
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    expect(properties.maxSurface2D[0] >= 65536 && properties.maxTexture2DMipmap[1] >= 16384 && sizeof properties.uuid.bytes == 16, "properties");

    cudaStream_t stream, other;
    cudaStreamCreate(&stream), cudaStreamCreate(&other);
    unsigned long long id = 0, id_of_other = 0;
    cudaStreamGetId(stream, &id), cudaStreamGetId(other, &id_of_other);
    expect(id != id_of_other, "StreamGetId");
    expect(cudaStreamGetDevice(stream, &device) == cudaSuccess && device == 0, "StreamGetDevice");
    cudaEvent_t event;
    cudaEventCreate(&event);
    expect(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault) == cudaSuccess && cudaEventSynchronize(event) == cudaSuccess, "RecordWithFlags");
    cudaEventDestroy(event), cudaStreamDestroy(stream), cudaStreamDestroy(other);
    cudaFree(x), cudaFree(out), cudaFree(products);
    (void)cudaGetLastError();
    printf("%d wrong\n", wrong);
}
