// What the simulator has of CUB; the rest is refused by name. Device-wide algorithms are for whole programs.
#pragma once
#include "block/block_adjacent_difference.cuh"
#include "block/block_discontinuity.cuh"
#include "block/block_exchange.cuh"
#include "block/block_load.cuh"
#include "block/block_radix_sort.cuh"
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "block/block_store.cuh"
#include "key_value_pair.cuh"
#include "warp/warp_reduce.cuh"
#include "warp/warp_scan.cuh"
#ifdef OK_PROGRAM
#include "device/device_histogram.cuh"
#include "device/device_radix_sort.cuh"
#include "device/device_reduce.cuh"
#include "device/device_run_length_encode.cuh"
#include "device/device_scan.cuh"
#include "device/device_select.cuh"
#endif
