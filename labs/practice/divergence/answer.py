# In how many of the four warps of shown.cu do lanes go different ways at the branch?
# <gap>
#| ODD_LANES = None  # TODO: way 0: threads with an odd number take it
#| ODD_WARPS = None  # TODO: way 1: threads of warps 1 and 3 take it
#| FIRST_40 = None   # TODO: way 2: threads 0 to 39 take it
#| ONE_BLOCK = None  # TODO: way 3: all threads of block 0 take it
ODD_LANES = 4
ODD_WARPS = 0
FIRST_40 = 1
ONE_BLOCK = 0
# </gap>
