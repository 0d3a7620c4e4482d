"""Files changed at random, for every reader of what a submission holds: none may end in a traceback or take long.

`python bench/fuzz.py --help` explains it; the bench itself is in onekernel.bench.fuzz.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.fuzz.run import main

sys.exit(run(main))
