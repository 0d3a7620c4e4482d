"""How long the test suite takes: by the clock and in processor time, the fast tests and all of them.

`python -m audits.suite --help` explains it; the bench itself is in audits.suite.run.
"""

import sys

from audits.command import run
from audits.suite.run import main

sys.exit(run(main))
