// The card that the simulator models, in one table: an A100-like GPU of compute capability 8.0.
// Source: CUDA C++ Programming Guide, "Compute Capabilities", table of technical specifications; A100 whitepaper.
#pragma once

#include <cstddef>

namespace __ok {
constexpr int WARP = 32;
constexpr int MAX_THREADS_PER_BLOCK = 1024;

struct Card {
    const char* name = "OneKernel simulator (modelled sm_80)";
    int major = 8, minor = 0;
    int multiprocessors = 108;
    int warp = WARP;
    int threads_per_block = MAX_THREADS_PER_BLOCK;
    int threads_per_multiprocessor = 2048;
    int blocks_per_multiprocessor = 32;
    int block_x = 1024, block_y = 1024, block_z = 64;
    long long grid_x = 2147483647;
    int grid_y = 65535, grid_z = 65535;
    int shared_per_block = 48 * 1024;               // without asking
    int shared_per_block_optin = 163 * 1024;        // with cudaFuncSetAttribute
    int shared_per_multiprocessor = 164 * 1024;
    int shared_reserved_per_block = 1024;
    int registers_per_block = 65536, registers_per_multiprocessor = 65536;
    int constant_memory = 64 * 1024;
    int l2_bytes = 40 * 1024 * 1024;
    int bus_bits = 5120;
    int memory_clock_khz = 1215000, clock_khz = 1410000;
    size_t global_memory = size_t(40) << 30;
    int text_alignment = 512, pitch_alignment = 32;
};
constexpr Card CARD{};
}  // namespace __ok
