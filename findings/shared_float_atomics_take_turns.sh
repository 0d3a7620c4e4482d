#!/usr/bin/env bash
# atomicAdd of floats on shared memory is a loop around ATOMS.CAST.SPIN, and each turn of that loop lets one lane of a *bank* in,
# not one lane of an address: 32 lanes that add to 32 different words of one bank, where none waits for another's sum, take 32
# turns, and each turn loads what is left again: 32 + 31 + ... + 1 wavefronts. Ints have an instruction of their own: 32 passes.
#
# Seen:   NVIDIA H200, driver 580.159.04, nvcc 13.0.88, ncu 2025.3.1, 2026-11-30: wavefronts of shared loads and of atomics
#             floats_of_one_bank 528 64, floats_of_two_lanes_a_bank 3 4, ints_of_one_bank 0 32
#
# Needs:  an NVIDIA GPU of compute capability 9.0 whose counters ncu may read, nvcc 13.0 and ncu on PATH. Nothing is installed.
# Result: 0 where it is so, 1 where it has changed, 77 where it cannot be tried.
set -euo pipefail
command -v nvcc > /dev/null && command -v ncu > /dev/null && nvidia-smi > /dev/null 2>&1 || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/one_warp.cu" <<'CUDA'
#include <cuda_runtime.h>
template <class T> __device__ T* zeros(T* s) {
    for (int i = threadIdx.x; i < 1024; i += 32) s[i] = 0;
    __syncwarp();
    return s;
}
__global__ void floats_of_one_bank(int k) { __shared__ float s[1024]; atomicAdd(zeros(s) + threadIdx.x * 32, float(k)); }
__global__ void floats_of_two_lanes_a_bank(int k) { __shared__ float s[1024]; atomicAdd(zeros(s) + threadIdx.x * 2, float(k)); }
__global__ void ints_of_one_bank(int k) { __shared__ int s[1024]; atomicAdd(zeros(s) + threadIdx.x * 32, k); }
int main() {
    floats_of_one_bank<<<1, 32>>>(3);
    floats_of_two_lanes_a_bank<<<1, 32>>>(3);
    ints_of_one_bank<<<1, 32>>>(3);
    return cudaDeviceSynchronize();
}
CUDA
nvcc -arch=sm_90 -o "$folder/one_warp" "$folder/one_warp.cu"
ncu --csv --page raw --metrics "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum" "$folder/one_warp" > "$folder/counted.csv" || exit 77
told=$(python3 - "$folder/counted.csv" "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum" <<'PYTHON'
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
[ "$told" = "floats_of_one_bank 528 64
floats_of_two_lanes_a_bank 3 4
ints_of_one_bank 0 32" ]
