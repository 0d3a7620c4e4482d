# How many sectors of 32 bytes does the load of shown.cu touch? A number each.
# <gap>
#| STRIDE_1 = None   # TODO: neighbours: x[t]
#| STRIDE_4 = None   # TODO: every fourth one: x[4 t]
#| STRIDE_5 = None   # TODO: every fifth one: x[5 t]
#| STRIDE_12 = None  # TODO: 48 bytes from lane to lane: x[12 t]
#| OFFSET_8 = None   # TODO: neighbours, eight elements later: x[8 + t]
#| OFFSET_5 = None   # TODO: every second one, five elements later: x[5 + 2 t]
STRIDE_1 = 4
STRIDE_4 = 16
STRIDE_5 = 20
STRIDE_12 = 32
OFFSET_8 = 4
OFFSET_5 = 9
# </gap>
