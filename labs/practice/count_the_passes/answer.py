# For n = 1024 floats of 4 bytes: how many bytes do the kernels of shown.cu load and store?
# <gap>
#| LOADED_APART = None  # TODO: scale, add and relu together
#| STORED_APART = None  # TODO
#| LOADED_FUSED = None  # TODO: the one kernel
#| STORED_FUSED = None  # TODO
#| TIMES = None         # TODO: all that the three move, over all that the one moves
LOADED_APART = 4 * 4 * 1024
STORED_APART = 3 * 4 * 1024
LOADED_FUSED = 2 * 4 * 1024
STORED_FUSED = 4 * 1024
TIMES = 7 / 3
# </gap>
