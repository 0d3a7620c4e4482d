"""The counts of several C++ compilers, as the kernels are written.

`python -m audits.compilers --help` explains it; the bench itself is in audits.compilers.run.
"""

import sys

from audits.command import run
from audits.compilers.run import main

sys.exit(run(main))
