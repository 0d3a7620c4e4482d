"""What a few lines of PyTorch launch: predicted, then read from recorded traces of an H200.

Check:  onekernel check read_trace
Commit: onekernel predict read_trace      (part 1, once, before you look at the traces)
Look:   onekernel explain labs/05-fusion/traces/cdist_25.json.gz      (and the others, in part 2)
Bench:  none: the traces are recorded
Idea:   two clocks run side by side. The host launches and goes on; the GPU works off what was launched. A trace shows
        both, and which of them waits for the other.
But:    one step of one program on one card. Your own lines: onekernel explain FILE.py

The programs are in labs/05-fusion/programs; read the one that a question is about first, it has a few lines. Every
answer is a string: a number ("2.5"), or a word. A part of something is a number from 0 to 1. In part 1 a number counts
in full within the tolerance that the question names, and less the further it is off.
"""

# --- Part 1: before you look ---------------------------------------------------------------------------------------
# How many kernels does torch.cdist launch for 25 points against 25 points? (cdist_25.py; exactly)
KERNELS_25 = ""  # TODO

# And for 26 against 26? (cdist_26.py; within a quarter)
KERNELS_26 = ""  # TODO

# 4096 points against 4096: how many times as long does it take without the matrix product? (cdist_4096_direct.py
# against cdist_4096.py; within a half)
PRODUCT_GAIN = ""  # TODO

# x @ w for seven shapes of x, in bf16: how many different kernels run? (matmul_shapes.py; within a fifth)
MATMUL_KERNELS = ""  # TODO

# The last of the seven multiplies 4096 x 4095 with 4095 x 4095, the one before 4096 x 4096 with 4096 x 4096. How many
# times as long does the last one's kernel take? (within a half)
RAGGED_COST = ""  # TODO

# A loop that reads its loss with .item() in every step: how many times as long as the loop that reads it once at the
# end? (item.py against no_item.py; within a fifth)
ITEM_COST = ""  # TODO

# A hundred operations on 4 KB each: in what part of the time does the GPU work? (small_kernels.py; within a half)
BUSY_SMALL = ""  # TODO

# The same hundred operations in a CUDA graph: how many times as fast? (small_kernels_graph.py; within a half)
GRAPH_GAIN = ""  # TODO

# GeLU written as a formula: how many kernels? (gelu_unfused.py; exactly)
GELU_KERNELS = ""  # TODO

# The same formula through torch.compile: how many times as fast on 2^26 elements in fp32? (within a quarter)
GELU_GAIN = ""  # TODO

# --- Part 2: with the traces in front of you -----------------------------------------------------------------------
# Commit to part 1 first. Then: onekernel explain labs/05-fusion/traces/NAME.json.gz

# Which of the five binds: "compute", "memory", "launch", "data" or "communication"?
BINDS_GEMM = ""  # TODO
BINDS_ELEMENTWISE = ""  # TODO
BINDS_SMALL_KERNELS = ""  # TODO
BINDS_LOADER = ""  # TODO
BINDS_CDIST_25 = ""  # TODO
BINDS_CDIST_4096_DIRECT = ""  # TODO

# How many times does the host wait for the GPU in one step of item.py, and in one of no_item.py?
ITEM_WAITS = ""  # TODO
NO_ITEM_WAITS = ""  # TODO

# What part of the kernels' time in cdist_4096 is the matrix product?
CDIST_PRODUCT = ""  # TODO

# What part of the maker's peak does the work of gemm reach?
GEMM_OF_ROOF = ""  # TODO
