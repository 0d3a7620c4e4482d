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
# <gap>
#| FLOPS = ""  # TODO: for example "3 kFLOP"
FLOPS = "16.8 MFLOP"  # one add an element: 16,777,216
# </gap>

# How many bytes must move between DRAM and the chip, at the least?
# <gap>
#| BYTES = ""  # TODO
BYTES = "100.7 MB"  # read a, read b, write out: 3 x 2 bytes x 2**24 = 100,663,296
# </gap>

# Arithmetic intensity: FLOPs for each byte of DRAM traffic.
# <gap>
#| INTENSITY = ""  # TODO
INTENSITY = "0.167 FLOP/byte"  # 1 FLOP / 6 bytes, whatever n is
# </gap>

# The ridge point of this card for ordinary fp16 arithmetic: the intensity at which the two roofs meet.
# <gap>
#| RIDGE = ""  # TODO
RIDGE = "39.9 FLOP/byte"  # 133.8e12 / 3.35e12
# </gap>

# Which roof binds the kernel: "memory" or "compute"?
# <gap>
#| BINDS = ""  # TODO
BINDS = "memory"  # 0.167 lies far to the left of 39.9
# </gap>

# The lowest time that any implementation can take.
# <gap>
#| LOWEST_TIME = ""  # TODO
LOWEST_TIME = "30.0 us"  # 100,663,296 B / 3.35e12 B/s; the arithmetic alone would take 0.13 us
# </gap>

# The highest FLOP rate that this kernel can show under the roofline.
# <gap>
#| ATTAINABLE = ""  # TODO
ATTAINABLE = "0.558 TFLOP/s"  # intensity x bandwidth = 1/6 x 3.35e12: 0.4 % of the peak, and perfect
# </gap>

# Could the Tensor Cores, with their 989.4 TFLOP/s, lower that time: "yes" or "no"?
# <gap>
#| TENSOR_CORES_HELP = ""  # TODO
TENSOR_CORES_HELP = "no"  # they multiply matrices; and the arithmetic was never what we wait for
# </gap>

# How many FLOPs could the kernel do on each element before arithmetic (ordinary fp16) costs as much as the traffic?
# <gap>
#| FLOPS_TO_BALANCE = ""  # TODO
FLOPS_TO_BALANCE = "240 FLOP"  # 39.94 FLOP/byte x 6 bytes
# </gap>

# --- Part 2: the card at hand --------------------------------------------------------------------------------------
# `onekernel doctor` prints your card's name, bandwidth and peaks. No GPU here? src/onekernel/bench/cards.toml is the
# table of cards that the course knows: take one that is not the H100.
# <gap>
#| CARD = ""            # TODO
#| CARD_BANDWIDTH = ""  # TODO: for example "1.2 TB/s"
#| CARD_PEAK = ""       # TODO: ordinary fp16, for example "40 TFLOP/s"
CARD = "H200"
CARD_BANDWIDTH = "4.8 TB/s"
CARD_PEAK = "133.8 TFLOP/s"
# </gap>

# The same vector add on that card.
# <gap>
#| CARD_RIDGE = ""        # TODO
#| CARD_BINDS = ""        # TODO
#| CARD_LOWEST_TIME = ""  # TODO
CARD_RIDGE = "27.9 FLOP/byte"  # 133.8e12 / 4.8e12: more bandwidth moves the ridge to the left
CARD_BINDS = "memory"
CARD_LOWEST_TIME = "21.0 us"  # 100,663,296 / 4.8e12
# </gap>
