// Its name before NVTX 3.
#pragma once
#include "nvtx3/nvToolsExtCuda.h"
