// Where CUDA 11 had it.
#pragma once
#include "nvtx3/nvToolsExt.h"
