"""What a byte-identical forward pass costs.

`python bench/minigpt.py --help` explains it; the bench itself is in onekernel.bench.identity.cost.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.identity.cost import main

sys.exit(run(main))
