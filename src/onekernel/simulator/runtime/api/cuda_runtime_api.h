// The host side of the CUDA runtime, as far as the simulator has it.
#pragma once
#include "ok/copy_api.h"
#include "ok/kernel_api.h"
#include "ok/launch_api.h"
#include "ok/managed_api.h"
#include "ok/pool_api.h"
#include "ok/stream_api.h"
