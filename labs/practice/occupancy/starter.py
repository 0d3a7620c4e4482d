# How many blocks does one multiprocessor of an H100 hold at a time? By arithmetic.
BLOCKS_A = None   # TODO: 256 threads per block, 32 registers per thread, no shared memory
BLOCKS_B = None   # TODO: 256 threads per block, 64 registers per thread, no shared memory
BLOCKS_C = None   # TODO: 256 threads per block, 32 registers per thread, 48 KiB of shared memory per block
BLOCKS_D = None   # TODO: 32 threads per block, 16 registers per thread, no shared memory
PERCENT_B = None  # TODO: the warps of case B, as a percentage of 64
LIMIT_D = None    # TODO: what ends case D: "warps", "registers", "shared" or "blocks"
