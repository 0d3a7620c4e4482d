"""What launches cost, when fusing loses, what fused attention gains.

`python -m audits.overhead --help` explains it; the bench itself is in audits.overhead.run.
"""

import sys

from audits.overhead.run import main
from onekernel.bench.command import run

sys.exit(run(main))
