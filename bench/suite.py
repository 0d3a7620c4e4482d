"""How long the test suite takes: by the clock and in processor time, the fast tests and all of them.

`python bench/suite.py --help` explains it; the bench itself is in onekernel.bench.suite.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.suite.run import main

sys.exit(run(main))
