"""How many whole programs of public repositories run on the simulator, and what stops the others.

`python bench/public_cuda.py --help` explains it; the bench itself is in onekernel.bench.public_cuda.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.public_cuda.run import main

sys.exit(run(main))
