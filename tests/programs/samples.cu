// What NVIDIA's samples ask of their helpers and of the runtime, beside their kernels.
#include <helper_cuda.h>
#include <helper_functions.h>

__global__ void half(const unsigned char* in, unsigned char* out) { out[threadIdx.x] = in[threadIdx.x] / 2; }

__global__ void sum(const float* in, double* out) {
    __shared__ int first;
    extern double __shared__ parts[];
    if (threadIdx.x == 0) first = 1;
    parts[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) *out = parts[0] + parts[blockDim.x - 1] + first;
}

__global__ void clocks(unsigned long long* out) {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    *out = now;
}

void cudaGraphsOfMyOwn() {}  // a name that only begins as CUDA's do

int main(int argc, char** argv) {
    cudaGraphsOfMyOwn();
    cudaDeviceProp wanted{};
    int device = -1, integrated = -1, engines = 0, can = 7;
    checkCudaErrors(cudaChooseDevice(&device, &wanted));
    checkCudaErrors(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, device));
    checkCudaErrors(cudaDeviceGetAttribute(&engines, cudaDevAttrGpuOverlap, device));
    cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1);
    cudaDeviceDisablePeerAccess(1);
    cudaGetLastError();
    std::cout << "device " << device << " " << integrated << " " << (engines > 0) << " " << can << std::endl;

    unsigned char made[12] = {0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220}, *in, *out;
    sdkSavePGM("made.pgm", made, 4, 3);
    unsigned width = 0, height = 0;
    unsigned char* read = nullptr;
    if (!sdkLoadPGM(sdkFindFilePath("made.pgm", argv[0]), &read, &width, &height)) return 1;
    checkCudaErrors(cudaMalloc(&in, 12));
    checkCudaErrors(cudaMalloc(&out, 12));
    checkCudaErrors(cudaMemcpy(in, read, 12, cudaMemcpyHostToDevice));
    half<<<1, 12>>>(in, out);
    checkCudaErrors(cudaMemcpy(read, out, 12, cudaMemcpyDeviceToHost));
    sdkSavePGM("half.pgm", read, width, height);
    printf("picture %u %u %d %d\n", width, height, read[11], sdkComparePGM("half.pgm", "made.pgm", 0.0f, 0.0f, false));
    float *light = nullptr, coloured[24] = {};
    if (!sdkLoadPGM("made.pgm", &light, &width, &height)) return 1;
    unsigned char four[16] = {10, 20, 30, 0, 40, 50, 60, 0, 70, 80, 90, 0, 100, 110, 120, 0}, *again = nullptr;
    sdkSavePPM4ub("made.ppm", four, 2, 2);
    if (!sdkLoadPPM4ub("made.ppm", &again, &width, &height)) return 1;
    printf("light %.3f colours %d %d\n", light[11], again[4], again[14]);
    sdkDumpBin(light, 12 * sizeof(float), "light.bin");
    printf("files %d\n", sdkCompareBin2BinFloat("light.bin", "light.bin", 12, 0.0f, 0.0f, argv[0]));

    double total, *sums;
    unsigned long long now, *times;
    float* numbers;
    checkCudaErrors(cudaMalloc(&sums, sizeof *sums));
    checkCudaErrors(cudaMalloc(&times, sizeof *times));
    checkCudaErrors(cudaMalloc(&numbers, sizeof coloured));
    coloured[0] = 3, coloured[23] = 4;
    checkCudaErrors(cudaMemcpy(numbers, coloured, sizeof coloured, cudaMemcpyHostToDevice));
    sum<<<1, 24, 24 * sizeof(double)>>>(numbers, sums);
    clocks<<<1, 1>>>(times);
    checkCudaErrors(cudaMemcpy(&total, sums, sizeof total, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(&now, times, sizeof now, cudaMemcpyDeviceToHost));
    printf("sum %g\n", total);
    int ecc = 0, copies = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&ecc, cudaDevAttrEccEnabled, device));
    checkCudaErrors(cudaDeviceGetAttribute(&copies, cudaDevAttrAsyncEngineCount, device));
    cudaDeviceProp has;
    checkCudaErrors(cudaGetDeviceProperties(&has, device));
    printf("engines %d %d %d %d\n", ecc, copies, has.ECCEnabled, has.asyncEngineCount);
    printf("textures %d %d %d %d\n", has.maxTexture1D, has.maxTexture2D[1], has.maxTexture3D[2], has.maxTexture2DLayered[2]);
    const bool able = checkCudaCapabilities(7, 0) && !checkCudaCapabilities(99, 0), there = sdkFindFilePath("nowhere.pgm", argv[0]);
    printf("able %d there %d device %d\n", able, there, gpuDeviceInit(0));
    for (void* p : {(void*)in, (void*)out, (void*)sums, (void*)times, (void*)numbers}) checkCudaErrors(cudaFree(p));
    return 0;
}
