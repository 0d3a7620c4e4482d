"""What the simulator costs.

`python -m audits.simulator --help` explains it; the bench itself is in audits.simulator.run.
"""

import sys

from audits.simulator.run import main
from onekernel.bench.command import run

sys.exit(run(main))
