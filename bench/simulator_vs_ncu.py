"""The simulator's counts against ncu's, kernel by kernel.

`python bench/simulator_vs_ncu.py --help` explains it; the bench itself is in onekernel.profiling.agreement.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.profiling.agreement.run import main

sys.exit(run(main))
