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

# Borja: on paper first, then typed. My laptop has no NVIDIA card, so part 2 is the A100 that we rent at work.

# --- Part 1: an H100 SXM: 3.35 TB/s; fp16 133.8 TFLOP/s without Tensor Cores, 989.4 with them ------------------------
N = 2**24

# One addition for each element.
FLOPS = "16.8 MFLOP"  # 16,777,216

# Two reads and one write of 2 bytes. "100.7 MB" and "96 MiB" are the same number; 96 MB would have been wrong.
BYTES = "96 MiB"  # 6 x 16,777,216 = 100,663,296

# 1 FLOP for 6 bytes, whatever n is.
INTENSITY = "0.1667 FLOP/byte"

# Where the slope meets the flat roof. The flat roof of ordinary fp16: my first answer was 295, from the 989 of the
# Tensor Cores.
RIDGE = "39.9 FLOP/byte"  # 133.8e12 / 3.35e12

# 0.17 is far to the left of 39.9.
BINDS = "memory"

LOWEST_TIME = "30.05 us"  # 100,663,296 B / 3.35e12 B/s

ATTAINABLE = "558 GFLOP/s"  # 0.1667 x 3.35e12: 0.4 % of the peak, and that is all right

# They multiply matrices; and what binds is the memory.
TENSOR_CORES_HELP = "no"

# As many as the units could do while 6 bytes arrive: 39.9 FLOP/byte x 6 bytes. This one changed how I think about
# fusing: 239 operations an element for nothing.
FLOPS_TO_BALANCE = "239.6 FLOP"

# --- Part 2: another card ---------------------------------------------------------------------------------------
CARD = "A100 SXM 80GB"
CARD_BANDWIDTH = "2.04 TB/s"
CARD_PEAK = "78 TFLOP/s"

CARD_RIDGE = "38.25 FLOP/byte"  # 78e12 / 2.039e12: nearly the H100's, both grew by the same factor
CARD_BINDS = "memory"
CARD_LOWEST_TIME = "49.4 us"  # 100,663,296 / 2.039e12
