"""What launches cost, when fusing loses, what fused attention gains.

`python bench/overhead.py --help` explains it; the bench itself is in onekernel.bench.overhead.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.overhead.run import main

sys.exit(run(main))
