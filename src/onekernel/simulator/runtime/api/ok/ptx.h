// What inline PTX becomes: simulator/ptx writes calls of these. A file without asm statements does not include it.
#pragma once
#include "ptx_arithmetic.h"
#include "ptx_barriers.h"
#include "ptx_bulk.h"
#include "ptx_convert.h"
#include "ptx_matrices.h"
#include "ptx_memory.h"
#include "ptx_warpgroup.h"
