"""The simulator's counts of other people's kernels against ncu's.

`python bench/others_vs_ncu.py --help` explains it; the bench itself is in onekernel.profiling.agreement.others_run.
"""

import sys

from onekernel.bench.command import run
from onekernel.profiling.agreement.others_run import main

sys.exit(run(main))
