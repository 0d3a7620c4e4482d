// The host side of the CUDA runtime, as far as the simulator has it.
#pragma once
#include "ok/copy_api.h"
#include "ok/kernel_api.h"
#include "ok/launch_api.h"
#include "ok/managed_api.h"
#include "ok/pool_api.h"
#include "ok/settings_api.h"
#include "ok/stream_api.h"
#include "ok/texture_api.h"
#include "ok/volume_api.h"
#ifdef OK_PROGRAM
#include "ok/older_api.h"
#endif

// Files that are meant for both sides ask by these names whether CUDA's headers were included.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__
