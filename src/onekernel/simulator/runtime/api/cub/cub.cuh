// What the simulator has of CUB: cub::BlockReduce and cub::WarpReduce. The rest is refused by name.
#pragma once
#include "block/block_reduce.cuh"
#include "warp/warp_reduce.cuh"
