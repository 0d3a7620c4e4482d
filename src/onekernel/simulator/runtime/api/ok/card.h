// The cards that the simulator models, in one table: an A100-like GPU of compute capability 8.0 and, where it is asked for
// (OK_ARCH), an H100-like one of 9.0. Sources: CUDA C++ Programming Guide, "Compute Capabilities", table of technical
// specifications, and "Thread Block Clusters"; A100 and H100 whitepapers (SXM5 with 80 GB).
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
    int persisting_l2_bytes = 30 * 1024 * 1024;     // three quarters of it
    int policy_window_bytes = 128 * 1024 * 1024;
    int bus_bits = 5120;
    int memory_clock_khz = 1215000, clock_khz = 1410000;
    size_t global_memory = size_t(40) << 30;
    int copy_engines = 3;
    int cluster_blocks = 1, cluster_blocks_opt_in = 1;
    int text_alignment = 512, pitch_alignment = 32;
    int texture_1d = 131072, texture_2d_height = 65536, texture_3d = 16384;
    int texture_layer = 32768, texture_layers = 2048;
};
#ifndef OK_ARCH
#define OK_ARCH 800
#endif

constexpr Card hopper() {
    Card card{};
    card.name = "OneKernel simulator (modelled sm_90)";
    card.major = 9;
    card.multiprocessors = 132;
    card.shared_per_block_optin = 227 * 1024;
    card.shared_per_multiprocessor = 228 * 1024;
    card.l2_bytes = 50 * 1024 * 1024;
    card.persisting_l2_bytes = 32 * 1024 * 1024;
    card.memory_clock_khz = 2619000, card.clock_khz = 1980000;
    card.global_memory = size_t(80) << 30;
    card.cluster_blocks = 8, card.cluster_blocks_opt_in = 16;
    return card;
}
constexpr Card CARD = OK_ARCH >= 900 ? hopper() : Card{};
}  // namespace __ok
