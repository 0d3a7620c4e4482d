"""The simulator's counts against ncu's, kernel by kernel.

`python -m audits.agreement --help` explains it; the bench itself is in audits.agreement.run.
"""

import sys

from audits.agreement.run import main
from audits.command import run

sys.exit(run(main))
