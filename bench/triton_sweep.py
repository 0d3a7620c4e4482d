"""Every configuration of softmax_triton.py, on a card.

`python bench/triton_sweep.py --help` explains it; the bench itself is in onekernel.bench.triton_sweep.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.triton_sweep.run import main

sys.exit(run(main))
