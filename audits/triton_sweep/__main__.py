"""Every configuration of softmax_triton.py, on a card.

`python -m audits.triton_sweep --help` explains it; the bench itself is in audits.triton_sweep.run.
"""

import sys

from audits.triton_sweep.run import main
from onekernel.bench.command import run

sys.exit(run(main))
