"""How many whole programs of public repositories run on the simulator, and what stops the others.

`python -m audits.public_cuda --help` explains it; the bench itself is in audits.public_cuda.run.
"""

import sys

from audits.command import run
from audits.public_cuda.run import main

sys.exit(run(main))
