# x = torch.arange(120.).reshape(10, 12). By arithmetic, without running anything:
# <gap>
#| ROW_STEP = None              # TODO: x.stride(0)
#| TURNED_ROW_STEP = None       # TODO: x.T.stride(0)
#| EVERY_OTHER_STEP = None      # TODO: x[::2].stride(0)
#| PART_OFFSET = None           # TODO: x[2:5, 2:8].storage_offset()
#| EXPANDED_STEP = None         # TODO: x[0].expand(5, 12).stride(0)
#| TURNED_IS_CONTIGUOUS = None  # TODO: x.T.is_contiguous(): "yes" or "no"
ROW_STEP = 12
TURNED_ROW_STEP = 1
EVERY_OTHER_STEP = 2 * 12
PART_OFFSET = 2 * 12 + 2
EXPANDED_STEP = 0
TURNED_IS_CONTIGUOUS = "no"
# </gap>
