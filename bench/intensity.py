"""Arithmetic intensity from end to end.

`python bench/intensity.py --help` explains it; the bench itself is in onekernel.bench.intensity.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.intensity.run import main

sys.exit(run(main))
