#!/usr/bin/env bash
# Lanes of a warp that read different places of constant memory make a request for each place, and a place is what the lane
# asks for, not the 4-byte word in which it lies: 32 lanes that read the 32 bytes of eight words make 32 requests, as many as
# for 32 words that lie far apart. A table of chars gains nothing there by being small.
#
# Seen:   NVIDIA H200, driver 580.159.04, nvcc 13.0.88, ncu 2025.3.1, 2026-11-30: requests, and loads that were executed
#             one_byte_each 34 3, one_word_each 34 3, one_word_together 3 3
#
# Needs:  an NVIDIA GPU of compute capability 9.0 whose counters ncu may read, nvcc 13.0 and ncu on PATH. Nothing is installed.
# Result: 0 where it is so, 1 where it has changed, 77 where it cannot be tried.
set -euo pipefail
command -v nvcc > /dev/null && command -v ncu > /dev/null && nvidia-smi > /dev/null 2>&1 || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/one_warp.cu" <<'CUDA'
#include <cuda_runtime.h>
__constant__ signed char bytes[32];
__constant__ int words[1024];
__global__ void one_byte_each(int* y, int k) { y[threadIdx.x] = bytes[(threadIdx.x + k) & 31]; }
__global__ void one_word_each(int* y, int k) { y[threadIdx.x] = words[(threadIdx.x * 32 + k) & 1023]; }
__global__ void one_word_together(int* y, int k) { y[threadIdx.x] = words[(threadIdx.x / 32 + k) & 1023]; }
int main() {
    int* y;
    cudaMalloc(&y, 128);
    one_byte_each<<<1, 32>>>(y, 3);
    one_word_each<<<1, 32>>>(y, 3);
    one_word_together<<<1, 32>>>(y, 3);
    return cudaDeviceSynchronize();
}
CUDA
nvcc -arch=sm_90 -o "$folder/one_warp" "$folder/one_warp.cu"
ncu --csv --page raw --metrics "idc__requests.sum,smsp__inst_executed_op_ldc.sum" "$folder/one_warp" > "$folder/counted.csv" || exit 77
told=$(python3 - "$folder/counted.csv" "idc__requests.sum,smsp__inst_executed_op_ldc.sum" <<'PYTHON'
import csv
import sys

rows = list(csv.reader(line for line in open(sys.argv[1]) if line.startswith('"')))
for row in rows[2:]:
    found = dict(zip(rows[0], row))
    numbers = [found[name].replace(",", "") for name in sys.argv[2].split(",")]
    print(found["Kernel Name"].split("(")[0], *numbers)
PYTHON
)
nvcc --version | grep -o 'release [0-9.]*' || true
echo "$told"
[ "$told" = "one_byte_each 34 3
one_word_each 34 3
one_word_together 3 3" ]
