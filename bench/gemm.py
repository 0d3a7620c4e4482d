"""GEMM beside NVIDIA's library: the course's kernels and the rungs of the ladder, in more than forty cells.

`python bench/gemm.py --help` explains it; the bench itself is in onekernel.bench.gemm.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.gemm.run import main

sys.exit(run(main))
