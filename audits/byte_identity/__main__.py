"""Which results have the same bytes on NumPy, torch and CuPy.

`python -m audits.byte_identity --help` explains it; the bench itself is in audits.byte_identity.compare.
"""

import sys

from audits.byte_identity.compare import main
from audits.command import run

sys.exit(run(main))
