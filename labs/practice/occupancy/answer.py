# How many blocks does one multiprocessor of an H100 hold at a time? By arithmetic.
# <gap>
#| BLOCKS_A = None   # TODO: 256 threads per block, 32 registers per thread, no shared memory
#| BLOCKS_B = None   # TODO: 256 threads per block, 64 registers per thread, no shared memory
#| BLOCKS_C = None   # TODO: 256 threads per block, 32 registers per thread, 48 KiB of shared memory per block
#| BLOCKS_D = None   # TODO: 32 threads per block, 16 registers per thread, no shared memory
#| PERCENT_B = None  # TODO: the warps of case B, as a percentage of 64
#| LIMIT_D = None    # TODO: what ends case D: "warps", "registers", "shared" or "blocks"
BLOCKS_A = 64 // 8
BLOCKS_B = 65536 // (64 * 256)
BLOCKS_C = 228 // 49
BLOCKS_D = 32
PERCENT_B = 100 * 4 * 8 // 64
LIMIT_D = "blocks"
# </gap>
