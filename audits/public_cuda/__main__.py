"""How many whole programs of public repositories run on the simulator, and what stops the others.

`python -m audits.public_cuda --help` explains it; the bench itself is in audits.public_cuda.run.
"""

import sys

from audits.public_cuda.run import main
from onekernel.bench.command import run

sys.exit(run(main))
