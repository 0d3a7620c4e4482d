"""The counts of several C++ compilers, as the kernels are written.

`python bench/compilers.py --help` explains it; the bench itself is in onekernel.bench.compilers.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.compilers.run import main

sys.exit(run(main))
