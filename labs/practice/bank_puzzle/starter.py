# How many passes MORE than one does the last line of the kernel in shown.cu need? 0 is no conflict.
STRIDE_1 = None   # TODO: tile[t]
STRIDE_2 = None   # TODO: tile[2 t]
STRIDE_3 = None   # TODO: tile[3 t]
STRIDE_8 = None   # TODO: tile[8 t]
STRIDE_32 = None  # TODO: tile[32 t]
STRIDE_33 = None  # TODO: tile[33 t]
STRIDE_0 = None   # TODO: all lanes read tile[0]
