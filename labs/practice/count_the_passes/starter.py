# For n = 1024 floats of 4 bytes: how many bytes do the kernels of shown.cu load and store?
LOADED_APART = None  # TODO: scale, add and relu together
STORED_APART = None  # TODO
LOADED_FUSED = None  # TODO: the one kernel
STORED_FUSED = None  # TODO
TIMES = None         # TODO: all that the three move, over all that the one moves
