"""What torch.compile writes: its Triton, annotated and counted.

Check:  onekernel check read_compiled
Look:   labs/05-fusion/compiled      (what was written on an H200, with the versions; to read, not to run)
Run:    python labs/05-fusion/programs/compiled_code.py softmax_tile      (what is written on your machine)
Bench:  none: the code is recorded
Idea:   a generated kernel has few kinds of lines: indices and masks, loads, arithmetic, reductions, stores. Find them,
        and you know its ledger.
But:    the compiler changes from version to version. The questions are about the files as they were recorded.

Every answer is a string. Lines are the numbers of lines in the file, as your editor shows them: "27" or "27, 41"; a
statement over several lines counts where it begins. Bytes are those that the threads ask for, each load and store of a
whole tensor counted once: "268 MB". Choices are the letter in front: "a".
"""

# --- gelu.py: a chain of elementwise operators ---------------------------------------------------------------------
# Which lines load, and which store?
GELU_LOADS = ""  # TODO
GELU_STORES = ""  # TODO

# How many bytes does the kernel move? (2^26 elements of fp32)
GELU_BYTES = ""  # TODO

# --- cos_two.py, cos_both.py: y = x.cos() and z = y.cos() in two statements -----------------------------------------
# How many kernels are written for cos_two, which returns z?
COS_TWO_KERNELS = ""  # TODO

# cos_both returns y and z: which lines store, and how many bytes move?
COS_BOTH_STORES = ""  # TODO
COS_BOTH_BYTES = ""  # TODO

# --- softmax_tile.py: 32768 rows of 1000 ---------------------------------------------------------------------------
# Which lines load, and which reduce?
TILE_LOADS = ""  # TODO
TILE_REDUCTIONS = ""  # TODO

# Which line makes the mask that is not always true? How many columns has the tile, and how many of them hold nothing?
TILE_MASK = ""  # TODO
TILE_BLOCK = ""  # TODO
TILE_IDLE = ""  # TODO

# --- softmax_online.py, softmax_three_pass.py: 4096 rows of 16384 ---------------------------------------------------
# softmax_online: which lines load, which begin a loop, and which line reduces over the lanes of a tile?
ONLINE_LOADS = ""  # TODO
ONLINE_LOOPS = ""  # TODO
ONLINE_REDUCTIONS = ""  # TODO

# How many bytes do the threads of each ask for?
ONLINE_BYTES = ""  # TODO
THREE_PASS_BYTES = ""  # TODO

# Which was faster on the H200: "online" or "three_pass"? Guess by the bytes, then look into recorded.json ("seconds").
FASTER = ""  # TODO

# --- softmax_split.py: 16 rows of 262144 ---------------------------------------------------------------------------
# How many kernels, into how many parts is a row divided, and how many of the kernels read all of x?
SPLIT_KERNELS = ""  # TODO
SPLIT_PARTS = ""  # TODO
SPLIT_READS = ""  # TODO

# The compiler said: "Online softmax is disabled on the fly since Inductor decides to split the reduction." It means:
#   a  the row is too short for the online form to pay
#   b  few long rows would leave most of the GPU idle, so each is dealt out to several programs; this version cannot
#      join pairs of maximum and sum across programs, and takes one reduction for each, with a pass over x of its own
#   c  the online form loses too much precision on long rows, so the maximum is taken first
#   d  the tensor is not contiguous, and an online loop must walk along adjacent elements
HINT = ""  # TODO

# --- softmax_mul.py: softmax(x) * w --------------------------------------------------------------------------------
# Which line loads w, and how many bytes do the threads ask for? (8192 x 8192)
MUL_LOAD = ""  # TODO
MUL_BYTES = ""  # TODO

# --- matmul_relu.py: relu(x @ x) + 1 -------------------------------------------------------------------------------
# How many kernels run, and why not one?
#   a  relu needs the whole product before it can begin
#   b  the compiler never fuses anything with a reduction
#   c  the product is a call of a library: relu and + 1 are fused with each other, but no code of theirs goes into it
#   d  the tensor is too small to gain anything
PRODUCT_KERNELS = ""  # TODO
PRODUCT_WHY = ""  # TODO

# --- graph_breaks.py, recompiles.py (labs/05-fusion/programs; no GPU needed) ---------------------------------------
# Into how many graphs is `halves` cut, at how many breaks? torch._dynamo.explain(halves)(torch.randn(8)) says it.
GRAPHS = ""  # TODO
BREAKS = ""  # TODO

# Of the seven CALLS of `scaled`, made in order, how many compile it (again)? And which call is the first to run code
# that takes any length: its words in CALLS?    They tell:
#     TORCH_LOGS=recompiles python labs/05-fusion/programs/recompiles.py
COMPILED = ""  # TODO
DYNAMIC = ""  # TODO
