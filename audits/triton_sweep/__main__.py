"""Every configuration of softmax_triton.py, on a card.

`python -m audits.triton_sweep --help` explains it; the bench itself is in audits.triton_sweep.run.
"""

import sys

from audits.command import run
from audits.triton_sweep.run import main

sys.exit(run(main))
