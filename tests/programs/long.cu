// Programs that take longer than they may, one for each number on the command line.
#include <cstdlib>

__global__ void add(float* x, int turns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < turns; k++) x[i] += 1;
}
__global__ void never(float* x) {
    while (x[0] > 0) x[1] += 1;  // <- 3:time-limit
}

int main(int, char** arguments) {
    const int which = atoi(arguments[1]);
    float* x;
    cudaMalloc(&x, 4096 * sizeof(float));
    cudaMemset(x, 0, 4096 * sizeof(float));
    if (which == 1)
        for (int i = 0; i < 10000000; i++)
            add<<<16, 256>>>(x, 10);  // <- 1:time-limit
    if (which == 4)
        for (long i = 0;; i++) {
            add<<<16, 256>>>(x, 1);  // <- 4:time-limit
            for (volatile int spent = 0; spent < 1000000; spent++) continue;
        }
    if (which == 2)
        add<<<16, 256>>>(x, 10000000);
    if (which == 3) {
        for (int i = 0; i < 20; i++) add<<<16, 256>>>(x, 1);
        never<<<1, 1>>>(x);
    }
    cudaDeviceSynchronize();
    cudaFree(x);
}
