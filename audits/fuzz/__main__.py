"""Files changed at random, for every reader of what a submission holds: none may end in a traceback or take long.

`python -m audits.fuzz --help` explains it; the bench itself is in audits.fuzz.run.
"""

import sys

from audits.fuzz.run import main
from onekernel.bench.command import run

sys.exit(run(main))
