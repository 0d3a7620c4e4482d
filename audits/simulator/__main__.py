"""What the simulator costs.

`python -m audits.simulator --help` explains it; the bench itself is in audits.simulator.run.
"""

import sys

from audits.command import run
from audits.simulator.run import main

sys.exit(run(main))
