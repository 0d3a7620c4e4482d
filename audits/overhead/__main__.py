"""What launches cost, when fusing loses, what fused attention gains.

`python -m audits.overhead --help` explains it; the bench itself is in audits.overhead.run.
"""

import sys

from audits.command import run
from audits.overhead.run import main

sys.exit(run(main))
