"""What a few lines of PyTorch launch: predicted, then read from recorded traces of an H200.

Check:  onekernel check read_trace
Commit: onekernel predict read_trace      (part 1, once, before you look at the traces)
Look:   onekernel explain labs/05-fusion/traces/cdist_25.json.gz      (and the others, in part 2)
Bench:  none: the traces are recorded
Idea:   two clocks run side by side. The host launches and goes on; the GPU works off what was launched. A trace shows
        both, and which of them waits for the other.
But:    one step of one program on one card. Your own lines: onekernel explain FILE.py

Borja's answers. Part 1 stays as I committed it, six of ten near enough. What I think of the four others, afterwards:
    PRODUCT_GAIN   10, it is 38. "Bound by compute" I took for "at its peak". The direct kernel is bound by compute too,
                   and reaches 1 % of it; the product that cdist uses otherwise, 69 %. The same word says both.
    RAGGED_COST    3, it is 5.3. I guessed narrower loads, as in my softmax. The traces show another kernel altogether.
    ITEM_COST      2, it is 1.1. Everybody says that .item() is poison. 16 million elements keep the GPU busy for 0.2 ms
                   in each step, and the gaps that .item() adds are about 20 us. On 4 KB the gaps would be nearly all of it.
    BUSY_SMALL     0.24, it is 0.045. I divided two figures of the chapter's table, 1.72 us by 7.22. But 1.72 is a kernel
                   *and* the gap to the next; a kernel is 0.87 us. And under the profiler the host is slower still.
The programs are in labs/05-fusion/programs; read the one that a question is about first, it has a few lines. Every
answer is a string: a number ("2.5"), or a word. A part of something is a number from 0 to 1. In part 1 a number counts
in full within the tolerance that the question names, and less the further it is off.
"""

# --- Part 1: before you look ---------------------------------------------------------------------------------------
# How many kernels does torch.cdist launch for 25 points against 25 points? (cdist_25.py; exactly)
KERNELS_25 = "1"

# And for 26 against 26? (cdist_26.py; within a quarter)
KERNELS_26 = "13"

# 4096 points against 4096: how many times as long does it take without the matrix product? (cdist_4096_direct.py
# against cdist_4096.py; within a half)
PRODUCT_GAIN = "10"

# x @ w for seven shapes of x, in bf16: how many different kernels run? (matmul_shapes.py; within a fifth)
MATMUL_KERNELS = "6"

# The last of the seven multiplies 4096 x 4095 with 4095 x 4095, the one before 4096 x 4096 with 4096 x 4096. How many
# times as long does the last one's kernel take? (within a half)
RAGGED_COST = "3"

# A loop that reads its loss with .item() in every step: how many times as long as the loop that reads it once at the
# end? (item.py against no_item.py; within a fifth)
ITEM_COST = "2"

# A hundred operations on 4 KB each: in what part of the time does the GPU work? (small_kernels.py; within a half)
BUSY_SMALL = "0.24"

# The same hundred operations in a CUDA graph: how many times as fast? (small_kernels_graph.py; within a half)
GRAPH_GAIN = "7.5"

# GeLU written as a formula: how many kernels? (gelu_unfused.py; exactly)
GELU_KERNELS = "9"

# The same formula through torch.compile: how many times as fast on 2^26 elements in fp32? (within a quarter)
GELU_GAIN = "11"

# --- Part 2: with the traces in front of you -----------------------------------------------------------------------
# Commit to part 1 first. Then: onekernel explain labs/05-fusion/traces/NAME.json.gz

# Which of the five binds: "compute", "memory", "launch", "data" or "communication"?
BINDS_GEMM = "compute"
BINDS_ELEMENTWISE = "memory"
BINDS_SMALL_KERNELS = "launch"
BINDS_LOADER = "data"
BINDS_CDIST_25 = "launch"
BINDS_CDIST_4096_DIRECT = "compute"

# How many times does the host wait for the GPU in one step of item.py, and in one of no_item.py?
ITEM_WAITS = "20"
NO_ITEM_WAITS = "1"

# What part of the kernels' time in cdist_4096 is the matrix product?
CDIST_PRODUCT = "0.78"

# What part of the maker's peak does the work of gemm reach?
GEMM_OF_ROOF = "0.8"
