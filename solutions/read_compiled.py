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
# <gap>
#| GELU_LOADS = ""  # TODO
#| GELU_STORES = ""  # TODO
GELU_LOADS = "27"
GELU_STORES = "41"
# </gap>

# How many bytes does the kernel move? (2^26 elements of fp32)
# <gap>
#| GELU_BYTES = ""  # TODO
GELU_BYTES = "537 MB"  # one load and one store of 268 MB
# </gap>

# --- cos_two.py, cos_both.py: y = x.cos() and z = y.cos() in two statements -----------------------------------------
# How many kernels are written for cos_two, which returns z?
# <gap>
#| COS_TWO_KERNELS = ""  # TODO
COS_TWO_KERNELS = "1"  # a statement is no border: cos_one.py and cos_two.py differ in their first line alone
# </gap>

# cos_both returns y and z: which lines store, and how many bytes move?
# <gap>
#| COS_BOTH_STORES = ""  # TODO
#| COS_BOTH_BYTES = ""  # TODO
COS_BOTH_STORES = "30, 31"
COS_BOTH_BYTES = "805 MB"  # one load, two stores: somebody wants y, so it is written; nobody reads it again
# </gap>

# --- softmax_tile.py: 32768 rows of 1000 ---------------------------------------------------------------------------
# Which lines load, and which reduce?
# <gap>
#| TILE_LOADS = ""  # TODO
#| TILE_REDUCTIONS = ""  # TODO
TILE_LOADS = "37"
TILE_REDUCTIONS = "41, 46"
# </gap>

# Which line makes the mask that is not always true? How many columns has the tile, and how many of them hold nothing?
# <gap>
#| TILE_MASK = ""  # TODO
#| TILE_BLOCK = ""  # TODO
#| TILE_IDLE = ""  # TODO
TILE_MASK = "32"
TILE_BLOCK = "1024"
TILE_IDLE = "24"
# </gap>

# --- softmax_online.py, softmax_three_pass.py: 4096 rows of 16384 ---------------------------------------------------
# softmax_online: which lines load, which begin a loop, and which line reduces over the lanes of a tile?
# <gap>
#| ONLINE_LOADS = ""  # TODO
#| ONLINE_LOOPS = ""  # TODO
#| ONLINE_REDUCTIONS = ""  # TODO
ONLINE_LOADS = "40, 60"
ONLINE_LOOPS = "34, 54"
ONLINE_REDUCTIONS = "50"
# </gap>

# How many bytes do the threads of each ask for?
# <gap>
#| ONLINE_BYTES = ""  # TODO
#| THREE_PASS_BYTES = ""  # TODO
ONLINE_BYTES = "805 MB"  # two loads and a store of 268 MB
THREE_PASS_BYTES = "1074 MB"  # three loads and a store
# </gap>

# Which was faster on the H200: "online" or "three_pass"? Guess by the bytes, then look into recorded.json ("seconds").
# <gap>
#| FASTER = ""  # TODO
FASTER = "three_pass"  # a row of 64 KiB is still in a cache when it is read again; online has more exponentials
# </gap>

# --- softmax_split.py: 16 rows of 262144 ---------------------------------------------------------------------------
# How many kernels, into how many parts is a row divided, and how many of the kernels read all of x?
# <gap>
#| SPLIT_KERNELS = ""  # TODO
#| SPLIT_PARTS = ""  # TODO
#| SPLIT_READS = ""  # TODO
SPLIT_KERNELS = "5"
SPLIT_PARTS = "32"
SPLIT_READS = "3"
# </gap>

# The compiler said: "Online softmax is disabled on the fly since Inductor decides to split the reduction." It means:
#   a  the row is too short for the online form to pay
#   b  few long rows would leave most of the GPU idle, so each is dealt out to several programs; this version cannot
#      join pairs of maximum and sum across programs, and takes one reduction for each, with a pass over x of its own
#   c  the online form loses too much precision on long rows, so the maximum is taken first
#   d  the tensor is not contiguous, and an online loop must walk along adjacent elements
# <gap>
#| HINT = ""  # TODO
HINT = "b"  # newer versions carry the pair through the split, and say nothing
# </gap>

# --- softmax_mul.py: softmax(x) * w --------------------------------------------------------------------------------
# Which line loads w, and how many bytes do the threads ask for? (8192 x 8192)
# <gap>
#| MUL_LOAD = ""  # TODO
#| MUL_BYTES = ""  # TODO
MUL_LOAD = "61"
MUL_BYTES = "1074 MB"  # x twice, w once, one store
# </gap>

# --- matmul_relu.py: relu(x @ x) + 1 -------------------------------------------------------------------------------
# How many kernels run, and why not one?
#   a  relu needs the whole product before it can begin
#   b  the compiler never fuses anything with a reduction
#   c  the product is a call of a library: relu and + 1 are fused with each other, but no code of theirs goes into it
#   d  the tensor is too small to gain anything
# <gap>
#| PRODUCT_KERNELS = ""  # TODO
#| PRODUCT_WHY = ""  # TODO
PRODUCT_KERNELS = "2"
PRODUCT_WHY = "c"
# </gap>

# --- graph_breaks.py, recompiles.py (labs/05-fusion/programs; no GPU needed) ---------------------------------------
# Into how many graphs is `halves` cut, at how many breaks? torch._dynamo.explain(halves)(torch.randn(8)) says it.
# <gap>
#| GRAPHS = ""  # TODO
#| BREAKS = ""  # TODO
GRAPHS = "3"
BREAKS = "2"
# </gap>

# Of the seven CALLS of `scaled`, made in order, how many compile it (again)? And which call is the first to run code
# that takes any length: its words in CALLS?    They tell:
#     TORCH_LOGS=recompiles python labs/05-fusion/programs/recompiles.py
# <gap>
#| COMPILED = ""  # TODO
#| DYNAMIC = ""  # TODO
COMPILED = "4"
DYNAMIC = "another length"
# </gap>
