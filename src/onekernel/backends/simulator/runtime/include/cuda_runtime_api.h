// The host side of the CUDA runtime, as far as the simulator has it.
#pragma once
#include "ok/kernel_api.h"
#include "ok/stream_api.h"
