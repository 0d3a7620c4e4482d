"""The roofline challenge: what one fp16 vector add costs, and which roof of the card stands in its way.

Check:  onekernel check roofline_challenge
Bench:  none: the whole exercise is arithmetic, done before any kernel runs
Idea:   work over traffic. Count the FLOPs, count the bytes, divide; compare with the card's own FLOPs per byte.
But:    a roof says what cannot be beaten. What a kernel reaches must be measured (lab 02).

The kernel: out[i] = a[i] + b[i] for n = 2**24 elements of fp16, all three vectors in DRAM, none of it cached before.

Every answer is a string: a number and its unit ("1.5 GFLOP", "96 MiB", "0.25 FLOP/byte", "12 us"), or a word.
Prefixes: k M G T are powers of 1000, Ki Mi Gi powers of 1024; m u n are thousandths. Units: FLOP, B, s, FLOP/byte,
FLOP/s, B/s. Three significant digits are enough. The decimal mark is a point or a comma; "1.234" and "1,234" could
also mean thousands, and are refused.

    name                 unit        within
    FLOPS                FLOP         2 %
    BYTES                B            2 %
    INTENSITY            FLOP/byte    2 %
    RIDGE                FLOP/byte    2 %
    BINDS                "memory" or "compute"
    LOWEST_TIME          s            2 %
    ATTAINABLE           FLOP/s       2 %
    TENSOR_CORES_HELP    "yes" or "no"
    FLOPS_TO_BALANCE     FLOP         2 %   (for each element)
    CARD                 a card's name: as `onekernel doctor` prints it, or one from src/onekernel/bench/cards.toml
    CARD_BANDWIDTH       B/s         10 %   of that card's
    CARD_PEAK            FLOP/s      10 %   of that card's fp16 rate without Tensor Cores
    CARD_RIDGE           FLOP/byte    2 %   of what your own two lines above give
    CARD_BINDS           "memory" or "compute"
    CARD_LOWEST_TIME     s            2 %   of what your own two lines above give
"""

# --- Part 1: an H100 SXM -------------------------------------------------------------------------------------------
# NVIDIA's figures (H100 datasheet; H100 Tensor Core GPU Architecture, table of peaks):
#   DRAM bandwidth              3.35  TB/s
#   fp32                       66.9   TFLOP/s
#   fp16, ordinary units      133.8   TFLOP/s   (a fused multiply-add counts as two FLOPs)
#   fp16, Tensor Cores, dense 989.4   TFLOP/s
N = 2**24

# How many floating-point operations does the add perform?
FLOPS = ""  # TODO: for example "3 kFLOP"

# How many bytes must move between DRAM and the chip, at the least?
BYTES = ""  # TODO

# Arithmetic intensity: FLOPs for each byte of DRAM traffic.
INTENSITY = ""  # TODO

# The ridge point of this card for ordinary fp16 arithmetic: the intensity at which the two roofs meet.
RIDGE = ""  # TODO

# Which roof binds the kernel: "memory" or "compute"?
BINDS = ""  # TODO

# The lowest time that any implementation can take.
LOWEST_TIME = ""  # TODO

# The highest FLOP rate that this kernel can show under the roofline.
ATTAINABLE = ""  # TODO

# Could the Tensor Cores, with their 989.4 TFLOP/s, lower that time: "yes" or "no"?
TENSOR_CORES_HELP = ""  # TODO

# How many FLOPs could the kernel do on each element before arithmetic (ordinary fp16) costs as much as the traffic?
FLOPS_TO_BALANCE = ""  # TODO

# --- Part 2: the card at hand --------------------------------------------------------------------------------------
# `onekernel doctor` prints your card's name, bandwidth and peaks. No GPU here? src/onekernel/bench/cards.toml is the
# table of cards that the course knows: take one that is not the H100.
CARD = ""            # TODO
CARD_BANDWIDTH = ""  # TODO: for example "1.2 TB/s"
CARD_PEAK = ""       # TODO: ordinary fp16, for example "40 TFLOP/s"

# The same vector add on that card.
CARD_RIDGE = ""        # TODO
CARD_BINDS = ""        # TODO
CARD_LOWEST_TIME = ""  # TODO
