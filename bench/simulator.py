"""What the simulator costs.

`python bench/simulator.py --help` explains it; the bench itself is in onekernel.bench.simulator.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.simulator.run import main

sys.exit(run(main))
