# How many sectors of 32 bytes does the load of shown.cu touch? A number each.
STRIDE_1 = None   # TODO: neighbours: x[t]
STRIDE_2 = None   # TODO: every second one: x[2 t]
STRIDE_32 = None  # TODO: 128 bytes from lane to lane: x[32 t]
STRIDE_0 = None   # TODO: all lanes want x[0]
OFFSET_1 = None   # TODO: neighbours, one element later: x[1 + t]
OFFSET_8 = None   # TODO: neighbours, eight elements later: x[8 + t]
