"""Four fused operators five ways.

`python bench/fusion.py --help` explains it; the bench itself is in onekernel.bench.fusion.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.fusion.run import main

sys.exit(run(main))
