"""Files changed at random, for every reader of what a submission holds: none may end in a traceback or take long.

`python -m audits.fuzz --help` explains it; the bench itself is in audits.fuzz.run.
"""

import sys

from audits.command import run
from audits.fuzz.run import main

sys.exit(run(main))
