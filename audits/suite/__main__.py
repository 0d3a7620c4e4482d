"""How long the test suite takes: by the clock and in processor time, the fast tests and all of them.

`python -m audits.suite --help` explains it; the bench itself is in audits.suite.run.
"""

import sys

from audits.suite.run import main
from onekernel.bench.command import run

sys.exit(run(main))
